package collectives

import (
	"fmt"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// minP99 is the fewest iterations whose p99 is not simply the slowest of them.
const minP99 = 101

// rows are the operations of the sweep over sizes.
func (s study) rows() ([]Row, error) {
	list := []Row{}
	for _, p := range s.planned(plan.ProfileSize) {
		row, ok, err := s.row(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if ok {
			list = append(list, row)
		}
	}
	return list, nil
}

func (s study) row(p plan.Point) (Row, bool, error) {
	times := s.times(p.Index)
	if len(times) == 0 {
		return Row{}, false, nil
	}
	c := p.Collective
	row := Row{
		Point: p.Index, Op: c.Op, Backend: c.Backend, Asked: c.Asked(), Algorithm: c.Algorithm, Ranks: p.Ranks,
		Bytes: c.Bytes, Count: count(c.Op, c.DataType, c.Bytes, p.Ranks), DataType: c.DataType, InPlace: c.InPlace,
	}
	for _, l := range s.launches {
		for _, one := range l.points[p.Index] {
			row.see(one)
		}
	}
	var err error
	if row.Time, err = typical(times, s.confidence); err != nil {
		return row, false, err
	}
	all := slices.Concat(times...)
	row.Samples = len(all)
	if len(all) >= minP99 {
		p99 := stats.OfRank(slices.Sorted(slices.Values(all)), .99)
		row.P99 = &p99
	}
	if c.Bytes > 0 && c.Op != "barrier" {
		if row.AlgBW, err = rate(times, float64(c.Bytes), s.confidence); err != nil {
			return row, false, err
		}
		if factor, ok := metric.BusFactor(c.Op, p.Ranks); ok {
			row.BusBW, err = rate(times, factor*float64(c.Bytes), s.confidence)
		}
	}
	return row, err == nil, err
}

// see takes over what the ranks say of an operation.
func (r *Row) see(one record.Collective) {
	r.Wrong += one.Wrong
	// Looking takes time of its own and may be done once, after the last operation.
	r.Checked = r.Checked || one.Checked
	if one.Algorithm != "" {
		r.Algorithm = one.Algorithm
	}
	if one.Emulate != "" {
		r.Emulated = one.Emulate
	}
}

// typical estimates the median over iterations: over launches where there are
// several, over iterations, which hang together, where there is one.
func typical(times [][]float64, confidence float64) (stats.Estimate, error) {
	if len(times) == 1 {
		est, err := stats.QuantileDependent(times[0], .5, confidence)
		est.Warnings = append(est.Warnings, "one launch: the interval is over iterations and says nothing of the next launch")
		return est, err
	}
	return positive(stats.OverLaunches(medians(times), confidence))
}

// positive keeps an interval out of what no time and no rate can be.
func positive(e stats.Estimate, err error) (stats.Estimate, error) {
	if e.Interval.Bounded() {
		e.Interval.Lo = max(0, e.Interval.Lo)
	}
	return e, err
}

func medians(times [][]float64) []float64 {
	list := make([]float64, len(times))
	for i, one := range times {
		list[i] = stats.Middle(one)
	}
	return list
}

// rate is so much over the time of each launch.
func rate(times [][]float64, much, confidence float64) (*stats.Estimate, error) {
	turned := make([][]float64, len(times))
	for i, one := range times {
		turned[i] = make([]float64, len(one))
		for j, t := range one {
			turned[i][j] = much / t
		}
	}
	if len(times) > 1 {
		// The median of rates is the rate at the median time, for odd counts exactly.
		rates := medians(times)
		for i, t := range rates {
			rates[i] = much / t
		}
		est, err := positive(stats.OverLaunches(rates, confidence))
		return &est, err
	}
	est, err := typical(turned, confidence)
	return &est, err
}

// widths are the bytes of an element.
var widths = map[string]int64{"float32": 4, "float64": 8, "int32": 4, "uint8": 1, "bfloat16": 2, "float16": 2}

// count is the number of elements as nccl-tests prints it: of one rank's part where
// the size is that of all parts together.
func count(op, dataType string, bytes int64, ranks int) int64 {
	elements := bytes / max(1, widths[dataType])
	switch op {
	case "all_gather", "reduce_scatter", "all_to_all", "gather", "scatter":
		return elements / int64(max(1, ranks))
	}
	return elements
}
