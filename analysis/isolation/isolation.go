// Package isolation says whether taking a slow rank away brought the others back to
// their baseline: from the run before, or a healthy one, and the run without it.
//
// What is compared is the work of one rank in a second. Without a straggler a world
// should do what its ranks would have done had they not waited; the time that they
// waited is known from the run before.
package isolation

import (
	"fmt"
	"slices"

	"assay/analysis/overlap"
	"assay/metric"
	"assay/stats"
)

// margin is how much of the expected work may be missing. Hosts of one kind differ by
// some percent, and a world of another size exchanges a little more or less.
const margin = .1

// The verdicts.
const (
	Restored     = "restored"
	NotRestored  = "not restored"
	Inconclusive = "inconclusive"
)

// A Run is one side.
type Run struct {
	Name      string
	Point     overlap.Point
	Estimates metric.Estimates
}

// A Check is whether a rank that was taken away had held up the others.
type Check struct {
	Rank    int            `json:"rank"`
	Host    string         `json:"host,omitempty"`
	Verdict string         `json:"verdict"`
	Ratio   stats.Estimate `json:"ratio"` // work of each rank, after over expected
	How     []string       `json:"how"`
}

// Of checks the run after rank was taken away against the one before.
func Of(before, after Run, rank int, confidence float64) (Check, error) {
	c := Check{Rank: rank, Verdict: Inconclusive, How: []string{}}
	i := slices.IndexFunc(before.Point.PerRank, func(r overlap.Rank) bool { return r.Rank == rank })
	if i < 0 {
		return c, fmt.Errorf("rank %d: %s has ranks 0 to %d", rank, before.Name, before.Point.Ranks-1)
	}
	c.Host = before.Point.PerRank[i].Host
	if after.Point.Ranks >= before.Point.Ranks && slices.ContainsFunc(after.Point.PerRank, func(r overlap.Rank) bool { return r.Host == c.Host }) {
		return c, fmt.Errorf("%s has %d ranks, %s on its host among them: want a run without rank %d", after.Name, after.Point.Ranks, c.Host, rank)
	}
	waited := 0.0
	switch named := before.Point.Verdict.Rank; {
	case named != nil && *named == rank:
		waited = c.waiting(before.Point)
	case named != nil:
		return c, fmt.Errorf("%s: the others wait for rank %d, not for rank %d", before.Name, *named, rank)
	default:
		c.How = append(c.How, before.Name+" names no rank: it is the healthy baseline")
	}
	expected, got := each(before, 1-waited), each(after, 1)
	if len(expected) < 2 || len(got) < 2 {
		c.How = append(c.How, "fewer than two launches on a side: no uncertainty can be stated")
		return c, nil
	}
	var err error
	if c.Ratio, err = stats.RatioOfMeans(expected, got, confidence); err != nil {
		return c, err
	}
	c.How = append(c.How, fmt.Sprintf("each rank does %.3g [%.3g, %.3g] times the work that was expected of it", c.Ratio.Value, c.Ratio.Interval.Lo, c.Ratio.Interval.Hi))
	c.decide(after)
	return c, nil
}

// waiting is the share of the others' step in which they waited for the rank.
func (c *Check) waiting(p overlap.Point) float64 {
	wait, step := 0.0, 0.0
	for _, r := range p.PerRank {
		if r.Rank != c.Rank && r.ByWait != nil && *r.ByWait > wait {
			wait, step = *r.ByWait, r.Step
		}
	}
	if step == 0 {
		return 0
	}
	c.How = append(c.How, fmt.Sprintf("before, the others waited for rank %d in %.1f %% of their step", c.Rank, 100*wait/step))
	return wait / step
}

// each is the samples a second of one rank in every launch, had so much of the time
// been enough.
func each(r Run, share float64) []float64 {
	row, ok := r.Estimates.Find(metric.SamplesPerSecond.ID, "value", r.Point.Point)
	if !ok {
		return nil
	}
	var list []float64
	for _, v := range row.PerLaunch {
		list = append(list, v.Value/float64(r.Point.Ranks)/share)
	}
	return list
}

func (c *Check) decide(after Run) {
	named := after.Point.Verdict.Rank
	switch least := 1 - margin; {
	case named != nil:
		c.Verdict = NotRestored
		c.How = append(c.How, fmt.Sprintf("now the others wait for rank %d: %s", *named, after.Point.Verdict.Text))
	case c.Ratio.Interval.Hi < least:
		c.Verdict = NotRestored
	case c.Ratio.Interval.Lo >= least:
		c.Verdict = Restored
	}
}
