package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/metric"
	"assay/plan"
	"assay/stats"
)

// match pairs the rows of both sides by the names of their points and by what
// they measure, and names what has no partner.
func (c *Comparison) match(a, b Side, confidence float64) error {
	c.PairedBy = pairing(a, b)
	c.Paired = c.PairedBy != ""
	if c.PairedBy == ByBlock {
		c.Warnings = append(c.Warnings, lonelyBlocks(a, b)...)
	} else {
		c.Warnings = append(c.Warnings, ordered(a, b)...)
	}
	c.describeSets(a, b)
	for _, point := range a.Plan.Points {
		if !slices.ContainsFunc(b.Plan.Points, func(p plan.Point) bool { return p.Name == point.Name }) {
			c.Missing = append(c.Missing, Missing{What: "point " + point.Name, Side: b.Label})
		}
	}
	for _, point := range b.Plan.Points {
		if !slices.ContainsFunc(a.Plan.Points, func(p plan.Point) bool { return p.Name == point.Name }) {
			c.Missing = append(c.Missing, Missing{What: "point " + point.Name, Side: a.Label})
		}
	}
	for _, row := range a.Estimates.Rows {
		point := pointName(a.Plan, row.Point)
		if !hasPoint(b.Plan, point) || metric.OfSpread(row.Statistic) {
			continue // the point is said above, once
		}
		other, ok := find(b, row, point)
		if !ok {
			c.Missing = append(c.Missing, Missing{What: called(row, point), Side: b.Label})
			continue
		}
		one, err := newRow(a, b, row, other, point, confidence)
		if err != nil {
			return fmt.Errorf("%s: %w", called(row, point), err)
		}
		c.Rows = append(c.Rows, one)
	}
	for _, row := range b.Estimates.Rows {
		point := pointName(b.Plan, row.Point)
		if _, ok := find(a, row, point); !ok && hasPoint(a.Plan, point) && !metric.OfSpread(row.Statistic) {
			c.Missing = append(c.Missing, Missing{What: called(row, point), Side: a.Label})
		}
	}
	c.markPrimary(a, b)
	return nil
}

// pointName is the name of a point of p; the launch as a whole has none.
func pointName(p plan.Plan, index int) string {
	if point, ok := p.PointByIndex(index); ok {
		return point.Name
	}
	return ""
}

func hasPoint(p plan.Plan, name string) bool {
	return name == "" || slices.ContainsFunc(p.Points, func(q plan.Point) bool { return q.Name == name })
}

func find(s Side, row metric.Row, point string) (metric.Row, bool) {
	i := slices.IndexFunc(s.Estimates.Rows, func(r metric.Row) bool {
		return r.Metric == row.Metric && r.Statistic == row.Statistic && pointName(s.Plan, r.Point) == point
	})
	if i < 0 {
		return metric.Row{}, false
	}
	return s.Estimates.Rows[i], true
}

// called is a row's name in a list: ttft.v2 p99 at concurrency=4.
func called(row metric.Row, point string) string { return Key(row.Metric, row.Statistic, point) }

// Key names a statistic of a metric at a point: ttft.v2 p99 at concurrency=4.
func Key(id, statistic, point string) string {
	key := id
	if statistic != "value" {
		key += " " + statistic
	}
	if point != "" {
		key += " at " + point
	}
	return key
}

// Match pairs the launches of two rows of the same statistic: by block where both
// are sides of one run, and by the hosts of their set where two runs took turns on those.
// What earlier runs teach about their spread goes with them.
func Match(a, b Side, x, y metric.Row) Values {
	v := launches(a, b, x, y)
	v.learn(a, b, x)
	return v
}

func launches(a, b Side, x, y metric.Row) Values {
	v := Values{By: b.Plan.Comparison().Test}
	share := countsShare(x) && countsShare(y)
	switch by := pairing(a, b); {
	case share: // counts of trials are pooled
	case by == BySet:
		v.Paired = true
		v.A, v.B = matchSets(a, b, x, y)
		return v
	case by == ByBlock:
		v.Paired = true
		blockA, blockB := blocks(a), blocks(b)
		for _, value := range x.PerLaunch {
			i := slices.IndexFunc(y.PerLaunch, func(w metric.LaunchValue) bool { return blockB[w.Launch] == blockA[value.Launch] })
			if i >= 0 {
				v.A, v.B = append(v.A, value.Value), append(v.B, y.PerLaunch[i].Value)
			}
		}
		return v
	}
	for _, value := range x.PerLaunch {
		v.A = append(v.A, value.Value)
		if share {
			v.TrialsA = append(v.TrialsA, value.N)
		}
	}
	for _, value := range y.PerLaunch {
		v.B = append(v.B, value.Value)
		if share {
			v.TrialsB = append(v.TrialsB, value.N)
		}
	}
	return v
}

func countsShare(row metric.Row) bool {
	return row.Method == stats.ProportionMethod || row.Method == stats.SharesMethod
}

func blocks(s Side) map[int]int {
	block := map[int]int{}
	for _, l := range s.Manifest.Launches {
		block[l.Index] = l.Block
	}
	return block
}

// lonelyBlocks names the blocks in which only one side has a completed launch.
func lonelyBlocks(a, b Side) []string {
	done := func(s Side) map[int]bool {
		set := map[int]bool{}
		for _, l := range s.Manifest.Launches {
			if l.Side == s.Name && slices.Contains(s.Estimates.Launches, l.Index) {
				set[l.Block] = true
			}
		}
		return set
	}
	var warnings []string
	inA, inB := done(a), done(b)
	for _, l := range a.Manifest.Launches {
		if l.Side != a.Name && l.Side != b.Name || inA[l.Block] == inB[l.Block] {
			continue
		}
		text := fmt.Sprintf("block %d has a completed launch of one side only and is left out of pairs", l.Block)
		if !slices.Contains(warnings, text) {
			warnings = append(warnings, text)
		}
	}
	return warnings
}

