package breakdown

import (
	"math"
	"testing"

	"assay/analysis/overlap"
	"assay/metric"
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

// A step is split as package overlap has it: the exchange, which the backward pass
// waits for, is communication and not computation.
func TestTraining(t *testing.T) {
	p := overlap.Point{Name: "ranks=2", Ranks: 2, Launches: []int{0, 2}}
	for _, one := range []struct {
		name   string
		values []float64
	}{{"data", []float64{.01, .01}}, {"forward", []float64{.02, .02}}, {"backward", []float64{.04, .06}}, {"exposed_communication", []float64{.30, .34}}, {"other", []float64{.001, -.001}}} {
		p.Parts = append(p.Parts, overlap.Part{Name: one.name, PerLaunch: one.values})
	}
	b, ok := Training(p)
	if !ok || len(b.Missing) != 0 || len(b.Launches) != 2 {
		t.Fatalf("%+v, %v", b, ok)
	}
	sums(t, b)
	want := map[string]Class{"data": Input, "forward": Compute, "backward": Compute, "exposed communication": Communication, "other": Unexplained}
	for _, part := range b.Parts {
		if part.Class != want[part.Name] {
			t.Errorf("%s is %s, want %s", part.Name, part.Class, want[part.Name])
		}
	}
	p.Parts = p.Parts[:2]
	if b, _ = Training(p); len(b.Missing) != 1 {
		t.Errorf("without stamped buckets: missing %q, want the exchange named", b.Missing)
	}
	if _, ok = Training(overlap.Point{Ranks: 2}); ok {
		t.Error("a point without steps was split")
	}
}
