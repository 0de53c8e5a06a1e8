package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"assay/metric"
	"assay/stats"
)

// A distribution is shown at so many places: every hundredth of the values up to
// nine tenths, and from there on ever finer, evenly in the logarithm of what is
// still slower, so that a p99.9 is as easy to see as a p90.
const (
	bodyPlaces = 90
	tailPlaces = 100
	slowest    = 1e-4
)

var shares = func() []float64 {
	list := []float64{.95, .99, .999, 1} // what people read off must be there exactly
	for i := range bodyPlaces + 1 {
		list = append(list, float64(i)/100)
	}
	for i := range tailPlaces {
		list = append(list, 1-.1*math.Pow(slowest/.1, float64(i+1)/tailPlaces))
	}
	slices.Sort(list)
	return slices.Compact(list)
}()

// fewestLaunches is how many launches can say how far others would be off.
const fewestLaunches = 3

// distribution shows the launches of one place together.
func distribution(m metric.Metric, at place, curves []*metric.Curve, confidence float64) Distribution {
	d := Distribution{Metric: m.ID, Name: m.Name, Unit: m.Unit, Point: at.point, Side: at.side, Value: []float64{}, Share: []float64{}, Lo: []float64{}, Hi: []float64{}}
	for _, c := range curves {
		d.N += c.N
	}
	band := overLaunches(confidence)
	d.Band = fmt.Sprintf("%g %% t interval over %d launches, at each value by itself", 100*confidence, len(curves))
	if len(curves) < fewestLaunches {
		band = insideLaunches(confidence, d.N)
		d.Band = fmt.Sprintf("%g %% Dvoretzky–Kiefer–Wolfowitz band of the values inside %s, as if they were independent: it says nothing about other launches", 100*confidence, launches(len(curves)))
	}
	for _, x := range values(curves) {
		var each, weights []float64
		for _, c := range curves {
			each, weights = append(each, c.At(x)), append(weights, float64(c.N))
		}
		share, half := band(each, weights)
		d.Value = append(d.Value, rounded(x))
		d.Share = append(d.Share, rounded(share))
		d.Lo, d.Hi = append(d.Lo, rounded(max(0, share-half))), append(d.Hi, rounded(min(1, share+half)))
	}
	return d
}

func launches(n int) string {
	if n == 1 {
		return "one launch"
	}
	return fmt.Sprintf("%d launches", n)
}

// values are where the curves are read: the values that all launches together have
// at the shares.
func values(curves []*metric.Curve) (list []float64) {
	type step struct{ value, weight float64 }
	var steps []step
	total := 0.0
	for _, c := range curves {
		before := 0.0
		for i, v := range c.Value {
			steps = append(steps, step{v, (c.Share[i] - before) * float64(c.N)})
			before = c.Share[i]
		}
		total += float64(c.N)
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.value, b.value) })
	sum, next := 0.0, 0
	for _, s := range steps {
		sum += s.weight
		for next < len(shares) && sum >= shares[next]*total*(1-1e-9) {
			// Of values that look alike the greatest is kept: the share is that of all.
			if n := len(list); n > 0 && rounded(list[n-1]) == rounded(s.value) {
				list = list[:n-1]
			}
			list = append(list, s.value)
			next++
		}
	}
	return list
}

// A band is the share at a value and half of the width of what is around it.
type band func(each, weights []float64) (share, half float64)

// overLaunches takes launches as the replicates that they are.
func overLaunches(confidence float64) band {
	return func(each, _ []float64) (float64, float64) {
		mean, deviation := stat.MeanStdDev(each, nil)
		n := len(each)
		return mean, stats.TQuantile(1-(1-confidence)/2, n-1) * deviation / math.Sqrt(float64(n))
	}
}

// insideLaunches is the band of Dvoretzky, Kiefer and Wolfowitz with the constant
// of Massart (1990) around all values together.
func insideLaunches(confidence float64, n int) band {
	half := math.Sqrt(math.Log(2/(1-confidence)) / (2 * float64(n)))
	return func(each, weights []float64) (float64, float64) { return stat.Mean(each, weights), half }
}

// rounded keeps six significant digits: more than a chart can show.
func rounded(v float64) float64 {
	near, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // what FormatFloat writes can be read
	return near
}
