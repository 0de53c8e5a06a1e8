package ledger

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// The contract's example: 256 accelerators at $2.50 an hour, 700 W, PUE 1.12, 380
// g/kWh cost $640 an hour and, at 2.45 million tokens a second, $0.0726, 0.0819 J
// each and 8.65 g for a million.
func TestGoldenHour(t *testing.T) {
	p := plan.Plan{
		Run: spec.Run{Spec: spec.RunSpec{Cost: &spec.Cost{GPUHourlyUSD: 2.5, GPUCount: 256, PowerWatts: 700, PUE: 1.12, GramsCO2PerKWh: 380}}},
	}
	start := time.Unix(0, 0)
	l := Of(p, []bundle.LaunchInfo{
		{Started: start, Ended: start.Add(90 * time.Minute), Outcome: bundle.LaunchCompleted},
		{Started: start, Ended: start.Add(30 * time.Minute), Outcome: bundle.LaunchFailed},
	}, metric.Estimates{}, 3600)
	if len(l.Missing) != 0 || l.PowerSource != "declared (spec.cost.powerWatts)" {
		t.Errorf("missing %v, power %q", l.Missing, l.PowerSource)
	}
	measured := l.Entries[0]
	tokens := 2.45e6 * 3600.0
	for _, tt := range []struct {
		what              string
		got, want, within float64
	}{
		{"dollars", *measured.USD, 640, 1e-9},
		{"dollars per million", *measured.USD / tokens * 1e6, .0726, 5e-5},
		{"joules per token", *measured.KWh * 3.6e6 / tokens, .0819, 5e-5},
		{"grams per million", *measured.GramsCO2 / tokens * 1e6, 8.65, .005},
		{"around", l.Entries[1].Seconds, 1800, 0},
		{"failed", l.Entries[2].Seconds, 1800, 0},
		{"all", l.Entries[3].Seconds, 7200, 0},
	} {
		if math.Abs(tt.got-tt.want) > tt.within {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

// A reading takes the place of what was declared, and what is missing is named.
func TestSources(t *testing.T) {
	p := plan.Plan{Run: spec.Run{Spec: spec.RunSpec{Cost: &spec.Cost{GPUCount: 2, PowerWatts: 700}}}, Points: []plan.Point{{}}}
	e := metric.Estimates{Rows: []metric.Row{{Metric: metric.GPUPower.ID, Statistic: "value", Estimate: stats.Estimate{Value: 800}}}}
	if l := Of(p, nil, e, 0); l.Power != 400 || !slices.Contains(l.Missing, "spec.cost.gpuHourlyUSD") {
		t.Errorf("power %v of one device, missing %v; want 400 and the price missing", l.Power, l.Missing)
	}
	if l := Of(plan.Plan{}, nil, metric.Estimates{}, 0); len(l.Missing) != 2 || l.Entries[0].KWh != nil {
		t.Errorf("nothing declared: %+v", l)
	}
}

// Windows count as they were, and only those that ended in a completed launch.
func TestWindows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	for i, outcome := range []bundle.LaunchOutcome{bundle.LaunchCompleted, bundle.LaunchFailed} {
		l, err := w.StartLaunch(bundle.LaunchStart{Index: i, Clock: record.ClockID})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Events.Append(
			record.Event{At: 1e9, Name: record.WindowBegin}, record.Event{At: 3e9, Name: record.WindowEnd},
			record.Event{At: 4e9, Name: record.WindowBegin, Point: 1}, record.Event{At: 4.5e9, Name: record.WindowEnd, Point: 1},
			record.Event{At: 5e9, Name: record.WindowBegin, Point: 2},
		)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(bundle.LaunchEnd{Outcome: outcome}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Windows(b); err != nil || got != 2.5 {
		t.Errorf("%v s, %v; want 2.5 s", got, err)
	}
}
