package metric

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A workedValue is a row of docs/reference/metrics-worked.md: what a metric must
// be, by column; nil means none.
type workedValue map[string][]float64

var (
	workedRow  = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+\\.v\\d+)` \\| .* \\| (.*) \\| (.*) \\|$")
	workedSpec = regexp.MustCompile("(?m)^\\| spec \\| `\\{(.*)\\}` \\|$")
)

// TestWorked compares every metric with the page, on the records that the
// decoder makes of the page's stream (target.TestWorkedStream).
func TestWorked(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "reference", "metrics-worked.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]workedValue{}
	for _, row := range workedRow.FindAllStringSubmatch(string(page), -1) {
		if want[row[1]] != nil {
			t.Errorf("the page has %s twice", row[1])
		}
		want[row[1]] = workedValue{"with usage": workedCell(t, row[2]), "without usage": workedCell(t, row[3])}
	}
	data, err := os.ReadFile(filepath.Join("testdata", "worked.json"))
	if err != nil {
		t.Fatal(err)
	}
	var streams map[string]struct {
		Request record.Request
		Events  []record.Chunk
	}
	if err := json.Unmarshal(data, &streams); err != nil {
		t.Fatal(err)
	}
	p := workedPlan(t, string(page))
	for column, stream := range streams {
		t.Run(column, func(t *testing.T) {
			one := &Timeline{Request: stream.Request, Events: stream.Events}
			b := build(t, p, []bundle.LaunchOutcome{bundle.LaunchCompleted}, func(int) []*Timeline { return []*Timeline{one} })
			e, _, err := JudgeWatched(b, p, "test", Watcher{})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range All {
				values, listed := want[m.ID]
				switch applies := m.Has(p.Run.Spec.Workload) && !m.Only(Probes) && !m.Only(Sessions); {
				case m.each() != nil && applies && !listed:
					t.Errorf("the page has no row of %s", m.ID)
				case m.each() != nil && applies:
					workedEach(t, m, one, values[column])
				}
				workedRowOf(t, m, e, values[column], listed)
			}
		})
	}
	for _, m := range All {
		delete(want, m.ID)
	}
	for id := range want {
		t.Errorf("the page has %s, which is no metric", id)
	}
}

// workedEach compares the values of the request, one by one.
func workedEach(t *testing.T, m Metric, one *Timeline, want []float64) {
	t.Helper()
	got := m.Each(one)
	if len(got) != len(want) {
		t.Errorf("%s = %v, want %v", m.ID, got, want)
		return
	}
	for i := range want {
		if !agrees(got[i], want[i]) {
			t.Errorf("%s = %v, want %v", m.ID, got, want)
			return
		}
	}
}

// workedRowOf compares what the estimates of a whole bundle say. A figure that
// the page does not have is a row that the page lacks.
func workedRowOf(t *testing.T, m Metric, e Estimates, want []float64, listed bool) {
	t.Helper()
	row, ok := e.Find(m.ID, "value", 0)
	if !ok {
		row, ok = e.Find(m.ID, "mean", 0)
	}
	switch {
	case ok && !listed:
		t.Errorf("the page has no row of %s, which is %v", m.ID, row.Value)
	case ok != (len(want) > 0):
		t.Errorf("%s in the estimates: %v (%v), want %v", m.ID, row.Value, ok, want)
	case ok:
		mean, err := stats.Mean(want, .95)
		if err != nil || !agrees(row.Value, mean.Value) {
			t.Errorf("%s in the estimates = %v, want %v (%v)", m.ID, row.Value, mean.Value, err)
		}
	}
}

func agrees(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want)) }

// workedCell reads a cell such as "2×10, 170/23 ms" or "none".
func workedCell(t *testing.T, cell string) (list []float64) {
	t.Helper()
	if cell == "none" {
		return nil
	}
	text, scale := cell, 1.0
	if number, suffix, found := cutLast(cell, " "); found && !strings.HasSuffix(number, ",") {
		text = number
		if suffix == "ms" {
			scale = 1e-3
		} else if !known(suffix) {
			t.Fatalf("cell %q has the unknown unit %q", cell, suffix)
		}
	}
	for part := range strings.SplitSeq(text, ", ") {
		times := 1
		if before, after, found := strings.Cut(part, "×"); found {
			times, part = int(workedNumber(t, before)), after
		}
		v := workedNumber(t, part)
		for range times {
			list = append(list, v*scale)
		}
	}
	return list
}

func known(suffix string) bool {
	for _, u := range unit.All {
		if string(u) == suffix {
			return true
		}
	}
	return false
}

// workedNumber reads 8, a/b or √a.
func workedNumber(t *testing.T, text string) float64 {
	t.Helper()
	if a, b, found := strings.Cut(text, "/"); found {
		return workedNumber(t, a) / workedNumber(t, b)
	}
	if a, found := strings.CutPrefix(text, "√"); found {
		return math.Sqrt(workedNumber(t, a))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("the page's number %q: %v", text, err)
	}
	return v
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// workedPlan is a plan with what the page says that the spec declares.
func workedPlan(t *testing.T, page string) plan.Plan {
	t.Helper()
	declared := workedSpec.FindStringSubmatch(page)
	if declared == nil {
		t.Fatal("the page says nothing about the spec")
	}
	doc, faults := spec.Parse("worked.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: worked},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1]}, `+declared[1]+`}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	p.Run.Spec.Workload.Tokenizer.Kind = spec.TokenizerFile // it has counted already
	return p
}
