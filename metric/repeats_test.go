package metric

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/record"
	"assay/stats"
)

// A drawing makes the requests of a point: lengths from a generator, latencies that
// follow them with noise.
func drawing(n int, change func(i int, before []*Timeline, t *Timeline)) *Launch {
	rng := rand.New(rand.NewPCG(13, 4))
	p := &Point{}
	for i := range n {
		in, out := int32(50+rng.IntN(100)), int32(10+rng.IntN(40))
		t := &Timeline{Request: record.Request{ID: int64(i), Phase: record.Measure, Result: record.OK, UsageInput: &in, UsageOutput: &out}}
		if change != nil {
			change(i, p.Requests, t)
		}
		if t.Done == 0 {
			t.Done = t.Sent + 50e6 + int64(*t.UsageOutput)*10e6 + rng.Int64N(4e6)
		}
		p.Requests = append(p.Requests, t)
	}
	return &Launch{Points: []*Point{p}}
}

// twin gives a request the lengths of another one.
func twin(t, of *Timeline) { t.UsageInput, t.UsageOutput = of.UsageInput, of.UsageOutput }

func TestRepeats(t *testing.T) {
	tests := []struct {
		name      string
		launch    *Launch
		identical int
		within    int
		low, high int // effective rows; zero means that nothing repeats
	}{
		{"clean", drawing(400, nil), 0, 0, 0, 0},
		{"clean and small", drawing(20, nil), 0, 0, 0, 0},
		{"one length for all", drawing(400, func(_ int, _ []*Timeline, t *Timeline) {
			t.UsageInput, t.UsageOutput = new(int32(100)), new(int32(100))
		}), 0, 0, 0, 0},
		{"two lengths", drawing(400, func(i int, _ []*Timeline, t *Timeline) {
			t.UsageInput, t.UsageOutput = new(int32(100)), new(int32(10*(1+i*i%7%2)))
		}), 0, 0, 0, 0},
		{"lengths drawn twice", drawing(400, func(i int, before []*Timeline, t *Timeline) {
			if i%2 == 1 {
				twin(t, before[i-1])
			}
		}), 0, 1, 190, 210},
		{"few lengths drawn twice", drawing(20, func(i int, before []*Timeline, t *Timeline) {
			if i%2 == 1 {
				twin(t, before[i-1])
			}
		}), 0, 1, 9, 11},
		{"four workers with one generator", drawing(400, func(i int, before []*Timeline, t *Timeline) {
			if i%4 > 0 {
				twin(t, before[i-1])
			}
		}), 0, 1, 95, 110},
		{"workers that take turns", drawing(400, func(i int, before []*Timeline, t *Timeline) {
			if i%8 > 3 {
				twin(t, before[i-4])
			}
		}), 0, 4, 190, 220},
		{"rows written twice", drawing(400, func(i int, before []*Timeline, t *Timeline) {
			if i >= 200 {
				twin(t, before[i-200])
				t.Sent = int64(i) * 1e6
				t.Done = t.Sent + before[i-200].Done
			}
		}), 200, 0, 200, 200},
		{"a clock of milliseconds", drawing(400, func(_ int, _ []*Timeline, t *Timeline) {
			t.UsageInput, t.Done = new(int32(100)), 50e6+int64(*t.UsageOutput)*10e6
		}), 0, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.launch.repeats()
			if tt.high == 0 {
				if len(got) > 0 {
					t.Fatalf("repeats = %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Identical != tt.identical || got[0].Within != tt.within || got[0].Effective < tt.low || got[0].Effective > tt.high {
				t.Errorf("repeats = %+v, want %d identical, alike within %d, %d to %d effective", got, tt.identical, tt.within, tt.low, tt.high)
			}
		})
	}
}

// What repeats loses its n, and with it the percentiles that it no longer bounds.
func TestDiscount(t *testing.T) {
	row := func(name string) Row {
		return Row{Statistic: name, Estimate: stats.Estimate{Interval: stats.Interval{Lo: 1, Hi: 2}}, PerLaunch: []LaunchValue{{0, 1.5, 600}, {1, 1.5, 600}}}
	}
	e := Estimates{Confidence: .95, Rows: []Row{row("mean"), row("p99"), row("value")}, Repeats: []Repeats{{Launch: 1, Rows: 600, Identical: 300, Effective: 300}}}
	e.discount()
	for i, want := range []struct {
		n       int
		bounded bool
	}{{300, true}, {300, false}, {600, true}} {
		got := e.Rows[i]
		if got.PerLaunch[0].N != 600 || got.PerLaunch[1].N != want.n || (got.Interval != stats.Unbounded) != want.bounded {
			t.Errorf("%s: %+v, want n %d, an interval: %v", got.Statistic, got, want.n, want.bounded)
		}
	}
	if !slices.ContainsFunc(e.Rows[1].Warnings, func(w string) bool { return strings.Contains(w, "600 values tell as much as 300") }) {
		t.Errorf("warnings %q do not say why", e.Rows[1].Warnings)
	}
}
