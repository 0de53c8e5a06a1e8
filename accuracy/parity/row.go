package parity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/accuracy"
	"assay/stats"
	"assay/stats/items"
)

// referenceShares are those that MLPerf asks of a submission's quality.
var referenceShares = []float64{.99, .999}

// smallestMargin stands for none at all: what is not better is not shown to be as good.
const smallestMargin = 1e-12

// judge fills the row in, up to the verdict, which waits for all rows.
func (r *Row) judge(p paired, t accuracy.Task, o Options) error {
	grader, err := accuracy.Find(r.Grader)
	if err != nil {
		return err
	}
	r.Lower, r.Items, r.OnlyBaseline, r.OnlyCandidate = grader.Lower, len(p.items), p.onlyA, p.onlyB
	span := spanOf(grader, p)
	if o.Margins == nil { // of a rating up to five, a hundredth is 0.05
		r.Margin = span * cmp.Or(o.Margin, t.Margin)
	}
	r.Margin = max(r.Margin, smallestMargin)
	r.demand = items.Demand{Margin: r.Margin, Alpha: o.Alpha, Span: span, Power: o.Power}
	r.Changed = p.changes(grader.Lower)
	if grader.Corpus != nil {
		return r.corpus(grader, p, o)
	}
	pairs := p.items
	if grader.Lower {
		pairs = p.negated()
	}
	j, err := items.Judge(pairs, r.demand)
	if err != nil {
		return err
	}
	r.judgement = &j
	r.Baseline, r.Candidate, r.Clusters, r.Flips = j.A, j.B, j.Clusters, j.Flips
	r.Difference, r.Bounds, r.Test = j.Estimate(1-o.Alpha), j.Bounds, j.Test
	if j.Flips != nil && j.Clusters == j.Items {
		r.Others = j.Flips.Tests()[1:]
	}
	if j.Spread.WithinA > 0 || j.Spread.WithinB > 0 {
		share := j.Spread.Noise()
		r.Sampling = &share
	}
	r.Detectable = items.Detectable(j.Spread, j.Items, o.Alpha, o.Power)
	if grader.Lower {
		r.Baseline, r.Candidate = -r.Baseline, -r.Candidate
		r.Difference.Value, r.Difference.Interval, r.Bounds = -r.Difference.Value, flipped(r.Difference.Interval), flipped(r.Bounds)
		return nil
	}
	r.share(pairs)
	return nil
}

// spanOf is what a margin is a share of: the span of the scores, and of a perplexity, which
// has none, the baseline's own.
func spanOf(g accuracy.Grader, p paired) float64 {
	switch {
	case g.Corpus == nil:
		return p.span()
	case g.Unit == "" || len(p.a) == 0:
		return 1
	}
	rows := make([][]float64, len(p.a))
	for i := range p.a {
		rows[i] = items.Segment(p.a[i].stats)
	}
	return math.Abs(items.Corpus{Score: g.Corpus}.Of(rows))
}

// share says the same relative to the baseline.
func (r *Row) share(pairs []items.Pair) {
	for _, target := range referenceShares {
		ratio, err := items.ReferenceRatio(pairs, target, r.demand)
		if err != nil {
			return // a baseline that scores nothing has no share
		}
		r.Reference = append(r.Reference, Share{target, ratio.Verdict, ratio.Above})
		relative := ratio.Estimate
		relative.Value, relative.Interval = relative.Value-1, stats.Interval{Lo: relative.Interval.Lo - 1, Hi: relative.Interval.Hi - 1}
		r.Relative = &relative
	}
}

// corpusTrials is how often the segments of a corpus are drawn again.
const corpusTrials = 10_000

// corpus judges a score that items have only together.
func (r *Row) corpus(grader accuracy.Grader, p paired, o Options) error {
	a, b := make([][]float64, len(p.a)), make([][]float64, len(p.b))
	for i := range p.a {
		a[i], b[i] = items.Segment(p.a[i].stats), items.Segment(p.b[i].stats)
	}
	c := items.Corpus{Score: grader.Corpus, Trials: corpusTrials, Seed: stats.SeedOf(r.Task + r.Grader)}
	both, err := c.Bootstrap(a, b, 1-o.Alpha)
	if err != nil {
		return err
	}
	if r.Test, err = c.Randomization(a, b); err != nil {
		return err
	}
	r.Clusters = len(a)
	r.Baseline, r.Candidate = both.A.Value, both.B.Value
	r.Difference, r.Bounds = both.Difference, both.Bounds(o.Alpha)
	return nil
}

