package hostile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/tests/program"
	"assay/tests/whole"
)

// A fileReader is a way of making the program read a file: its arguments, in which
// FILE stands for it and BUNDLE for a bundle that is as it should be.
type fileReader struct {
	args string
	name string   // of the file, whose extension some go by
	fine []string // things that it may read, or take for another kind of answer
}

var fileReaders = []fileReader{
	{args: "validate FILE", name: "spec.yaml"},
	{args: "plan FILE", name: "spec.yaml"},
	{args: "run FILE", name: "spec.yaml"},
	{args: "gate BUNDLE BUNDLE --policy FILE", name: "policy.yaml"},
	{args: "gate BUNDLE OTHER --policy POLICY --accuracy FILE", name: "accuracy.json"},
	{args: "lint BUNDLE --policy FILE", name: "policy.yaml"},
	{args: "lint BUNDLE --statements FILE", name: "statements.yaml", fine: []string{"empty file"}},
	{args: "lint BUNDLE --history FILE", name: "history.jsonl"},
	{args: "verify BUNDLE --key FILE", name: "key.pub"},
	{args: "recover BUNDLE --key FILE", name: "key"},
	{args: "plot BUNDLE --layout FILE", name: "layout.json"},
	{args: "trace FILE", name: "trace.json"},
	{args: "mllog FOLDER", name: "result_0.txt", fine: []string{"nothing"}},
	{args: "scale FILE", name: "study.csv"},
	{args: "scale FILE", name: "study.json"},
	{args: "import FILE", name: "result.json"},
	{args: "import vllm FILE", name: "result.json"},
	{args: "import guidellm FILE", name: "result.json"},
	{args: "bench --url http://127.0.0.1:1 --model m --dataset-path FILE", name: "set.jsonl"},
	{args: "bench --url http://127.0.0.1:1 --model m --dataset-path FILE", name: "set.csv"},
	{args: "bench --url http://127.0.0.1:1 --model m --dataset-config FILE", name: "config.json"},
}

// Whatever lies where a file is wanted, every verb refuses it in the same way: at
// once, with exit code 2, by name, and without filling the memory.
func TestFiles(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	bundle, other := aBundle(t, "fine"), aBundle(t, "other")
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	writeText(t, rules, policy)
	for _, reader := range fileReaders {
		t.Run(reader.args+" "+filepath.Ext(reader.name), func(t *testing.T) {
			t.Parallel()
			for _, thing := range things {
				if slices.Contains(reader.fine, thing.name) {
					continue
				}
				t.Run(thing.name, func(t *testing.T) {
					path := filepath.Join(t.TempDir(), reader.name)
					thing.put(t, path)
					r := program.Run(t, "", reader.arguments(path, bundle, other, rules)...)
					names := reader.name
					if strings.Contains(reader.args, "FOLDER") {
						names = filepath.Dir(path)
					}
					refused(t, r, 2, names)
				})
			}
		})
	}
}

func (r fileReader) arguments(path, bundle, other, rules string) []string {
	args := strings.Fields(r.args)
	for i, arg := range args {
		switch arg {
		case "FILE":
			args[i] = path
		case "FOLDER":
			args[i] = filepath.Dir(path)
		case "BUNDLE":
			args[i] = bundle
		case "OTHER":
			args[i] = other
		case "POLICY":
			args[i] = rules
		}
	}
	return args
}

// bundleReaders are the verbs that show or judge a bundle.
var bundleReaders = []string{
	"verify BUNDLE", "report BUNDLE", "lint BUNDLE", "claim BUNDLE", "diagnose BUNDLE", "plot BUNDLE -o OUT",
	"compare BUNDLE OTHER", "gate BUNDLE OTHER --policy POLICY", "export genai-bench BUNDLE -o OUT", "fleet BUNDLE --load 1",
}

