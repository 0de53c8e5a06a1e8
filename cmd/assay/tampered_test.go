package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/judge"
	"assay/plan"
	"assay/tests/forger"
	"assay/tests/whole"
)

// A tampering is one way to change a sealed bundle.
type tampering struct {
	name string
	file string // the file that must be named; empty where it may be another
	do   func(t *testing.T, dir string)
}

// TestTampered shows hundreds of changed bundles to every verb that reads bundles.
// Those that conclude refuse, those that show say NOT VERIFIED first, and nobody says
// who signed.
func TestTampered(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	parent := t.TempDir()
	signer, err := bundle.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	honest := sealedScene(t, filepath.Join(parent, "honest"), signer, 1)
	other := sealedScene(t, filepath.Join(parent, "other"), signer, 1.2)
	policy := filepath.Join(parent, "policy.yaml")
	if err := os.WriteFile(policy, []byte("{apiVersion: assay.dev/v1alpha1, kind: GatePolicy, metadata: {name: p}, spec: {grade: exploratory, metrics: [{metric: ttft.v2, statistic: p50, margin: 0.5}]}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, story, code := call(t, "verify", honest); code != exitOK {
		t.Fatalf("the honest bundle: exit %d\n%s%s", code, out, story)
	}
	list := tamperings(t, honest, other)
	if len(list) < 500 {
		t.Errorf("%d changed bundles, want at least 500", len(list))
	}
	for i, one := range list {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "b")
			if err := os.CopyFS(dir, os.DirFS(honest)); err != nil {
				t.Fatal(err)
			}
			one.do(t, dir)
			pair := []string{honest, dir}
			if i%2 == 1 {
				slices.Reverse(pair)
			}
			one.refused(t, dir, i, pair, policy)
			if i%whole.Stride(3) == 0 { // they judge what is there, which takes longest
				one.shown(t, dir, i)
			}
		})
	}
}

// asked are the commands that the i-th bundle is given to: all of them with make
// exhaustive, otherwise one by the dice, so that each command sees some dozen.
func asked(i int, commands [][]string) [][]string {
	if whole.Exhaustive() {
		return commands
	}
	one := rand.New(rand.NewPCG(uint64(i), uint64(len(commands)))).IntN(len(commands))
	return commands[one : one+1]
}

// refused calls the verbs that conclude something.
func (one tampering) refused(t *testing.T, dir string, i int, pair []string, policy string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range asked(i, [][]string{
		{"verify", dir},
		{"claim", dir},
		{"compare", pair[0], pair[1]},
		{"gate", pair[0], pair[1], "--policy", policy},
		{"export", "genai-bench", dir, "-o", out},
		{"diagnose", dir},
		{"fleet", dir, "--load", "1"},
		{"scale", "1=" + pair[0], "2=" + pair[1], "--kind", "strong", "--baseline", "one_worker"},
	}) {
		got, story, code := call(t, args...)
		if code != exitUnverified {
			t.Errorf("%s: exit %d, want %d\n%s%s", strings.Join(args[:1], " "), code, exitUnverified, got, story)
		}
		if one.file != "" && !strings.Contains(got+story, one.file) {
			t.Errorf("%s does not name %s:\n%s%s", args[0], one.file, got, story)
		}
		if args[0] != "verify" && got != "" {
			t.Errorf("%s answers, although the bundle is not what was sealed:\n%s", args[0], got)
		}
	}
}

// shown calls the verbs that show a bundle. Reports come in one format after the
// other.
func (one tampering) shown(t *testing.T, dir string, i int) {
	t.Helper()
	format := formats()[i%len(formats())].Name
	for _, args := range asked(i, [][]string{
		{"report", dir, "--format", format}, {"lint", dir}, {"plot", dir, "--preset", "timeline", "-o", filepath.Join(t.TempDir(), "plots")},
	}) {
		got, story, code := call(t, args...)
		if code == exitOK {
			t.Errorf("%s ends with 0:\n%s%s", args, got, story)
		}
		first, _, _ := strings.Cut(got, "\n")
		text := args[0] != "report" || slices.Contains([]string{"text", "md", "csv"}, format)
		if text && got != "" && !strings.Contains(first, judge.NotVerified) {
			t.Errorf("%s begins with %q, want %s", args, first, judge.NotVerified)
		}
		if got != "" && format != "xlsx" && !strings.Contains(got, judge.NotVerified) && !strings.Contains(got, `"notVerified"`) {
			t.Errorf("%s does not say %s:\n%s", args, judge.NotVerified, got)
		}
		if strings.Contains(got, "signed by") {
			t.Errorf("%s says who signed:\n%s", args, got)
		}
	}
}

