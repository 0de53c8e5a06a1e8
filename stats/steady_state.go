package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Shape is how the level of a series behaves over time.
type Shape string

// The shapes.
const (
	Flat        Shape = "flat"         // one level throughout
	WarmUp      Shape = "warm-up"      // one level from some early index on
	Drift       Shape = "drift"        // still rising or falling at the end
	Step        Shape = "step"         // a plateau, and later another one
	Cyclic      Shape = "cyclic"       // swings with a period
	NeverSteady Shape = "never-steady" // wanders, or jumps again and again
	TooShort    Shape = "too-short"    // too few values to tell
)

// Shapes lists those that a long enough series can have.
var Shapes = []Shape{Flat, WarmUp, Drift, Step, Cyclic, NeverSteady}

// SteadyOptions tunes SteadyState. The zero value is ready to use.
type SteadyOptions struct {
	// Tolerance is the relative change of the level that does not matter, however
	// sure it is. Zero means .02.
	Tolerance float64

	// Medians looks at the medians of batches, which single slow values do not
	// move, instead of their means.
	Medians bool
}

// Steadiness says whether and where a series is steady, and why.
type Steadiness struct {
	Shape Shape `json:"shape"`
	N     int   `json:"n"`
	Batch int   `json:"batch"` // values in each of the means or medians that were looked at

	// Begin and End bound the steady part, End not included. They are equal when
	// there is none. Of a step it is the first plateau.
	Begin int `json:"begin"`
	End   int `json:"end"`

	Level   float64 `json:"level"`             // mean of the steady part, or of all where there is none
	Change  float64 `json:"change"`            // what the level does, relative to it: last less first, after less before, or the swing
	Period  float64 `json:"period,omitempty"`  // of a cycle, in values
	Changes []int   `json:"changes,omitempty"` // where the level jumps
	Warm    int     `json:"warm"`              // where a warm-up ends, whatever came after it; 0 without one

	// Correlation of neighbouring batches and Noise of one, relative to the level,
	// are what the shape leaves. A change of less than three noises is not seen.
	Correlation float64  `json:"correlation"`
	Noise       float64  `json:"noise"`
	Reasons     []string `json:"reasons"`
}

// Steady reports whether the series reached one level and kept it to its end.
func (s Steadiness) Steady() bool { return s.Shape == Flat || s.Shape == WarmUp }

const (
	fewestBatches = 20 // below this no shape can be told from noise
	mostBatches   = 60 // more would only cost time: batches are for averaging noise away
	batchOfMSER   = 5  // values in a batch, where there are enough

	// wandering is the correlation of neighbouring batches from which on a series
	// has no level worth the name: of sixty batches some ten count. Where a curve
	// was needed and still leaves restless, the curve is not the whole story.
	wandering, restless = .7, .55

	// earlyPart is where a jump from one level to another still is a warm-up, and
	// latePart where a decay still is one: MSER's own limit.
	earlyPart, latePart = 1. / 3, 1. / 2
)

// SteadyState says which shape xs, values in the order of time, has and which
// part of it is steady.
//
// The series is cut into at most 60 batches, whose means or medians are compared
// with curves of each shape. Noise around a curve may depend on its neighbours: each is
// fitted under a first-order autoregression, so that slow noise is not taken for
// a curve, and the simplest that explains the series is chosen (see judgeShape).
// MSER-5, Pettitt, Mann–Kendall and PELT are asked too and quoted in the reasons.
// A change smaller than the tolerance is no change.
func SteadyState(xs []float64, opts SteadyOptions) Steadiness {
	if opts.Tolerance == 0 {
		opts.Tolerance = .02
	}
	n := len(xs)
	s := Steadiness{N: n, Shape: TooShort, Batch: 1}
	if n < fewestBatches {
		s.Level = mean(xs)
		s.Reasons = []string{fmt.Sprintf("%d values: want at least %d", n, fewestBatches)}
		return s
	}
	s.Batch = SteadyBatch(n)
	batches, back := relative(opts.batches(xs, s.Batch))
	clipped, spikes := clipSpikes(batches)
	s.fill(xs, judgeShape(clipped, opts.Tolerance), back)
	s.Reasons = append(s.reasons(xs, opts), evidence(xs, clipped)...)
	if spikes > 0 {
		s.Reasons = append(s.Reasons, fmt.Sprintf("%d of %d batches are spikes and were held to their neighbours here; they count in every figure", spikes, len(batches)))
	}
	return s
}

func (o SteadyOptions) batches(xs []float64, size int) []float64 {
	list := BatchMeans(xs, size)
	if o.Medians {
		for i := range list {
			list[i] = medianOf(xs[i*size : (i+1)*size])
		}
	}
	return list
}

