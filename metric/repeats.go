package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/record"
	"assay/stats"
)

// Repeats says how many requests of one point of an imported launch repeat others.
// A tool may have written a row twice, or have drawn the same lengths for several
// of its workers: then its n is larger than what its sample tells.
type Repeats struct {
	Launch int `json:"launch"`
	Point  int `json:"point"`
	Rows   int `json:"rows"` // successful measured requests

	// Identical rows have the lengths and the times of another one, to the
	// nanosecond; zero where times are too coarse to tell two requests apart.
	Identical int `json:"identical,omitempty"`

	// Alike rows have the lengths of one of the Within rows before them; by chance
	// so many would as Chance says.
	Alike  int     `json:"alike,omitempty"`
	Within int     `json:"within,omitempty"`
	Chance float64 `json:"chance,omitempty"`

	// Effective is how many rows tell something of their own.
	Effective int `json:"effective"`
}

// repeats looks for them at every point. It lists those with any.
func (l *Launch) repeats() []Repeats {
	var list []Repeats
	for _, p := range l.Points {
		var rows []*Timeline
		for t := range p.Measured {
			if t.Result == record.OK {
				rows = append(rows, t)
			}
		}
		one := Repeats{Launch: l.Index, Point: p.Index, Rows: len(rows), Effective: len(rows)}
		one.draws(rows)
		one.copies(rows)
		if one.Effective < one.Rows {
			list = append(list, one)
		}
	}
	return list
}

const (
	// fineTime is what a clock must tell apart for two equal latencies to mean
	// something.
	fineTime = int64(time.Microsecond)

	// fewCopies is how many equal rows may be chance, and nearCopies how many more
	// there must be than rows that are nearly equal: chance makes both.
	fewCopies  = 3
	nearCopies = 5
)

// copies counts rows that have the lengths and times of another one. When they were
// sent does not matter: a row that was copied may have been given a new place.
func (r *Repeats) copies(rows []*Timeline) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *Timeline) int {
		return cmp.Or(cmp.Compare(a.drawn(), b.drawn()), cmp.Compare(a.Done-a.Sent, b.Done-b.Sent), cmp.Compare(a.opened(), b.opened()))
	})
	same, near, coarse := 0, 0, true
	for i, t := range rows {
		coarse = coarse && (t.Done-t.Sent)%fineTime == 0
		if i == 0 || rows[i-1].drawn() != t.drawn() {
			continue
		}
		length, first := t.Done-t.Sent-(rows[i-1].Done-rows[i-1].Sent), t.opened()-rows[i-1].opened()
		switch {
		case length == 0 && first == 0:
			same++
		case length <= fineTime && max(first, -first) <= fineTime:
			near++
		}
	}
	if coarse || same < fewCopies || same <= nearCopies*near || 100*same < len(rows) {
		return
	}
	r.Identical = same
	r.Effective = min(r.Effective, len(rows)-same)
}

// drawn is the lengths of a request as one number.
func (t *Timeline) drawn() int64 {
	out := t.UsageOutput
	if out == nil {
		out = t.TokenizerOutput
	}
	return int64(orMinus(t.UsageInput))<<32 | int64(uint32(orMinus(out)))
}

func orMinus(n *int32) int32 {
	if n == nil {
		return -1
	}
	return *n
}

// opened is how long the first output took; -1 where there is none.
func (t *Timeline) opened() int64 {
	first, ok := t.firstOutput()
	if !ok {
		return -1
	}
	return first - t.Sent
}

const (
	// clearly is by how many deviations equal neighbours must exceed chance: four
	// distances are tried at each of perhaps a thousand points.
	clearly = 6

	// fewAlike is the share of rows below which equal neighbours change nothing.
	fewAlike = .1
)

// draws counts rows with the lengths of one just before them, in the order in
// which they were sent, or in that of the source. Workers that share the state of a
// random generator draw each length several times, shortly after each other.
func (r *Repeats) draws(rows []*Timeline) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *Timeline) int { return cmp.Compare(a.Sent, b.Sent) })
	lengths, counts := make([]int64, len(rows)), map[int64]int{}
	for i, t := range rows {
		lengths[i] = t.drawn()
		counts[lengths[i]]++
	}
	best, n := 0.0, float64(len(rows))
	for _, within := range []int{1, 2, 4, 8} {
		alike := 0
		for i, length := range lengths {
			if slices.Contains(lengths[max(0, i-within):i], length) {
				alike++
			}
		}
		chance := chanceOfEqual(counts, len(rows), within)
		above := (float64(alike) - n*chance) / math.Sqrt(n*chance*(1-chance)+1)
		copied := (float64(alike) - n*chance) / (1 - chance)
		if chance < .5 && above >= clearly && above > best && copied >= fewAlike*n {
			best = above
			r.Alike, r.Within, r.Chance = alike, within, n*chance
			r.Effective = max(1, len(rows)-int(copied))
		}
	}
}

// chanceOfEqual is how likely a row has the lengths of one of those before it when
// their order is one of chance. It sums in the order of the lengths' numbers, so
// that it is the same every time.
func chanceOfEqual(counts map[int64]int, n, within int) float64 {
	if n < 2 {
		return 1
	}
	times := map[int]int{} // how many lengths come so often
	for _, c := range counts {
		times[c]++
	}
	sum := 0.0
	for c := range n + 1 {
		if times[c] > 0 {
			other := float64(c-1) / float64(n-1)
			sum += float64(times[c]) * float64(c) / float64(n) * (1 - math.Pow(1-other, float64(within)))
		}
	}
	return sum
}

// discount lowers the n of every distribution at a point whose requests repeat each
// other, and takes the interval away from a percentile that is not bounded then.
func (e *Estimates) discount() {
	for _, r := range e.Repeats {
		for i := range e.Rows {
			row := &e.Rows[i]
			at := slices.IndexFunc(statistics, func(s statistic) bool { return s.name == row.Statistic })
			if row.Point != r.Point || at < 0 {
				continue
			}
			row.discount(r, statistics[at].quantile, e.Confidence)
		}
	}
}

func (row *Row) discount(r Repeats, quantile, confidence float64) {
	row.PerLaunch = slices.Clone(row.PerLaunch)
	i := slices.IndexFunc(row.PerLaunch, func(v LaunchValue) bool { return v.Launch == r.Launch })
	if i < 0 {
		return
	}
	was := row.PerLaunch[i].N
	left := int(int64(was) * int64(r.Effective) / int64(r.Rows))
	row.PerLaunch[i].N = left
	row.Warnings = append(row.Warnings, fmt.Sprintf("launch %d: %d values tell as much as %d: requests repeat each other", r.Launch+1, was, left))
	if quantile > 0 && left < stats.MinSamples(quantile, confidence) && row.Interval != stats.Unbounded {
		row.Interval = stats.Unbounded
		row.Warnings = append(row.Warnings, stats.TooFew("values", left, quantile, confidence)+", in the smallest launch")
	}
}
