package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// ChangePointOptions tunes ChangePoints. The zero value is ready to use.
type ChangePointOptions struct {
	// Shortest is the fewest values of a segment. Zero means 3: one spike among values
	// that did not change is no change.
	Shortest int

	// Alpha is the largest P of a change. Zero means 0.001: a history is looked at after
	// every run, and each look may raise a false alarm.
	Alpha float64

	// Rounds is the most arrangements that one test draws. Zero means 9999. A test whose
	// answer is clear before that draws fewer. Where alpha is smaller than so many can show,
	// P is that of a tail; see beyond.
	Rounds int

	// Seed is that of the arrangements.
	Seed int64

	// Between is called before every arrangement, some ten thousand times where there is a
	// change: it may let others go first, and its error ends the search. Nil means that the
	// search goes on to its end.
	Between func() error
}

// A ChangePoint is a place at which a series changed.
type ChangePoint struct {
	At        int     `json:"at"` // index of the first value after the change
	Statistic float64 `json:"statistic"`
	P         float64 `json:"p"`
	Method    string  `json:"method"` // what P is from
}

// The methods of ChangePoints.
const (
	ChangePointMethod     = "e-divisive/permutation"
	ChangePointTailMethod = "e-divisive/permutation-tail"
)

// enoughExtreme ends a test: P is then known well enough to say that it is not small.
const enoughExtreme = 20

func (o ChangePointOptions) withDefaults() ChangePointOptions {
	if o.Shortest == 0 {
		o.Shortest = 3
	}
	if o.Alpha == 0 {
		o.Alpha = .001
	}
	if o.Rounds == 0 {
		o.Rounds = 9999
	}
	if o.Between == nil {
		o.Between = func() error { return nil }
	}
	return o
}

// ChangePoints finds the places at which the distribution of xs changes, by hierarchical
// divisive estimation with the energy statistic (E-divisive; Matteson and James 2014):
// the split of the series with the largest statistic is kept when fewer than alpha of
// the arrangements of the same values have a larger one somewhere, and each part is then
// searched in turn. Both ends of the second part are searched for, so that a change back
// does not hide the change before it. Nothing is assumed about the shape of the noise;
// that it does not depend on the past is.
func ChangePoints(xs []float64, options ChangePointOptions) ([]ChangePoint, error) {
	o := options.withDefaults()
	if o.Shortest < 2 || o.Alpha <= 0 || o.Alpha >= 1 || o.Rounds < 1 {
		return nil, fmt.Errorf("shortest segment %d, alpha %g, %d rounds: want at least 2, between 0 and 1, at least 1", o.Shortest, o.Alpha, o.Rounds)
	}
	if i := slices.IndexFunc(xs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
		return nil, fmt.Errorf("value %d is %v: want finite numbers", i, xs[i])
	}
	var found []ChangePoint
	rng := rand.New(rand.NewPCG(uint64(o.Seed), changeStream))
	var search func(lo, hi int) error
	search = func(lo, hi int) error {
		c, changed, err := o.split(xs[lo:hi], rng)
		if err != nil || !changed {
			return err
		}
		c.At += lo
		if err := search(lo, c.At); err != nil {
			return err
		}
		found = append(found, c)
		return search(c.At, hi)
	}
	if err := search(0, len(xs)); err != nil {
		return nil, err
	}
	return found, nil
}

// changeStream keeps the random numbers of change points apart from those that others
// draw from the same seed.
const changeStream = 0x63686e67

// split is the strongest change of xs, and whether it is one. P is that of a sequential
// test (Besag and Clifford 1991), which is valid wherever it stops.
func (o ChangePointOptions) split(xs []float64, rng *rand.Rand) (ChangePoint, bool, error) {
	if len(xs) < 2*o.Shortest {
		return ChangePoint{}, false, nil
	}
	d := newDistances(len(xs))
	at, observed := d.best(xs, o.Shortest)
	if observed <= 0 {
		return ChangePoint{}, false, nil // all values are equal
	}
	if o.Alpha*float64(o.Rounds+1) < 1 {
		return o.beyond(d, xs, at, observed, rng)
	}
	shuffled := slices.Clone(xs)
	extreme, tried := 0, 0
	for tried < o.Rounds && extreme < enoughExtreme {
		if err := o.Between(); err != nil {
			return ChangePoint{}, false, err
		}
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		tried++
		if d.reaches(shuffled, o.Shortest, observed*(1-arrangementSlack)) {
			extreme++
		}
	}
	p := float64(extreme+1) / float64(tried+1)
	if extreme == enoughExtreme {
		p = float64(extreme) / float64(tried)
	}
	return ChangePoint{at, observed, p, ChangePointMethod}, p <= o.Alpha, nil
}