// A file of a bundle is the bundle's own: a pipe, a device or a link in its place is
// a bundle that does not verify, for every verb, and nobody waits for the pipe.
func TestFilesOfBundles(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	other := aBundle(t, "other")
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	writeText(t, rules, policy)
	for _, file := range []string{"manifest.json", "attestation.intoto.jsonl", "spec.yaml", "plan.json", "launches.jsonl", "raw/launch-00/requests-00000.parquet"} {
		for _, thing := range things[1:8] { // from the pipe to the holes
			t.Run(file+" "+thing.name, func(t *testing.T) {
				t.Parallel()
				dir := aBundle(t, "changed")
				path := filepath.Join(dir, filepath.FromSlash(file))
				os.Remove(path) // an attestation is not there
				thing.put(t, path)
				for _, verb := range bundleReaders[:3] {
					refused(t, callOn(t, verb, dir, other, rules), 4, filepath.Base(file))
				}
			})
		}
	}
	t.Run("link to the same content", func(t *testing.T) {
		t.Parallel()
		dir := aBundle(t, "linked")
		path := filepath.Join(dir, "manifest.json")
		away := filepath.Join(t.TempDir(), "manifest.json")
		must(t, os.Rename(path, away))
		must(t, os.Symlink(away, path))
		for _, verb := range bundleReaders {
			refused(t, callOn(t, verb, dir, other, rules), 4, "symbolic link")
		}
	})
}

func callOn(t *testing.T, verb, dir, other, rules string) program.Result {
	t.Helper()
	args := strings.Fields(verb)
	for i, arg := range args {
		switch arg {
		case "BUNDLE":
			args[i] = dir
		case "OTHER":
			args[i] = other
		case "POLICY":
			args[i] = rules
		case "OUT":
			args[i] = filepath.Join(t.TempDir(), "out")
		}
	}
	return program.Run(t, "", args...)
}

// A table of a few kilobytes that unpacks to millions of rows, all in one page of each
// column, fills nobody's memory.
func TestFilesParquetBomb(t *testing.T) {
	t.Parallel()
	other := aBundle(t, "other")
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	writeText(t, rules, policy)
	dir := aBundle(t, "bomb")
	type row struct {
		ID   int64  `parquet:"id,dict"`
		Text string `parquet:"error,dict"`
		Sent int64  `parquet:"sent_ns,dict"`
	}
	f, err := os.Create(filepath.Join(dir, "raw", "launch-00", "requests-00000.parquet"))
	must(t, err)
	out := parquet.NewGenericWriter[row](f, parquet.PageBufferSize(1<<30), parquet.Compression(&parquet.Zstd))
	rows := make([]row, 100_000)
	for range 40 {
		_, err := out.Write(rows)
		must(t, err)
	}
	must(t, out.Close())
	info, err := f.Stat()
	must(t, err)
	must(t, f.Close())
	if info.Size() > 1<<20 {
		t.Fatalf("the bomb has %d bytes, want less than a megabyte", info.Size())
	}
	for _, verb := range bundleReaders {
		t.Run(verb, func(t *testing.T) {
			r := callOn(t, verb, dir, other, rules)
			if r.Code == 0 || r.TimedOut || r.PeakBytes > mostMemory || strings.Contains(r.Text(), "goroutine ") {
				t.Errorf("exit code %d after %d MB:\n%.1000s", r.Code, r.PeakBytes>>20, r.Text())
			}
		})
	}
}

// Numbers with some digits too many are refused when they are read, by field.
func TestFilesAbsurdNumbers(t *testing.T) {
	t.Parallel()
	f := func(patch, field string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "spec.yaml")
		writeText(t, path, strings.Replace(document, "workload: {model: m}", patch, 1))
		for _, verb := range []string{"validate", "plan", "run"} {
			refused(t, program.Run(t, "", verb, path), 2, field)
		}
	}
	mix := func(in, out string) string {
		return "workload: {model: m, sequenceLengthMix: [{inputTokens: " + in + ", outputTokens: " + out + ", weight: 1}]}"
	}
	f(mix("9000000000000", "1"), "inputTokens")
	f(mix("1", "1e30"), "outputTokens")
	f(mix(".nan", "1"), "inputTokens")
	f("workload: {model: m, prompt: {scenario: \"D(9000000000,1)\"}}", "scenario")
	f("workload: {model: m, prompt: {prefixTokens: 90000000000}}", "prefixTokens")
	f("workload: {model: m}, seed: 99999999999999999999", "seed")
	f("workload: {model: m}, cost: {gpuHourlyUSD: .inf}", "gpuHourlyUSD")
	many := strings.TrimSuffix(strings.Repeat("1, ", 8999), ", ")
	path := filepath.Join(t.TempDir(), "points.yaml")
	writeText(t, path, strings.Replace(document, "concurrency: [2]", "concurrency: ["+many+"]", 1))
	refused(t, program.Run(t, "", "plan", path), 2, "at most 1000 points")
}