// ordered warns of launches that were not interleaved: what the machine did in
// the meantime counts as a difference between the sides.
func ordered(a, b Side) []string {
	firstA, lastA := times(a)
	firstB, lastB := times(b)
	switch {
	case firstA.IsZero() || firstB.IsZero():
		return nil
	case lastA.Before(firstB):
		return []string{fmt.Sprintf("all launches of %s ran before those of %s: what changed in between counts as a difference; measure both as sides of one run (spec.candidates)", a.Label, b.Label)}
	case lastB.Before(firstA):
		return []string{fmt.Sprintf("all launches of %s ran before those of %s: what changed in between counts as a difference; measure both as sides of one run (spec.candidates)", b.Label, a.Label)}
	}
	return nil
}

// times is when the first and the last launch of the side began.
func times(s Side) (first, last time.Time) {
	for _, l := range s.Manifest.Launches {
		if l.Side != s.Name {
			continue
		}
		if first.IsZero() || l.Started.Before(first) {
			first = l.Started
		}
		if l.Started.After(last) {
			last = l.Started
		}
	}
	return first, last
}

// Certified reports whether the launches of the row hold enough requests for its
// percentile, and if not, what the row says about it.
func Certified(row metric.Row) (ok bool, why []string) {
	if math.IsInf(row.Interval.Hi, 1) && len(row.PerLaunch) > 1 {
		return false, row.Warnings
	}
	return true, nil
}

// newRow measures the distance of two rows.
func newRow(a, b Side, x, y metric.Row, point string, confidence float64) (Row, error) {
	row := Row{
		Metric: x.Metric, Name: x.Name, Statistic: x.Statistic, Unit: x.Unit, Better: x.Better, Point: point,
		Baseline: x.Estimate, Candidate: y.Estimate, values: Match(a, b, x, y),
		Sets: setEffects(a, b, x, y),
	}
	row.Past = row.values.Past
	if !row.values.Paired && row.values.Past == nil { // the past knows how far runs are apart
		row.runSpread = runSpread(a, b)
	}
	var err error
	if row.offered, err = offeredTo(a, b, x, y, point); err != nil {
		return row, err
	}
	for _, side := range []metric.Row{x, y} {
		if ok, why := Certified(side); !ok {
			row.uncertified = true
			row.warn(why...)
		}
	}
	if row.values.Least() < 2 {
		row.warn(fmt.Sprintf("%d launches on one side: no uncertainty can be stated", row.values.Least()))
		return row, nil
	}
	if row.values.Least() < leastLaunches {
		row.warn(fmt.Sprintf("%d launches on one side: the interval is too wide to use, want at least %d", row.values.Least(), leastLaunches))
	}
	return row, row.measure(confidence)
}

// leastLaunches is the fewest whose t interval is worth reading.
const leastLaunches = 3

func (row *Row) warn(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(row.Warnings, text) {
			row.Warnings = append(row.Warnings, text)
		}
	}
}

// measure fills the estimates and effect sizes in.
func (row *Row) measure(confidence float64) error {
	v := row.values
	difference, err := v.Difference(confidence)
	if err != nil {
		return err
	}
	row.Difference = &difference
	if v.Positive() && !v.Share() {
		ratio, err := v.Ratio(confidence)
		if err != nil {
			return err
		}
		shift, err := v.Shift(confidence)
		if err != nil {
			return err
		}
		row.Ratio, row.Shift = &ratio, &shift
		if row.wild() {
			row.warn("launches differ so much that no ratio is given: the difference says what is known")
			row.Ratio, row.Shift = nil, nil
		}
	}
	if row.uncertified { // what a side cannot bound, a comparison cannot either
		for _, e := range []*stats.Estimate{row.Difference, row.Ratio, row.Shift} {
			if e != nil {
				e.Interval = stats.Unbounded
			}
		}
	}
	row.Cliff = finite(stats.CliffDelta(v.A, v.B))
	if row.Cliff != nil {
		row.Effect = stats.EffectName(*row.Cliff)
	}
	row.HedgesG = finite(stats.HedgesG(v.A, v.B))
	return row.test()
}

// widest is the factor between the ends of a ratio's interval beyond which the ratio
// says nothing: with a factor of 100 the candidate may be ten times as fast or as slow.
const widest = 100

// wild reports whether the ratio says nothing, or points the other way than the means
// that stand beside it. It is one of geometric means, and a launch far from the others
// moves those less.
func (row *Row) wild() bool {
	i := row.Ratio.Interval
	contradicts := (row.Ratio.Value-1)*row.Difference.Value < 0
	return contradicts && i.Lo < 1 && i.Hi > 1 || i.Lo > 0 && i.Hi/i.Lo > widest
}

// test asks whether the sides differ. A percentile that is not certified is not
// asked about: it would cost the others their share of the error budget.
func (row *Row) test() error {
	if row.uncertified {
		return nil
	}
	test, err := row.values.Test()
	switch {
	case errors.Is(err, stats.ErrNoSpread):
		row.warn("the values never vary from launch to launch: they are compared as they are")
		return nil
	case err != nil:
		return err
	}
	row.P = &Tested{P: row.beyondArrivals(row.beyondRuns(test.P)), Method: test.Method}
	if ranks, err := row.values.Ranks(); err == nil { // pairs without a difference have none
		row.Ranks = finite(ranks.P)
	}
	return nil
}

// finite is a pointer to v, or nil where JSON has no word for it.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
