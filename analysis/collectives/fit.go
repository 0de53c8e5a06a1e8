package collectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/stats"
	"assay/unit"
)

// The rule of the fit. Least squares on relative errors breaks at a knee, such as a
// token bucket or a change of protocol; least squares on seconds gives a good slope
// and a poor intercept. So each is taken where it is good.
const (
	smallBytes  = 4 << 10 // sizes up to here are all latency
	halfOfBest  = .5      // sizes from half of the best bus bandwidth on are all bandwidth
	mostWorst   = .25     // a model that is farther off at any size may not predict
	fewestSizes = 3       // of a segment: two points fit every line
)

const fitRule = "α: median time up to 4 KiB; β: least squares over the sizes with at least half of the best bus bandwidth; may predict when the worst residual is at most 25 %"

// A sample is the time of one size.
type sample struct {
	bytes int64
	time  float64
	bus   float64
}

// fits are the models of every operation that was measured at several sizes.
func fits(rows []Row) (list []Fit) {
	type key struct {
		op, asked string
		ranks     int
		inPlace   bool
	}
	var order []key
	samples := map[key][]sample{}
	for _, r := range rows {
		if r.AlgBW == nil {
			continue
		}
		k := key{r.Op, r.Asked, r.Ranks, r.InPlace}
		if samples[k] == nil {
			order = append(order, k)
		}
		samples[k] = append(samples[k], sample{r.Bytes, r.Time.Value, r.AlgBW.Value})
	}
	for _, k := range order {
		own := samples[k]
		if len(own) < 2 {
			continue // one size is no curve
		}
		slices.SortFunc(own, func(a, b sample) int { return cmp.Compare(a.bytes, b.bytes) })
		f := Fit{Op: k.op, Algorithm: k.asked, Ranks: k.ranks, InPlace: k.inPlace, Rule: fitRule}
		f.fit(own)
		list = append(list, f)
	}
	return list
}

// fit fills in the model and says whether it may predict.
func (f *Fit) fit(own []sample) {
	line, refused := lineOf(own)
	if refused != "" {
		f.Refused = refused
		return
	}
	f.Alpha, f.Beta, f.Half = line.Alpha, line.Beta, line.Alpha*line.Beta
	f.Residual = line.worst(own)
	f.Predicted = heldOut(own)
	if f.Residual <= mostWorst {
		f.Usable = true
		return
	}
	f.Segments = segments(own)
	switch {
	case len(f.Segments) == 0:
		f.Refused = fmt.Sprintf("one line is up to %.0f %% off, and two take %d sizes", 100*f.Residual, 2*fewestSizes)
	case slices.ContainsFunc(f.Segments, func(s Segment) bool { return s.Residual > mostWorst }):
		f.Refused = fmt.Sprintf("one line is up to %.0f %% off, and two are not good enough either", 100*f.Residual)
	default:
		f.Usable = true
	}
}

// Time is what the model says of a size, in seconds; false where it may not. Two
// segments speak only of what lies inside them.
func (f Fit) Time(bytes int64) (float64, bool) {
	if !f.Usable {
		return 0, false
	}
	if len(f.Segments) == 0 {
		return Segment{Alpha: f.Alpha, Beta: f.Beta}.at(bytes), true
	}
	for _, s := range f.Segments {
		if s.From <= bytes && bytes <= s.To {
			return s.at(bytes), true
		}
	}
	return 0, false
}

func (s Segment) at(bytes int64) float64 { return s.Alpha + float64(bytes)/s.Beta }

// worst is the largest relative residual.
func (s Segment) worst(own []sample) float64 {
	most := 0.0
	for _, one := range own {
		most = max(most, math.Abs(s.at(one.bytes)/one.time-1))
	}
	return most
}

// lineOf is the model by the rule, or why there is none.
func lineOf(own []sample) (Segment, string) {
	var small []float64
	var large []sample
	best := 0.0
	for _, one := range own {
		best = max(best, one.bus)
	}
	for _, one := range own {
		if one.bytes <= smallBytes {
			small = append(small, one.time)
		}
		if one.bus >= halfOfBest*best {
			large = append(large, one)
		}
	}
	switch {
	case len(small) == 0:
		return Segment{}, fmt.Sprintf("no size up to %v shows the latency", unit.Bytes(smallBytes))
	case len(large) < 2:
		return Segment{}, "one size alone reaches half of the best bandwidth: add larger ones"
	}
	_, slope := leastSquares(large, func(sample) float64 { return 1 })
	if slope <= 0 {
		return Segment{}, "times do not grow with size: add larger ones"
	}
	return Segment{From: own[0].bytes, To: own[len(own)-1].bytes, Alpha: stats.Middle(small), Beta: 1 / slope}, ""
}

// leastSquares is the line through samples with the given weights of squares.
func leastSquares(own []sample, weight func(sample) float64) (intercept, slope float64) {
	var w, x, y, xx, xy float64
	for _, one := range own {
		k, s := weight(one), float64(one.bytes)
		w, x, y = w+k, x+k*s, y+k*one.time
		xx, xy = xx+k*s*s, xy+k*s*one.time
	}
	slope = (w*xy - x*y) / (w*xx - x*x)
	return (y - slope*x) / w, slope
}

// segments are the two lines that are least off, each over enough sizes; none where
// there are too few, or a line would run backwards.
func segments(own []sample) (best []Segment) {
	least := math.Inf(1)
	for cut := fewestSizes; cut+fewestSizes <= len(own); cut++ {
		a, okA := relative(own[:cut])
		b, okB := relative(own[cut:])
		if worst := max(a.Residual, b.Residual); okA && okB && worst < least {
			best, least = []Segment{a, b}, worst
		}
	}
	return best
}

// relative is the line with the least squares of relative errors.
func relative(own []sample) (Segment, bool) {
	intercept, slope := leastSquares(own, func(s sample) float64 { return 1 / (s.time * s.time) })
	s := Segment{From: own[0].bytes, To: own[len(own)-1].bytes, Alpha: intercept, Beta: 1 / slope}
	s.Residual = s.worst(own)
	return s, slope > 0
}

// heldOut predicts every inner size from the others: a model that was never asked
// about what it has not seen has proved nothing.
func heldOut(own []sample) (list []Predicted) {
	for i := 1; i < len(own)-1; i++ {
		others := slices.Concat(own[:i], own[i+1:])
		if line, refused := lineOf(others); refused == "" {
			list = append(list, Predicted{Bytes: own[i].bytes, Expected: line.at(own[i].bytes), Measured: own[i].time})
		}
	}
	return list
}
