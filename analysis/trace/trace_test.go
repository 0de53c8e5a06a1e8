package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const kinetoReduce = 2 * 1e6 / 400e-6 // two of 1 MB in 0.4 ms between two ranks
	tests := []struct {
		file                                                         string
		span, compute, comm, copied, sync, idle, overlapped, exposed float64 // µs
		kernels                                                      int
		top                                                          string
		topSeconds                                                   float64
	}{
		// Computing 1000–1200 and 1300–1400; communicating 1150–1250, 1350–1650, 1700–1800;
		// both in 1150–1200 and 1350–1400.
		{"kineto.json", 1000, 300, 500, 150, 450, 1000 - 700, 100, 400, 7, "cudaStreamSynchronize", 450},
		{"legacy.json", 200, 100, 120, 0, 0, 0, 20, 100, 3, "gloo:all_reduce", 120},
		{"nsys_trace.csv", 350, 200, 100, 50, 0, 100, 50, 50, 2, "void gemm", 200},
		{"nsys_lines.json", 350, 200, 100, 50, 0, 100, 50, 50, 2, "gemm", 200},
		{"nsys_sum.csv", 0, 800, 200, 0, 0, 0, 0, 0, 6, "void gemm", 800},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got, err := Read(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			f := func(name string, got, want float64) {
				t.Helper()
				if math.Abs(1e6*got-want) > 1e-6 {
					t.Errorf("%s = %v µs, want %v", name, 1e6*got, want)
				}
			}
			f("span", got.Span, tt.span)
			f("compute", got.Compute, tt.compute)
			f("communication", got.Comm, tt.comm)
			f("copy", got.Copy, tt.copied)
			f("sync", got.Sync, tt.sync)
			f("idle", got.Idle, tt.idle)
			f("overlapped", got.Overlapped, tt.overlapped)
			f("exposed", got.Exposed, tt.exposed)
			f("first of the top", got.Top[0].Seconds, tt.topSeconds)
			if got.Kernels != tt.kernels || !strings.HasPrefix(got.Top[0].Name, tt.top) {
				t.Errorf("%d kernels, first %q; want %d and %q", got.Kernels, got.Top[0].Name, tt.kernels, tt.top)
			}
		})
	}
	got, err := Read(filepath.Join("testdata", "kineto.json"))
	if err != nil || got.Rank == nil || *got.Rank != 1 || len(got.Collectives) != 2 {
		t.Fatalf("rank and collectives = %+v, %v", got, err)
	}
	gather, reduce := got.Collectives[0], got.Collectives[1]
	if reduce.Count != 2 || reduce.Bytes != 1e6 || math.Abs(*reduce.BusBW-kinetoReduce) > 1 {
		t.Errorf("all-reduce = %+v, bus %v", reduce, *reduce.BusBW)
	}
	if gather.Bytes != 8000 || math.Abs(*gather.BusBW-8000*.75/100e-6) > 1 {
		t.Errorf("all-gather = %+v, bus %v", gather, *gather.BusBW)
	}
}

// An operation of a host does not count what it called.
func TestSelfTime(t *testing.T) {
	got, err := Read(filepath.Join("testdata", "legacy.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range got.Top {
		if k.Name == "forward" && math.Abs(k.Seconds-40e-6) > 1e-12 {
			t.Errorf("forward = %v s itself, want 40 µs", k.Seconds)
		}
	}
}

func TestCompressed(t *testing.T) {
	plain, err := os.ReadFile(filepath.Join("testdata", "kineto.json"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(plain)
	_ = w.Close()
	got, err := From("a.json.gz", &packed)
	if err != nil || got.Kernels != 7 {
		t.Errorf("compressed trace = %d kernels, %v", got.Kernels, err)
	}
}

func TestWhatIsNoTrace(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "text": "hello\n", "other object": `{"a": 1}`, "cut": `{"traceEvents": [{"ph": "X", "cat": "kernel", "ts": 1`,
		"nothing": `{"traceEvents": []}`, "numbers": "Start (ns),Duration (ns),Name\nx,y,z\n",
	} {
		if got, err := From(name, strings.NewReader(text)); err == nil {
			t.Errorf("%s was read as %+v", name, got)
		}
	}
}

// A few kilobytes that unpack to very much are refused by what they are, and so are
// times that no clock shows: they made every figure NaN.
func TestRefusals(t *testing.T) {
	pack := func(text string, times int) string {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		for range times {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		return packed.String()
	}
	f := func(text, want string) {
		t.Helper()
		if got, err := From("x", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q…: got %+v, %v, want %q", text, got, err, want)
		}
	}
	kernel := `{"ph":"X","cat":"kernel","name":"k","ts":%s,"dur":1},`
	f("["+fmt.Sprintf(kernel, "-1e308")+fmt.Sprintf(kernel, "1e308")+"{}]", "want a begin and a later end")
	f("[{\"Start (ns)\":\"NaN\",\"Duration (ns)\":\"1\",\"Name\":\"k\"}]", "want a begin and a later end")
	f("[{\"Total Time (ns)\":\"1\",\"Instances\":\"1e300\",\"Name\":\"k\"}]", "want a number of kernels")
	f(`{"x":`+strings.Repeat("[", 5000), "nests more than 1000 deep")
	f(pack(`{"traceEvents":[`, 1)+pack(strings.Repeat(`{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1},`, 10_000), 60), "unpacks to more than 250 times its size")
	f(`{"traceEvents":[{"name":"`+strings.Repeat("long", 2<<20), "holds a value that is too large")
}
