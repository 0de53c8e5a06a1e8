package hostile

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"assay/analysis/scene"
	"assay/tests/program"
)

// mostMemory is what no file may make the program take. The program itself takes some
// 60 MB to begin with.
const mostMemory = 200 << 20

// A thing is what may lie where a file is wanted.
type thing struct {
	name string
	put  func(t *testing.T, path string)
}

// things lists what is refused by what it is, whoever wants to read it.
var things = []thing{
	{"nothing", func(*testing.T, string) {}},
	{"pipe", func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o644)) }},
	{"device", func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) }},
	{"folder", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }},
	{"link to itself", func(t *testing.T, path string) { must(t, os.Symlink(path, path)) }},
	{"empty file", func(t *testing.T, path string) { writeText(t, path, "") }},
	{"garbage", func(t *testing.T, path string) {
		writeText(t, path, "\x7fELF\x00\xff\xfe"+strings.Repeat("\x01\x92", 500))
	}},
	{"1 GiB of holes", func(t *testing.T, path string) {
		writeText(t, path, "")
		must(t, os.Truncate(path, 1<<30))
	}},
	{"deep nesting", func(t *testing.T, path string) { writeText(t, path, strings.Repeat("[", 900_000)) }},
	{"deep object", func(t *testing.T, path string) { writeText(t, path, strings.Repeat(`{"a":`, 150_000)) }},
	{"alias bomb", func(t *testing.T, path string) { writeText(t, path, aliases()) }},
	{"gzip bomb", func(t *testing.T, path string) { must(t, os.Link(gzipBomb(t), path)) }},
}

// aliases is a YAML document that unfolds to a billion values.
func aliases() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		last, next := string(rune('0'+i)), string(rune('1'+i))
		text += "a" + next + ": &a" + next + " [" + strings.TrimSuffix(strings.Repeat("*a"+last+", ", 10), ", ") + "]\n"
	}
	return text
}

var packedBomb struct {
	sync.Once
	path string
}

// gzipBomb is a packed trace of 256 MB that has less than one on disk.
func gzipBomb(t *testing.T) string {
	t.Helper()
	packedBomb.Do(func() {
		f, err := os.CreateTemp(filepath.Dir(program.Path(t)), "bomb-*.gz")
		must(t, err)
		defer f.Close()
		w := gzip.NewWriter(f)
		_, err = io.WriteString(w, `{"traceEvents":[`)
		must(t, err)
		some := strings.Repeat(`{"ph":"X","cat":"cpu_op","name":"k","ts":1,"dur":1},`, 20_000)
		for range 256 {
			_, err = io.WriteString(w, some)
			must(t, err)
		}
		must(t, w.Close())
		packedBomb.path = f.Name()
	})
	return packedBomb.path
}

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

const policy = `{apiVersion: assay.dev/v1alpha1, kind: GatePolicy, metadata: {name: t}, spec: {metrics: [{metric: ttft, statistic: p50, margin: 0.1}]}}`

// aBundle builds a sealed bundle of its own.
func aBundle(t *testing.T, id string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), id)
	_, err := scene.Run{Dir: dir, ID: id, Document: document, Launches: scene.Launches([]float64{1, 1.01, .99})}.Build(t.Context())
	must(t, err)
	return dir
}

// refused demands that a call ended by itself, in one of the ways that are promised,
// named what it did not like, and took little memory.
func refused(t *testing.T, r program.Result, code int, names string) {
	t.Helper()
	text := r.Text()
	switch {
	case r.TimedOut:
		t.Error("did not end")
	case strings.Contains(text, "panic:") || strings.Contains(text, "goroutine "):
		t.Errorf("crashed:\n%.2000s", text)
	case r.Code != code:
		t.Errorf("exit code %d, want %d:\n%.1000s", r.Code, code, text)
	case !strings.Contains(text, names):
		t.Errorf("does not name %s:\n%.1000s", names, text)
	case r.PeakBytes > mostMemory:
		t.Errorf("took %d MB, want at most %d", r.PeakBytes>>20, mostMemory>>20)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}