// relative puts batches on a scale on which a difference is a relative change:
// logarithms, on which the noise of a slow beginning is no larger than that of the
// rest, or where there are none shares of the mean. Back turns a difference into
// the relative change that it is.
func relative(batches []float64) (ys []float64, back func(float64) float64) {
	ys = slices.Clone(batches)
	if slices.Min(ys) > 0 {
		for i, y := range ys {
			ys[i] = math.Log(y)
		}
		return ys, math.Expm1
	}
	if scale := math.Abs(mean(batches)); scale > 0 {
		for i := range ys {
			ys[i] /= scale
		}
	}
	return ys, func(difference float64) float64 { return difference }
}

// SteadyBatch is how many of n values SteadyState takes the mean of: so many that
// there are at most 60 means and, where there are enough values, five.
func SteadyBatch(n int) int {
	size := (n + mostBatches - 1) / mostBatches
	return max(size, min(batchOfMSER, n/(2*fewestBatches)), 1)
}

// fill turns what is known of batches into indexes of xs.
func (s *Steadiness) fill(xs []float64, f judged, back func(float64) float64) {
	s.Shape, s.Correlation = f.shape, f.correlation
	s.Change, s.Noise = back(f.change), f.noise
	s.Warm = f.warm * s.Batch
	s.Begin, s.End = s.Warm, s.N
	s.Period = f.period * float64(s.Batch)
	for _, at := range f.changes {
		s.Changes = append(s.Changes, at*s.Batch)
	}
	switch s.Shape {
	case Step:
		s.End = s.Changes[0]
	case Drift, Cyclic, NeverSteady:
		s.Begin, s.End = 0, 0
	}
	s.Level = mean(xs)
	if s.End > s.Begin {
		s.Level = mean(xs[s.Begin:s.End])
	}
}

// reasons says in words what was found.
func (s Steadiness) reasons(xs []float64, opts SteadyOptions) []string {
	percent := 100 * s.Change
	var list []string
	if s.Warm > 0 {
		after := mean(xs[s.Warm:])
		list = append(list, fmt.Sprintf("the mean of the first %d of %d values is %+.1f %% off that of those after them", s.Warm, s.N, 100*(mean(xs[:s.Warm])-after)/math.Abs(after)))
	}
	switch s.Shape {
	case Flat:
		list = append(list, fmt.Sprintf("no curve explains the series better than one level (changes below %.2g %% would not be seen)", 100*max(opts.Tolerance, 3*s.Noise)))
	case Drift:
		list = append(list, fmt.Sprintf("the level moves by %+.1f %% from beginning to end and has not settled in the first half", percent))
	case Step:
		list = append(list, fmt.Sprintf("from value %d on the level has changed by %+.1f %%", s.Changes[0], percent))
	case Cyclic:
		list = append(list, fmt.Sprintf("the level swings by %.1f %% with a period of about %.0f values", percent, s.Period))
	case NeverSteady:
		if len(s.Changes) > 1 {
			list = append(list, fmt.Sprintf("the level jumps %d times, over %.1f %%", len(s.Changes), percent))
		} else {
			list = append(list, fmt.Sprintf("its level varied by %.1f %% (neighbouring batches have a correlation of %.2f)", percent, s.Correlation))
		}
	}
	return list
}

// evidence quotes the tests that have a name.
func evidence(xs, batches []float64) []string {
	var list []string
	if t := MSER5(xs); t.Rejected {
		list = append(list, "MSER-5 finds no end of a warm-up in the first half")
	} else {
		list = append(list, fmt.Sprintf("MSER-5 drops the first %d values", t.Drop))
	}
	trend, shift := MannKendall(batches), Pettitt(batches)
	list = append(list, fmt.Sprintf("Mann–Kendall (Hamed–Rao) p = %.2g, Pettitt p = %.2g, of %d batches", trend.P, shift.P, len(batches)))
	return list
}

// clipSpikes holds batches that stand far above or below both those before and
// those after them to the nearer of the two: one slow batch is an outlier and no
// state. The first three are left as they are, since slow ones there are a
// warm-up.
func clipSpikes(batches []float64) (clipped []float64, spikes int) {
	const around, head, far = 3, 3, 6
	clipped = slices.Clone(batches)
	off := make([]float64, 0, len(batches))
	nearer := make([]float64, len(batches))
	for i := head; i+1 < len(batches); i++ {
		before := batches[i] - medianOf(batches[i-around:i])
		after := batches[i] - medianOf(batches[i+1:min(len(batches), i+around+1)])
		off = append(off, math.Abs(before), math.Abs(after))
		if before*after > 0 {
			nearer[i] = math.Copysign(min(math.Abs(before), math.Abs(after)), before)
		}
	}
	limit := far * 1.4826 * medianOf(off)
	for i, stands := range nearer {
		if math.Abs(stands) > limit && limit > 0 {
			clipped[i] -= stands
			spikes++
		}
	}
	return clipped, spikes
}

func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return stat.Mean(xs, nil)
}
