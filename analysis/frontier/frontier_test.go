package frontier

import (
	"testing"

	"assay/stats"
)

// A load is off the frontier when another is nowhere worse and surely better in something,
// and not for a difference within the intervals.
func TestBeaten(t *testing.T) {
	near := func(v, half float64) stats.Estimate {
		return stats.Estimate{Value: v, Interval: stats.Interval{Lo: v - half, Hi: v + half}}
	}
	row := func(name string, score, latency, rate, half float64) Row {
		l, r := near(latency, half*latency), near(rate, half*rate)
		return Row{Name: name, Score: near(score, .02), Latency: &l, Throughput: &r}
	}
	rows := []Row{
		row("one", .70, .2, 5, .01),    // the quickest
		row("many", .70, .4, 40, .01),  // the most
		row("more", .60, .9, 39, .01),  // worse in everything than many
		row("about", .69, .4, 40, .01), // as many, within the intervals
	}
	judge(rows)
	want := []string{"", "", "many", ""}
	for i, r := range rows {
		if r.BeatenBy != want[i] {
			t.Errorf("%s is beaten by %q, want %q", r.Name, r.BeatenBy, want[i])
		}
	}
}
