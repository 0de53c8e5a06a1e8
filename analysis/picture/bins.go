package picture

import (
	"math"
	"slices"

	"assay/unit"
)

// A chart shows no more than so many bins, of which each should hold some
// requests: with fewer the number of requests in a bin is mostly chance.
const (
	mostBins    = 300
	fewestBins  = 40
	perBin      = 10
	shortestBin = 0.05 // s
)

// bins divide a time into equal parts.
type bins struct {
	from, step float64 // seconds
	n          int
}

// newBins divides the time from from to to into bins of a round length that is not
// below least. A time that ends before it begins has one.
func newBins(from, to, least float64) bins {
	to = max(to, from)
	step := roundUp(max(least, (to-from)/(mostBins-2), shortestBin))
	from = math.Floor(from/step) * step
	return bins{from, step, int(math.Floor((to-from)/step)) + 1}
}

// forRequests is newBins for so many requests.
func forRequests(from, to float64, requests int) bins {
	return newBins(from, to, (to-from)/float64(max(fewestBins, requests/perBin)))
}

// roundUp is the next of 1, 2 and 5 times a power of ten.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, factor := range []float64{1, 2, 5} {
		if v <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// of is the bin of a second; −1 outside of all.
func (b bins) of(at float64) int {
	if i := int(math.Floor((at - b.from) / b.step)); i >= 0 && i < b.n {
		return i
	}
	return -1
}

// series makes a series of one value for each bin; what is no number was not seen.
func (b bins) series(name, source, scope string, u unit.Unit, values []float64) Series {
	s := Series{Name: name, Source: source, Scope: scope, Unit: u, Step: rounded(b.step), Start: rounded(b.from + b.step/2), Values: make([]*float64, b.n)}
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			v = rounded(v)
			s.Values[i] = &v
		}
	}
	return s
}

// empty reports whether nothing was seen at all.
func (s Series) empty() bool {
	return !slices.ContainsFunc(s.Values, func(v *float64) bool { return v != nil })
}

// A flow gathers what happens over stretches of time: how much of it falls into
// each bin.
type flow struct {
	bins
	inside []float64 // what lies in a bin's own part
	slope  []float64 // changes of the rate that whole bins have
}

func newFlow(b bins) *flow { return &flow{b, make([]float64, b.n), make([]float64, b.n+1)} }

// add spreads an amount evenly from from to to. What falls before or behind all
// bins is not in any.
func (f *flow) add(from, to, amount float64) {
	if to <= from {
		f.at(from, amount)
		return
	}
	rate := amount / (to - from)
	from, to = max(from, f.from), min(to, f.from+float64(f.n)*f.step)
	if to <= from {
		return
	}
	first, last := f.of(from), f.of(to)
	if last < 0 { // the very end
		last = f.n - 1
	}
	if first == last {
		f.inside[first] += rate * (to - from)
		return
	}
	f.inside[first] += rate * (f.from + float64(first+1)*f.step - from)
	f.inside[last] += rate * (to - f.from - float64(last)*f.step)
	f.slope[first+1] += rate
	f.slope[last] -= rate
}

// at adds an amount all at once.
func (f *flow) at(second, amount float64) {
	if i := f.of(second); i >= 0 {
		f.inside[i] += amount
	}
}

// perSecond is the mean rate in each bin.
func (f *flow) perSecond() []float64 {
	out := make([]float64, f.n)
	rate := 0.0
	for i := range out {
		rate += f.slope[i]
		// Rates that were added and taken away leave a rest of rounding.
		if out[i] = f.inside[i]/f.step + rate; math.Abs(out[i]) < 1e-9 {
			out[i] = 0
		}
	}
	return out
}
