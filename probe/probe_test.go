package probe

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// tiny measures a probe in little time and memory.
func tiny(t *testing.T, m plan.Micro) (trials []record.Trial, notes []string, err error) {
	t.Helper()
	m.Duration = unit.Duration(3 * time.Millisecond)
	if m.Replicates == 0 {
		m.Replicates = 3
	}
	if m.FileSize == 0 {
		m.FileSize = 2 << 20
	}
	err = Measure(t.Context(), Setting{
		Point: 4, Micro: m, Dir: t.TempDir(), limit: 2 << 20,
		Trial: func(row record.Trial) { trials = append(trials, row) },
		Note:  func(text string) { notes = append(notes, text) },
	})
	return trials, notes, err
}

// Every probe measures every variant as often as it should, right, and in time order.
func TestAll(t *testing.T) {
	for _, p := range All {
		t.Run(p.Name, func(t *testing.T) {
			if p.Doc == "" {
				t.Error("no Doc")
			}
			rows, _, err := tiny(t, plan.Micro{Probe: p.Name, Device: "cpu", Streams: 2, Threads: []int{1, 2}})
			if err != nil {
				t.Fatal(err)
			}
			type variant struct {
				name    string
				threads int32
			}
			measured := map[variant]int{}
			last := int64(math.MinInt64)
			for _, row := range rows {
				if row.End <= row.Start || row.Start < last || row.Loops < 1 || row.Point != 4 || row.Probe != p.Name || row.Clock != "host" {
					t.Fatalf("row %+v after %d", row, last)
				}
				if row.Wrong != 0 {
					t.Errorf("%s with %d threads: %d wrong answers", row.Variant, row.Threads, row.Wrong)
				}
				if row.Bytes == 0 && row.FLOP == nil && row.Operations == 0 {
					t.Errorf("%s counts nothing", row.Variant)
				}
				last = row.End
				if row.Phase == record.Measure {
					measured[variant{row.Variant, row.Threads}]++
				}
			}
			if len(measured) == 0 {
				t.Error("nothing was measured")
			}
			for v, n := range measured {
				if n < 3 {
					t.Errorf("%s with %d threads: %d replicates, want 3 or more", v.name, v.threads, n)
				}
			}
		})
	}
}

// The words of the spec are those that somebody measures.
func TestVocabulary(t *testing.T) {
	for _, name := range spec.Vocabularies["probes"] {
		_, _, err := tiny(t, plan.Micro{Probe: name, Device: "cuda", Host: "127.0.0.1:1"})
		if err != nil && strings.Contains(err.Error(), "no probe") {
			t.Error(err)
		}
		if (plan.Micro{Probe: name, Device: "cuda"}).Torch() && (err == nil || !strings.Contains(err.Error(), "probe.python")) {
			t.Errorf("%s on a device: %v, want to be told what to set", name, err)
		}
	}
}

func TestKernels(t *testing.T) {
	for _, k := range kernels() {
		if wrong := check(newProduct(k.width64, k.tile64)); wrong != 0 {
			t.Errorf("%s: %d wrong rows of float64", k.name, wrong)
		}
		if wrong := check(newProduct(k.width32, k.tile32)); wrong != 0 {
			t.Errorf("%s: %d wrong rows of float32", k.name, wrong)
		}
		xs := make([]float64, 3*k.block)
		for i := range xs {
			xs[i] = float64(i)
		}
		k.line(&xs[0], 3, 5, .25, 3)
		for i, got := range xs {
			want := float64(i)
			for range 5 {
				want = math.FMA(want, .25, 3)
			}
			if got != want {
				t.Fatalf("%s: line[%d] = %v, want %v", k.name, i, got, want)
			}
		}
	}
}

func check[T float32 | float64](p *product[T]) int64 {
	p.multiply()
	return p.wrong()
}

// A wrong answer is counted: the checks can fail.
func TestChecksFail(t *testing.T) {
	p := newProduct(portable.width64, portable.tile64)
	p.multiply()
	p.c[5*matmulSide+7]++
	if p.wrong() != 1 {
		t.Error("a wrong product is not seen")
	}
	c := newChase(64 << 10)
	c.walk(3)
	c.steps--
	if c.wrong() != 1 {
		t.Error("a wrong walk is not seen")
	}
	x := chain{}
	x.walk(1)
	x.x++
	if x.wrong() != 1 {
		t.Error("a wrong chain is not seen")
	}
	block := make([]byte, largeBlock)
	stamp(block, 1<<20)
	if unlike(block, 1<<20) != 0 || unlike(block, 2<<20) != largeBlock/smallBlock {
		t.Error("a block from elsewhere is not seen")
	}
	triples := newTriple(4096)
	for _, k := range streams {
		k.kernel(triples.a, triples.b, triples.c)
		if n := triples.wrong(k.wrong); n != 0 {
			t.Errorf("%s: %d wrong", k.name, n)
		}
	}
	triples.a[509]++
	if triples.wrong(streams[3].wrong) != 1 {
		t.Error("a wrong triad is not seen")
	}
}

func TestDiskSaysWhatToDo(t *testing.T) {
	f := func(m plan.Micro, dir, want string) {
		t.Helper()
		m.Probe, m.Duration, m.Replicates = "disk", unit.Duration(time.Millisecond), 3
		err := Measure(t.Context(), Setting{Micro: m, Dir: dir, Trial: func(record.Trial) {}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	f(plan.Micro{FileSize: 1 << 60}, t.TempDir(), "a smaller file (probe.fileSize)")
	f(plan.Micro{FileSize: 100}, t.TempDir(), "want at least")
	f(plan.Micro{FileSize: 1 << 20}, "/no/such/folder", "--dir")
}

// What a probe puts on disk is gone afterwards, also when it was interrupted.
func TestNothingStays(t *testing.T) {
	for _, name := range []string{"disk", "dataloader"} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		err := Measure(ctx, Setting{
			Micro: plan.Micro{Probe: name, FileSize: 1 << 20, Replicates: 3, Duration: unit.Duration(time.Millisecond)}, Dir: dir, limit: 1 << 20,
			Trial: func(record.Trial) { cancel() },
		})
		if err == nil {
			t.Errorf("%s: an interrupted probe ended well", name)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
}