// sealedScene builds a small signed bundle with everything that a run derives.
func sealedScene(t *testing.T, dir string, signer bundle.Signer, slow float64) string {
	t.Helper()
	launches := scene.Launches([]float64{slow, 1.01 * slow, .99 * slow})
	for i := range launches {
		launches[i].Requests = 6
	}
	_, err := scene.Run{
		Dir: dir, ID: filepath.Base(dir), Launches: launches, Signer: signer,
		Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`,
		Keep: func(w *bundle.Writer, p plan.Plan) error {
			b, err := bundle.Open(dir)
			if err != nil {
				return err
			}
			j, err := judge.Derive(b, p, version())
			if err != nil {
				return err
			}
			return j.Keep(w, version())
		},
	}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tamperings lists changes of every file of the bundle, and of the whole.
func tamperings(t *testing.T, honest, other string) (list []tampering) {
	t.Helper()
	for _, file := range filesOf(t, honest) {
		list = append(list, edits(file)...)
	}
	for _, pair := range [][2]string{{"raw/launch-00", "raw/launch-01"}, {"raw/launch-01", "raw/launch-02"}, {"raw/launch-00", "raw/launch-02"}} {
		list = append(list, tampering{"swap " + pair[0] + " and " + pair[1], pair[0], func(t *testing.T, dir string) {
			a, b, away := filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), filepath.Join(dir, "away")
			noError(t, os.Rename(a, away))
			noError(t, os.Rename(b, a))
			noError(t, os.Rename(away, b))
		}}, tampering{"delete " + pair[0], pair[0], func(t *testing.T, dir string) { noError(t, os.RemoveAll(filepath.Join(dir, pair[0]))) }},
			tampering{"transplant " + pair[0], pair[0], func(t *testing.T, dir string) {
				noError(t, os.RemoveAll(filepath.Join(dir, pair[0])))
				noError(t, os.CopyFS(filepath.Join(dir, pair[0]), os.DirFS(filepath.Join(other, pair[0]))))
			}})
	}
	for _, file := range []string{bundle.ManifestFile, bundle.AttestationFile, bundle.LedgerFile, bundle.PlanFile, bundle.SpecFile} {
		list = append(list, tampering{"the other bundle's " + file, "", func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(other, file))
			noError(t, err)
			same, err := os.ReadFile(filepath.Join(dir, file))
			noError(t, err)
			if bytes.Equal(data, same) {
				data = append(data, ' ')
			}
			noError(t, os.WriteFile(filepath.Join(dir, file), data, 0o644))
		}})
	}
	for _, file := range []string{"raw/launch-00/more.parquet", "raw/launch-03/requests-00000.parquet", "notes.txt", "raw/x.json"} {
		list = append(list, tampering{"add " + file, file, func(t *testing.T, dir string) {
			noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
			noError(t, os.WriteFile(filepath.Join(dir, file), []byte("{}"), 0o644))
		}})
	}
	return append(list, forgeries()...)
}

// edits lists changes of one file. Flips are at places of a seeded choice.
func edits(file string) (list []tampering) {
	rng := rand.New(rand.NewPCG(uint64(len(file)), 20261116))
	edit := func(name string, change func(data []byte) []byte) {
		named := file
		if file == bundle.ManifestFile {
			named = "" // what cannot be believed cannot name itself as listed
		}
		list = append(list, tampering{name + " " + file, named, func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(file))
			data, err := os.ReadFile(path)
			noError(t, err)
			noError(t, os.WriteFile(path, change(slices.Clone(data)), 0o644))
		}})
	}
	for i := range 16 {
		where, bit := rng.Float64(), byte(1)<<rng.IntN(8)
		edit(fmt.Sprintf("flip %d of", i), func(data []byte) []byte {
			data[int(where*float64(len(data)))] ^= bit
			return data
		})
	}
	edit("append to", func(data []byte) []byte { return append(data, '\n') })
	edit("cut", func(data []byte) []byte { return data[:len(data)-1] })
	edit("halve", func(data []byte) []byte { return data[:len(data)/2] })
	edit("empty", func([]byte) []byte { return nil })
	edit("mark the order of bytes of", func(data []byte) []byte { return append([]byte("\ufeff"), data...) })
	edit("reverse", func(data []byte) []byte { slices.Reverse(data); return data })
	if file != bundle.ManifestFile { // a folder without one is no bundle
		list = append(list, tampering{"delete " + file, file, func(t *testing.T, dir string) { noError(t, os.Remove(filepath.Join(dir, file))) }})
	}
	return append(list, tampering{"link " + file, "", func(t *testing.T, dir string) {
		path := filepath.Join(dir, filepath.FromSlash(file))
		away := filepath.Join(t.TempDir(), "elsewhere")
		noError(t, os.Rename(path, away))
		noError(t, os.Symlink(away, path))
	}})
}

// forgeries rewrite the manifest as someone who knows the format would, with every
// digest in it right: then the signature is what is left.
func forgeries() (list []tampering) {
	forge := func(name string, change func(m forger.Manifest)) {
		list = append(list, tampering{"forge " + name, "", func(t *testing.T, dir string) { forger.Reseal(t, dir, change) }})
	}
	forge("status", func(m forger.Manifest) { m["status"] = "partial" })
	forge("no launches", func(m forger.Manifest) { m["launches"] = []any{} })
	forge("one launch fewer", func(m forger.Manifest) { m["launches"] = m["launches"].([]any)[:2] })
	forge("no files", func(m forger.Manifest) { m["files"] = []any{} })
	forge("another run id", func(m forger.Manifest) { m["runID"] = "better" })
	forge("no derived files", func(m forger.Manifest) {
		m["files"] = slices.DeleteFunc(m["files"].([]any), func(f any) bool { return strings.HasPrefix(f.(map[string]any)["path"].(string), "derived/") })
	})
	return append(list, tampering{"forge figures", "", func(t *testing.T, dir string) {
		forger.Edit(t, dir, "derived/"+version()+"/estimates.json", func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("0.02"), []byte("0.01")) })
		forger.Reseal(t, dir, func(forger.Manifest) {})
	}})
}

func filesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	noError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	}))
	return list
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