// decide gives the verdict, with P corrected for the number of tasks.
func (r *Row) decide(adjusted float64) {
	r.Adjusted = adjusted
	value, bounds := r.Difference.Value, r.Bounds
	if r.Lower {
		value, bounds = -value, flipped(bounds)
	}
	r.Verdict = r.demand.Decide(value, bounds, adjusted)
	if r.Verdict == items.Undecided && r.judgement != nil {
		r.More = r.judgement.MoreItems(r.demand)
	}
}

// noise says what launches of one system differ by.
func (r *Row) noise(at place) {
	for _, p := range at.points {
		for _, s := range p.Scores {
			if s.Grader == r.Grader && s.Noise != nil && (r.Floor == nil || *r.Floor < s.Noise.Floor) {
				floor := s.Noise.Floor
				r.Floor = &floor
			}
		}
	}
}

// noticeableDrop is how much of a score may be lost between numbers of workers before a
// reader must know, absolute: splitting a model over more of them should change nothing.
const noticeableDrop = .01

func (r *Row) warn() {
	loss := r.Loss()
	if span := r.demand.Span; span == 100 {
		loss /= span
	}
	if before, now := r.workers[0], r.workers[1]; before > 0 && now > before && loss > noticeableDrop {
		r.Warnings = append(r.Warnings, fmt.Sprintf("from %d to %d workers the score falls by %.3g, more than %g: splitting a model should change nothing",
			before, now, loss, noticeableDrop))
	}
	if left := r.OnlyBaseline + r.OnlyCandidate; float64(left) > .02*float64(r.Items) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d items were answered on one side only and are left out: what fails on one side may be what is hard", left))
	}
	if r.judgement != nil {
		r.warnOfGroups(r.judgement.Grouped)
	}
	if r.Floor != nil && r.Verdict != items.Equivalent && math.Abs(r.Difference.Value) < *r.Floor && r.Difference.Value != 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("launches of one system differ by up to %.3g themselves", *r.Floor))
	}
}

// warnOfGroups says what was made of items whose ids begin alike.
func (r *Row) warnOfGroups(g *items.Grouped) {
	switch {
	case g == nil:
	case g.Taken:
		r.Warnings = append(r.Warnings, fmt.Sprintf("items whose ids begin alike change together (%d groups, p = %.2g) and count as clusters: name them in the field cluster, or say by ids of another form that they are none", g.Groups, g.P))
	case g.Blind && r.Holds():
		r.Warnings = append(r.Warnings, fmt.Sprintf("it holds if items whose ids begin alike (%d groups) are independent, which so few changed answers cannot show: name those that share a text in the field cluster", g.Groups))
	}
}

// A Change is an item whose score is not the same on both sides.
type Change struct {
	Item          string  `json:"item"`
	Baseline      float64 `json:"baseline"`
	Candidate     float64 `json:"candidate"`
	BaselineSaid  string  `json:"baselineSaid,omitempty"`
	CandidateSaid string  `json:"candidateSaid,omitempty"`
}

// mostChanges bounds the items that are listed; the counts are of all.
const mostChanges = 1000

// changes lists them, the largest losses first.
func (p paired) changes(lower bool) []Change {
	var list []Change
	for i, name := range p.names {
		a, b := mean(p.items[i].A), mean(p.items[i].B)
		if a != b {
			list = append(list, Change{name, a, b, p.a[i].said, p.b[i].said})
		}
	}
	slices.SortStableFunc(list, func(x, y Change) int {
		dx, dy := x.Candidate-x.Baseline, y.Candidate-y.Baseline
		if lower {
			dx, dy = -dx, -dy
		}
		switch {
		case dx < dy:
			return -1
		case dx > dy:
			return 1
		}
		return 0
	})
	return list[:min(len(list), mostChanges)]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func flipped(i stats.Interval) stats.Interval { return stats.Interval{Lo: -i.Hi, Hi: -i.Lo} }
