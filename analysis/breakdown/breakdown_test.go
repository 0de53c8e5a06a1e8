package breakdown

import (
	"math"
	"path/filepath"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/stats"
)

func estimates(values map[string][]float64) metric.Estimates {
	var e metric.Estimates
	for id, list := range values {
		statistic := "value"
		if id == metric.E2E.ID || id == metric.TTFT.ID || id == metric.Lag.ID {
			statistic = "mean"
		}
		row := metric.Row{Metric: id, Statistic: statistic, Estimate: stats.Estimate{}}
		for i, v := range list {
			row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: i, Value: v})
		}
		e.Rows = append(e.Rows, row)
	}
	return e
}

func sums(t *testing.T, b Breakdown) {
	t.Helper()
	for i, whole := range b.Whole {
		sum := 0.0
		for _, p := range b.Parts {
			sum += p.Values[i]
		}
		if math.Abs(sum-whole) > 1e-12 {
			t.Errorf("launch %d: parts sum to %v, the whole is %v", i, sum, whole)
		}
	}
}

func TestServing(t *testing.T) {
	all := map[string][]float64{
		metric.E2E.ID: {1, 1.1}, metric.TTFT.ID: {.3, .32}, metric.Lag.ID: {.01, .02},
		metric.ServerTTFT.ID: {.25, .26}, metric.ServerQueueTime.ID: {.1, .11},
	}
	b, ok := Serving(estimates(all), 0)
	if !ok || len(b.Parts) != 5 || len(b.Missing) != 0 {
		t.Fatalf("%+v", b)
	}
	sums(t, b)
	want := map[string]float64{"client": .01, "network and front end": .04, "server queue": .1, "prefill": .15, "decode": .7}
	for _, p := range b.Parts {
		if math.Abs(p.Values[0]-want[p.Name]) > 1e-12 {
			t.Errorf("%s = %v, want %v", p.Name, p.Values[0], want[p.Name])
		}
	}
	delete(all, metric.ServerQueueTime.ID)
	if b, _ = Serving(estimates(all), 0); len(b.Parts) != 4 || len(b.Missing) != 1 {
		t.Errorf("without queue time: %+v", b)
	}
	sums(t, b)
	delete(all, metric.ServerTTFT.ID)
	if b, _ = Serving(estimates(all), 0); len(b.Parts) != 3 || b.Parts[1].Class != Unexplained {
		t.Errorf("without the server's counters: %+v", b)
	}
	sums(t, b)
	delete(all, metric.TTFT.ID)
	if _, ok = Serving(estimates(all), 0); ok {
		t.Error("an answer without a first token was split")
	}
}

// Two ranks: the slower one decides, and communication that fits beside the
// computation is not counted.
func TestTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	if err != nil {
		t.Fatal(err)
	}
	const ms = int64(1e6)
	of := func(v int64) *int64 { v *= ms; return &v }
	for step := range int64(3) {
		for rank, length := range []int64{80, 100} {
			err := l.Steps.Append(record.Step{
				Rank: int32(rank), Step: step, Phase: record.Measure, Start: 0, End: length * ms,
				Data: of(10), Forward: of(20), Backward: of(40), Optimizer: of(5), Comm: of(50),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	split, ok, err := Training(b, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	sums(t, split)
	want := []float64{.010, .065, .025, 0} // 100 − 10 − 65 leaves 25 of the 50
	for i, p := range split.Parts {
		if math.Abs(p.Values[0]-want[i]) > 1e-12 {
			t.Errorf("%s = %v, want %v", p.Name, p.Values[0], want[i])
		}
	}
	if _, ok, _ = Training(b, 1); ok {
		t.Error("a point without steps was split")
	}
}
