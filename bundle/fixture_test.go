package bundle

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"assay/record"
)

var (
	specText = []byte("kind: BenchmarkRun\nmetadata: {name: small}\n")
	planText = []byte(`{"points":[{"rate":2}],"seed":"7"}`)
)

func header() Header {
	return Header{
		RunID: "run-1", Spec: specText, Plan: planText, WorkloadDigest: digest([]byte("workload")),
		Tool: Tool{Name: "assay", Version: "0.0.0-test", GoVersion: "go1.26"},
	}
}

func create(t *testing.T, h Header) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "bundle"), h)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func startLaunch(t *testing.T, w *Writer, index int) *Launch {
	t.Helper()
	l, err := w.StartLaunch(LaunchStart{Index: index, Order: index, Side: "a", Clock: record.ClockID, EpochNS: 1 << 60, Nodes: []string{"node-1"}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill returns n rows whose every field is random; pointers are nil half of the
// time. The same seed gives the same rows.
func fill[T any](n int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows := make([]T, n)
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for _, field := range v.Fields() {
			if field.Kind() == reflect.Pointer {
				if rng.IntN(2) == 0 {
					continue
				}
				field.Set(reflect.New(field.Type().Elem()))
				field = field.Elem()
			}
			setRandom(field, rng)
		}
	}
	return rows
}

func setRandom(v reflect.Value, rng *rand.Rand) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", rng.IntN(20)))
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat(rng.NormFloat64())
	case reflect.Int32:
		v.SetInt(int64(int32(rng.Uint32())))
	case reflect.Int64:
		v.SetInt(int64(rng.Uint64()))
	default:
		panic("no random value for " + v.Kind().String())
	}
}

// appendAll gives every table of l n rows.
func appendAll(t *testing.T, l *Launch, n int, seed uint64) {
	t.Helper()
	check(t, l.Requests.Append(fill[record.Request](n, seed)...))
	check(t, l.Chunks.Append(fill[record.Chunk](n, seed)...))
	check(t, l.Steps.Append(fill[record.Step](n, seed)...))
	check(t, l.Collectives.Append(fill[record.Collective](n, seed)...))
	check(t, l.Sessions.Append(fill[record.SessionStep](n, seed)...))
	check(t, l.Samples.Append(fill[record.Sample](n, seed)...))
	check(t, l.Events.Append(fill[record.Event](n, seed)...))
}

// sealed makes a complete bundle with everything in it. A nil signer leaves it
// unsigned.
func sealed(t *testing.T, rows int, signer Signer) string {
	t.Helper()
	w := create(t, header())
	env := record.Environment{}
	env.Set("cpu.model", "test")
	env.Set("join.run_id", "run-1")
	check(t, w.SetEnvironment(env))
	check(t, w.SetInputs(Inputs{
		Images: map[string]string{"engine:1": digest([]byte("image"))},
		Model:  &Input{Name: "model", Digest: digest([]byte("model"))},
		Seeds:  map[string]string{"arrival": "18446744073709551615"},
	}))
	check(t, w.SetHealth(map[string]any{"lagP99Ns": 1000}))
	check(t, w.SetClocks([]Clock{{ID: record.ClockID, Source: "tsc"}}))
	l := startLaunch(t, w, 0)
	appendAll(t, l, rows, 1)
	log, err := l.Log("server.log")
	check(t, err)
	fmt.Fprintln(log, "ready")
	check(t, l.Attach("metrics.txt", []byte("up 1\n")))
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	check(t, w.WriteDerived("v1", "estimates.json", []byte(`{"ttft":{"value":0.1}}`)))
	check(t, w.WriteReport("report.md", []byte("# Report\n")))
	_, err = w.Seal(context.Background(), Completed, SealOptions{Signer: signer, Results: []byte(`{"ttft":0.1}`), Claims: []byte(`{"claims":["fast"]}`), Checks: []string{"generator-lag"}})
	check(t, err)
	return w.Dir()
}

func newKey(t *testing.T) KeySigner {
	t.Helper()
	key, err := GenerateKey()
	check(t, err)
	return key
}

func verify(t *testing.T, dir string, keys ...PublicKey) Report {
	t.Helper()
	r, err := Verify(dir, keys...)
	check(t, err)
	return r
}

func collect[T any](t *testing.T, rows iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for row, err := range rows {
		check(t, err)
		all = append(all, row)
	}
	return all
}

// allFiles lists the files under dir by their path in the bundle.
func allFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, relErr := filepath.Rel(dir, path)
			files, err = append(files, filepath.ToSlash(rel)), relErr
		}
		return err
	})
	check(t, err)
	return files
}

func copyBundle(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	check(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	check(t, err)
	return data
}
