package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A Paired is a candidate beside the baseline in one statistic of one metric at
// one point: the values of both in every block that has both, and what the
// blocks say together. It states a difference and judges nothing.
type Paired struct {
	Metric    string    `json:"metric"`
	Name      string    `json:"name"`
	Statistic string    `json:"statistic"`
	Unit      unit.Unit `json:"unit"`
	Better    Direction `json:"better"`
	Point     int       `json:"point"`
	Side      string    `json:"side"` // the candidate

	// Difference is candidate − baseline, averaged over blocks.
	Difference stats.Estimate `json:"difference"`

	// Ratio is candidate ÷ baseline, the geometric mean over blocks; absent where
	// some value is not above zero.
	Ratio *stats.Estimate `json:"ratio,omitempty"`

	Blocks []Block `json:"blocks"`
}

// A Block is one pair of launches.
type Block struct {
	Block     int     `json:"block"`
	Baseline  float64 `json:"baseline"`
	Candidate float64 `json:"candidate"`
}

// compare pairs every row of the baseline with that of each candidate.
func compare(b *bundle.Bundle, p plan.Plan, rows []Row, confidence float64) ([]Paired, error) {
	block := map[int]int{}
	for _, info := range b.Launches() {
		block[info.Index] = info.Block
	}
	var list []Paired
	for _, candidate := range p.Candidates() {
		for _, base := range rows {
			if base.Side != spec.BaselineSide || OfSpread(base.Statistic) {
				continue
			}
			other := slices.IndexFunc(rows, func(r Row) bool {
				return r.Side == candidate.Name && r.Metric == base.Metric && r.Statistic == base.Statistic && r.Point == base.Point
			})
			if other < 0 {
				continue
			}
			paired, ok, err := pair(base, rows[other], block, confidence)
			if err != nil {
				return nil, fmt.Errorf("%s %s of %s and %s: %w", base.Metric, base.Statistic, base.Side, candidate.Name, err)
			}
			if ok {
				list = append(list, paired)
			}
		}
	}
	return list, nil
}

// pair puts two rows side by side, block by block; ok is false when no block has
// both.
func pair(base, candidate Row, block map[int]int, confidence float64) (out Paired, ok bool, err error) {
	out = Paired{
		Metric: base.Metric, Name: base.Name, Statistic: base.Statistic, Unit: base.Unit, Better: base.Better,
		Point: base.Point, Side: candidate.Side,
	}
	var a, b []float64
	for _, v := range base.PerLaunch {
		i := slices.IndexFunc(candidate.PerLaunch, func(w LaunchValue) bool { return block[w.Launch] == block[v.Launch] })
		if i < 0 {
			continue
		}
		a, b = append(a, v.Value), append(b, candidate.PerLaunch[i].Value)
		out.Blocks = append(out.Blocks, Block{block[v.Launch], v.Value, candidate.PerLaunch[i].Value})
	}
	if len(a) == 0 {
		return out, false, nil
	}
	if out.Difference, err = stats.PairedDifference(a, b, confidence); err != nil {
		return out, false, err
	}
	ratio, err := stats.PairedRatio(a, b, confidence)
	if err != nil && !errors.Is(err, stats.ErrNotPositive) {
		return out, false, err
	}
	if err == nil {
		out.Ratio = &ratio
	}
	if isShare(base.Metric) {
		// Blocks that all saw no error would give an interval of no width.
		out.loseIntervals([]string{"a share has its interval on each side"})
	}
	for _, row := range []Row{base, candidate} {
		if uncertified(row) { // what a side cannot bound, a comparison cannot either
			out.loseIntervals(row.Warnings)
		}
	}
	return out, true, nil
}

// uncertified reports whether the row's launches hold too few requests for its
// percentile.
func uncertified(row Row) bool {
	return math.IsInf(row.Interval.Hi, 1) && len(row.PerLaunch) > 1
}

func isShare(id string) bool {
	at := slices.IndexFunc(All, func(m Metric) bool { return m.ID == id })
	if at < 0 {
		return false
	}
	_, share := All[at].Of.(Share)
	return share || id == TrainingReliability.ID
}

func (p *Paired) loseIntervals(warnings []string) {
	p.Difference.Interval = stats.Unbounded
	p.Difference.Warnings = append(p.Difference.Warnings, warnings...)
	if p.Ratio != nil {
		p.Ratio.Interval = stats.Unbounded
		p.Ratio.Warnings = append(p.Ratio.Warnings, warnings...)
	}
}
