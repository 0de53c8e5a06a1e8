package spec

import (
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"

	"assay/tests/whole"
)

// schedulerPaths stand for free text: none, one, both and neither of the names
// that need a source.
var schedulerPaths = []string{"local", "kueue", "slinky", "slinky-kueue-topology-aware"}

// combinations yields every combination of the renderer's choices.
func combinations(yield func(map[string]string) bool) {
	axes := []struct {
		name   string
		values []string
	}{
		{"benchmarkClass", Vocabularies["classes"]}, {"workloadType", Vocabularies["workloadTypes"]},
		{"cadence", Vocabularies["cadences"]}, {"comparisonVariable", Vocabularies["variables"]},
		{"schedulerPath", schedulerPaths}, {"precision", Vocabularies["precisions"]},
		{"batchingPolicy", Vocabularies["batchingPolicies"]}, {"concurrencyModel", Vocabularies["concurrencyModels"]},
	}
	total := 1
	for _, axis := range axes {
		total *= len(axis.values)
	}
	for i := range total {
		fields := map[string]string{}
		for _, axis := range axes {
			fields[axis.name] = axis.values[i%len(axis.values)]
			i /= len(axis.values)
		}
		if !yield(fields) {
			return
		}
	}
}

// No combination of choices renders an invalid document. Each is judged as the
// typed document; TestRenderedText reads a sample back from its text. All 44,352 take
// a minute (make exhaustive); otherwise one in 29 is judged.
func TestRenderEveryCombination(t *testing.T) {
	work := make(chan map[string]string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() { // ends when work is closed
			for fields := range work {
				values, err := renderValues(fields)
				if err != nil {
					t.Errorf("%v: %v", fields, err)
					continue
				}
				if faults := Check(renderRun(values)); !Valid(faults) {
					t.Errorf("%v is not valid:%s", fields, lines(faults))
				}
			}
		})
	}
	n := 0
	for fields := range combinations {
		if n%whole.Stride(29) == 0 {
			work <- fields
		}
		n++
	}
	close(work)
	wg.Wait()
	if want := 2 * 3 * 3 * 7 * len(schedulerPaths) * 11 * 4 * 2; n != want {
		t.Errorf("met %d combinations, want %d", n, want)
	}
}

// The text of a rendered document reads back as valid, for every class, type,
// cadence and scheduler path.
func TestRenderedText(t *testing.T) {
	seen := map[string]bool{}
	for fields := range combinations {
		key := fields["benchmarkClass"] + fields["workloadType"] + fields["cadence"] + fields["schedulerPath"]
		if seen[key] {
			continue
		}
		seen[key] = true
		r, err := Render(maps.Clone(fields)) // Render refuses an invalid text
		if err != nil {
			t.Errorf("%v: %v", fields, err)
		}
		if !strings.HasPrefix(r.RenderedYAML, "# yaml-language-server: $schema=") {
			t.Errorf("%v: no modeline:\n%.100s", fields, r.RenderedYAML)
		}
		if fields["workloadType"] != Mixed {
			if _, err := RenderWorkload(fields); err != nil {
				t.Errorf("workload spec of %v: %v", fields, err)
			}
		}
		if fields["benchmarkClass"] == RealismGrade {
			if _, err := RenderMinimal(fields); err != nil {
				t.Errorf("minimal run of %v: %v", fields, err)
			}
		}
	}
}

func TestRenderChoices(t *testing.T) {
	f := func(fields map[string]string, want string) {
		t.Helper()
		if _, err := Render(fields); err == nil || err.Error() != want {
			t.Errorf("Render(%v) gave %v, want %s", fields, err, want)
		}
	}
	f(map[string]string{"color": "red"}, "Unknown BenchmarkRun generator field: color")
	f(map[string]string{"cadence": "weekly"}, "cadence must be one of: canary, nightly, pre_release")
	f(map[string]string{"url": "nowhere"}, `these choices make no valid document: spec.target.url: got "nowhere", must be an http or https address such as http://127.0.0.1:8000`)

	r, err := Render(map[string]string{"name": "x", "model": "", "workloadType": Training})
	if err != nil {
		t.Fatal(err)
	}
	if r.AppliedValues["model"] != "openai/gpt-oss-20b" || r.AppliedValues["name"] != "x" || r.SchemaVersion != "2026-03-13" {
		t.Errorf("applied %v (%s)", r.AppliedValues, r.SchemaVersion)
	}
	for _, want := range []string{"training_outcome_fact", "rank_id", "name: x\n"} {
		if !strings.Contains(r.RenderedYAML, want) {
			t.Errorf("a training document has no %q", want)
		}
	}
	if _, err := RenderMinimal(map[string]string{"benchmarkClass": PublicationGrade}); err == nil {
		t.Errorf("a minimal publication document was rendered")
	}
	if _, err := RenderWorkload(map[string]string{"workloadType": Mixed}); err == nil || err.Error() != "workloadType must be one of: inference, training" {
		t.Errorf("a mixed workload spec gave %v", err)
	}
	for _, f := range RenderFields {
		if f.Choices != nil && oneOfChoices(f.Name, f.Default, f.Choices) != nil {
			t.Errorf("the default of %s, %s, is none of its choices", f.Name, f.Default)
		}
	}
}

func TestMinimalIsShort(t *testing.T) {
	r, err := RenderMinimal(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(r.RenderedYAML, "\n"); n > 20 {
		t.Errorf("the minimal document has %d lines, want at most 20:\n%s", n, r.RenderedYAML)
	}
}
