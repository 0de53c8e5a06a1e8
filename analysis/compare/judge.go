package compare

import (
	"assay/metric"
	"assay/stats"
)

// The corrections for the number of tests.
const (
	HolmCorrection = "holm"
	BHCorrection   = "benjamini-hochberg"
)

// judge corrects every P for the number of tests and says what each row means.
// The declared primary metrics of all candidates are one family, held to Holm:
// the chance of any false difference among them stays below alpha. All other rows
// are held to Benjamini and Hochberg: of those called different, a share of alpha
// may be false.
func (r *Report) judge() {
	var primary, rest []*Row
	tested := 0 // primary ones
	for i := range r.Comparisons {
		for j := range r.Comparisons[i].Rows {
			row := &r.Comparisons[i].Rows[j]
			row.equivalence(r.Margin, r.Alpha)
			if row.Primary {
				primary = append(primary, row)
				if row.P != nil {
					tested++
				}
			} else {
				rest = append(rest, row)
			}
		}
	}
	for _, family := range []struct {
		rows    []*Row
		correct func([]float64) []float64
		name    string
	}{{primary, stats.Holm, HolmCorrection}, {rest, stats.BenjaminiHochberg, BHCorrection}} {
		correct(family.rows, func(row *Row) *Tested { return row.P }, family.correct, family.name)
		correct(family.rows, func(row *Row) *Tested { return row.Equivalence }, family.correct, family.name)
		for _, row := range family.rows {
			row.decide(r.Margin, r.Alpha)
			if row.Verdict == Inconclusive {
				row.Settle = row.settle(r.Margin, r.alphaOf(row, tested), r.Power)
			}
			row.Detectable = finite(row.values.Detectable(r.alphaOf(row, tested), r.Power))
			if row.uncertified {
				row.Detectable = nil
			}
		}
	}
}

// alphaOf is the level that a row must reach by itself: the first step of Holm
// for a primary one.
func (r Report) alphaOf(row *Row, primaries int) float64 {
	if row.Primary {
		return r.Alpha / float64(max(1, primaries))
	}
	return r.Alpha
}

// correct fills Corrected in, where there is a P.
func correct(rows []*Row, of func(*Row) *Tested, correction func([]float64) []float64, name string) {
	var with []*Tested
	var p []float64
	for _, row := range rows {
		if t := of(row); t != nil {
			with, p = append(with, t), append(p, t.P)
		}
	}
	for i, corrected := range correction(p) {
		with[i].Corrected, with[i].Correction = corrected, name
	}
}

// equivalence asks whether the row's sides differ by less than the margin.
func (row *Row) equivalence(margin, alpha float64) {
	if row.Ratio == nil || row.uncertified {
		return
	}
	test, err := row.values.Equivalent(margin, alpha)
	if err != nil {
		return // the launches have no spread; decide looks at the values
	}
	row.Equivalence = &Tested{P: test.P, Method: test.Method}
}

// decide says what the row means.
func (row *Row) decide(margin, alpha float64) {
	row.Verdict = Inconclusive
	v := row.values
	switch {
	case row.uncertified || v.Least() < leastLaunches:
	case row.P == nil: // no spread at all
		row.Verdict = row.bare(margin)
	case v.Share() && row.P.Corrected <= alpha:
		row.Verdict = row.direction()
	case v.Share():
		// Without a ratio the margin counts in points of the share.
		if d := row.Difference.Interval; d.Lo > -margin && d.Hi < margin {
			row.Verdict = Equivalent
		}
	case row.Equivalence != nil && row.Equivalence.Corrected <= alpha:
		row.Verdict = Equivalent
		row.Differs = row.P.Corrected <= alpha
	case row.P.Corrected <= alpha:
		row.Verdict = row.direction()
	}
	row.SittingOnly = row.Verdict == Equivalent && row.apartOnOtherDays(margin) > alpha
}

// bare compares values that never vary.
func (row *Row) bare(margin float64) Verdict {
	d := row.Difference.Value
	switch {
	case d == 0:
		return Equivalent
	case row.Ratio != nil && row.Ratio.Value <= 1+margin && row.Ratio.Value >= 1/(1+margin):
		row.Differs = true
		return Equivalent
	}
	return row.direction()
}

// direction is which way the difference points.
func (row *Row) direction() Verdict {
	if (row.Difference.Value < 0) == (row.Better == metric.Lower) {
		return Better
	}
	return Worse
}