// distances holds the sums of |x−y| over blocks of pairs, so that the statistic of any
// split costs four readings.
type distances struct {
	n        int
	sums     []float64 // of all pairs below i and j, in rows of n+1, where j is at least i
	within   []float64 // of all pairs below i
	inverses []float64 // 1/i
}

func newDistances(n int) *distances {
	d := &distances{n, make([]float64, (n+1)*(n+1)), make([]float64, n+1), make([]float64, n+1)}
	for i := range d.inverses {
		d.inverses[i] = 1 / float64(i)
	}
	return d
}

// fill takes four rows at a time: a sum waits for the one before it, and the processor
// adds to the other three meanwhile. Each sum is added up in the same order as alone.
func (d *distances) fill(xs []float64) {
	i := 0
	for ; i+4 <= len(xs); i += 4 {
		a, b, c, e := xs[i], xs[i+1], xs[i+2], xs[i+3]
		var p, q, r, s float64
		for _, y := range xs[:i] { // nobody reads the columns of these
			p, q, r, s = p+math.Abs(a-y), q+math.Abs(b-y), r+math.Abs(c-y), s+math.Abs(e-y)
		}
		rest := xs[i:]
		above, first := d.row(i)[i+1:][:len(rest)], d.row(i + 1)[i+1:][:len(rest)]
		second, third, fourth := d.row(i + 2)[i+1:][:len(rest)], d.row(i + 3)[i+1:][:len(rest)], d.row(i + 4)[i+1:][:len(rest)]
		for j, y := range rest {
			p, q, r, s = p+math.Abs(a-y), q+math.Abs(b-y), r+math.Abs(c-y), s+math.Abs(e-y)
			sum := above[j] + p
			first[j] = sum
			sum += q
			second[j] = sum
			sum += r
			third[j] = sum
			fourth[j] = sum + s
		}
	}
	for ; i < len(xs); i++ {
		row := 0.0
		above, here := d.row(i), d.row(i+1)
		for j, y := range xs {
			row += math.Abs(xs[i] - y)
			if j >= i {
				here[j+1] = above[j+1] + row
			}
		}
	}
	for i := range d.within {
		d.within[i] = d.row(i)[i]
	}
}

func (d *distances) row(i int) []float64 { return d.sums[i*(d.n+1) : (i+1)*(d.n+1)] }

// energy compares the values below at with those from there to end.
func (d *distances) energy(at, end int) float64 {
	left, all, both := d.within[at], d.within[end], d.row(at)[end]
	between := both - left
	right := all - left - 2*between
	n, m := float64(at), float64(end-at)
	// left and right count every pair twice, as n(n−1) does.
	return m * n / (m + n) * (2*between/(m*n) - left/(n*(n-1)) - right/(m*(m-1)))
}

// outlineSlack is far more than rounding makes of an outline, and far less than makes many
// splits worth a closer look.
const outlineSlack = 1e-12

// outline is never less than energy(at, end)·end, and hardly more. It divides by nothing,
// which is most of what the statistic costs. each is left/(at−1), both that of the split.
func (d *distances) outline(at, end int, left, each, both float64) float64 {
	between := 2 * (both - left)
	inside := each * float64(end-at)
	after := (d.within[end] - left - between) * float64(at) * d.inverses[end-at-1]
	return between - inside - after + outlineSlack*(between+inside+math.Abs(after))
}

// best is the split with the largest statistic, over where it is and where its second
// part ends.
func (d *distances) best(xs []float64, shortest int) (at int, most float64) {
	d.fill(xs)
	most = math.Inf(-1)
	for i := shortest; i <= len(xs)-shortest; i++ {
		left, row := d.within[i], d.row(i)
		each := left * d.inverses[i-1]
		for end := i + shortest; end < len(row); end++ {
			if d.outline(i, end, left, each, row[end]) < most*float64(end) {
				continue
			}
			if q := d.energy(i, end); q > most {
				at, most = i, q
			}
		}
	}
	return at, most
}

// reaches reports whether a split has at least such a statistic: whether best does, for
// less.
func (d *distances) reaches(xs []float64, shortest int, least float64) bool {
	d.fill(xs)
	for i := shortest; i <= len(xs)-shortest; i++ {
		left, row := d.within[i], d.row(i)
		each := left * d.inverses[i-1]
		for end := i + shortest; end < len(row); end++ {
			if d.outline(i, end, left, each, row[end]) >= least*float64(end) && d.energy(i, end) >= least {
				return true
			}
		}
	}
	return false
}
