package foreign

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
)

const warmedUp = "testdata/genai-bench/warmup-ms"

// The rows that the ratios in the command keep are the measured ones, those before
// and after them are marked, and rates that the cut spoils carry the true ones.
func TestGenAICut(t *testing.T) {
	m, err := readGenAIBench([]string{warmedUp})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(m.Source.Notes, "\n"); !strings.Contains(notes, "rest on rows 5 to 21 of 27") || strings.Contains(notes, "not stored") {
		t.Errorf("the cut is not explained in\n%s", notes)
	}
	if m.unknown(bundle.GapWarmup) {
		t.Error("the rows of the warm-up are known, and the import says that they are not")
	}
	at := m.Launches[0].Points[0]
	phases, sum := map[record.Phase]int{}, 0.0
	for i, r := range at.Requests {
		phases[r.Phase]++
		if r.Phase == record.Measure {
			sum += float64(r.Done) / 1e9
		}
		if want := map[bool]record.Phase{true: record.Warmup, false: record.Cooldown}[i < 5]; (i < 5 || i > 21) && r.Phase != want {
			t.Errorf("row %d is of phase %s, want %s", i, r.Phase, want)
		}
		if r.Done < 50e6 || r.Done > 2e9 {
			t.Errorf("an answer took %v ns, want milliseconds made nanoseconds", r.Done)
		}
	}
	if phases[record.Warmup] != 5 || phases[record.Measure] != 17 || phases[record.Cooldown] != 5 {
		t.Errorf("phases %v, want 5, 17 and 5 rows", phases)
	}
	for _, f := range at.Reported {
		if wrong := strings.HasPrefix(f.Name, "mean_"); (f.Wrong != "") != wrong {
			t.Errorf("%+v: called wrong %v, want %v", f, f.Wrong != "", wrong)
		}
		switch {
		case f.Name == "mean_output_throughput_tokens_per_s" && !strings.Contains(f.Wrong, "its rows give 183.114"):
			t.Errorf("the true rate is not named: %+v", f)
		case f.Name == "e2e_latency" && f.Statistic == "mean" && math.Abs(f.Value-sum/17) > 1e-9:
			t.Errorf("the measured rows have a mean of %v s, genai-bench stores %v", sum/17, f.Value)
		}
	}
}

// Ratios that do not reproduce the stored statistics cut nothing.
func TestGenAICutDoesNotMatch(t *testing.T) {
	for _, tt := range []struct{ name, from, to, note string }{
		{"other ratios", "--warmup-ratio 0.2", "--warmup-ratio 0.1", "do not give its"},
		{"no ratios", "--warmup-ratio 0.2 --cooldown-ratio 0.2 ", "", "names no ratio"},
		{"no number", "--warmup-ratio 0.2 --cooldown-ratio 0.2", "--warmup-ratio NaN --cooldown-ratio 1e308", "names no ratio"},
		{"more than all", "--warmup-ratio 0.2 --cooldown-ratio 0.2", "--warmup-ratio 0.9 --cooldown-ratio 0.9", "names no ratio"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(warmedUp)); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(dir, genaiMetadataFile), func(doc map[string]any) {
				doc["cmd"] = strings.Replace(doc["cmd"].(string), tt.from, tt.to, 1)
			})
			m, err := readGenAIBench([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(m.Source.Notes, "\n"); !strings.Contains(notes, tt.note) || !m.unknown(bundle.GapWarmup) {
				t.Errorf("want %q and a gap of warm-up in\n%s", tt.note, notes)
			}
			for _, r := range m.Launches[0].Points[0].Requests {
				if r.Phase != record.Measure {
					t.Fatalf("row %d is of phase %s: all rows are taken when the cut does not match", r.ID, r.Phase)
				}
			}
		})
	}
}

// One run whose statistics are not those of its rows keeps all of them, and the
// others theirs.
func TestGenAICutOfOneRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(warmedUp)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(dir, "D16_20_text-to-text_num_concurrency_4_time_2s.json"), func(doc map[string]any) {
		stats := doc["aggregated_metrics"].(map[string]any)["stats"].(map[string]any)["ttft"].(map[string]any)
		stats["mean"] = stats["mean"].(float64) * (1 + 1e-9)
	})
	m, err := readGenAIBench([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(m.Source.Notes, "\n"); !strings.Contains(notes, "do not give its mean of ttft") || !m.unknown(bundle.GapWarmup) {
		t.Errorf("want the statistic that differs and a gap of warm-up in\n%s", notes)
	}
	if a, b := m.Launches[0].Points[0].Requests[0].Phase, m.Launches[0].Points[1].Requests[0].Phase; a != record.Warmup || b != record.Measure {
		t.Errorf("the first rows are of phase %s and %s, want warmup and measure", a, b)
	}
}

// An exported aggregate has statistics and rates of the same rows.
func TestGenAIExportOfACut(t *testing.T) {
	m, err := readGenAIBench([]string{warmedUp})
	if err != nil {
		t.Fatal(err)
	}
	b, p := write(t, m)
	dir := filepath.Join(t.TempDir(), "exported")
	if err := ExportGenAIBench(b, p, 0, dir); err != nil {
		t.Fatal(err)
	}
	e, err := readGenaiExperiment(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.runs {
		good, _, kept := r.count()
		if kept != good || good != len(r.Rows) {
			t.Errorf("%s: statistics of %d rows beside rates of %d", r.file, kept, good)
		}
		stats := r.Aggregate.Stats["num_output_tokens"]
		if rate := *stats["sum"] / r.Aggregate.Seconds; !alike(rate, *r.Aggregate.OutputRate, rounding) {
			t.Errorf("%s: %v output tokens in %v s are stored as %v tok/s", r.file, *stats["sum"], r.Aggregate.Seconds, *r.Aggregate.OutputRate)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, genaiMetadataFile))
	if err != nil {
		t.Fatal(err)
	}
	var meta exportedMetadata
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(meta.Command, "-ratio") || !strings.Contains(meta.Command, "--metrics-time-unit") {
		t.Errorf("the command still cuts rows, or lost more: %s", meta.Command)
	}
}
