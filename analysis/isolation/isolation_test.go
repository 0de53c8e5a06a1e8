package isolation

import (
	"strings"
	"testing"

	"assay/analysis/overlap"
	"assay/metric"
)

func run(name string, ranks int, culprit *int, wait float64, rates ...float64) Run {
	r := Run{Name: name, Point: overlap.Point{Ranks: ranks, Verdict: overlap.Verdict{Rank: culprit, Text: "it computes slowly"}}}
	for rank := range ranks {
		one := overlap.Rank{Rank: rank, Step: 1, Host: string(rune('a' + rank))}
		if culprit == nil || rank != *culprit {
			one.ByWait = &wait
		}
		r.Point.PerRank = append(r.Point.PerRank, one)
	}
	row := metric.Row{Metric: metric.SamplesPerSecond.ID, Statistic: "value"}
	for i, v := range rates {
		row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: i, Value: v})
	}
	r.Estimates.Rows = []metric.Row{row}
	return r
}

func TestIsolation(t *testing.T) {
	three, zero := 3, 0
	slow := run("before", 4, &three, .5, 40, 40.2, 39.9) // each would do 20 without the wait
	healthy := run("healthy", 4, nil, 0, 80, 80.3, 79.8)
	tests := []struct {
		name          string
		before, after Run
		rank          int
		want, fault   string
	}{
		{"back", slow, run("after", 3, nil, 0, 60, 59.8, 60.3), 3, Restored, ""},
		{"back to a healthy run", healthy, run("after", 3, nil, 0, 59, 59.3, 59.6), 3, Restored, ""},
		{"still slow", slow, run("after", 3, nil, 0, 33, 33.1, 32.9), 3, NotRestored, ""},
		{"another straggler", slow, run("after", 3, &zero, .1, 60, 60.1, 59.9), 3, NotRestored, ""},
		{"too uncertain", slow, run("after", 3, nil, 0, 40, 60, 80), 3, Inconclusive, ""},
		{"one launch", slow, run("after", 3, nil, 0, 60), 3, Inconclusive, ""},
		{"the wrong rank", slow, run("after", 3, nil, 0, 60, 60.1), 1, "", "wait for rank 3, not for rank 1"},
		{"no such rank", slow, run("after", 3, nil, 0, 60, 60.1), 9, "", "ranks 0 to 3"},
		{"still there", slow, run("after", 4, nil, 0, 80, 80.1), 3, "", "want a run without rank 3"},
	}
	for _, tt := range tests {
		c, err := Of(tt.before, tt.after, tt.rank, .95)
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.fault)
			}
			continue
		}
		if err != nil || c.Verdict != tt.want {
			t.Errorf("%s: %+v, %v; want %s", tt.name, c, err, tt.want)
		}
	}
}
