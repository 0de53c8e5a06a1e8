package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Mode is a peak of the density of a sample.
type Mode struct {
	At         float64 `json:"at"`
	Share      float64 `json:"share"`      // of the values nearer to it than the valleys beside it
	Prominence float64 `json:"prominence"` // height above the higher valley, relative to the highest peak
}

// The rules by which Perfherder counts modes (mozilla/treeherder, count_modes).
const (
	modeGrid             = 512 // points of the density
	leastProminence      = .02 // of the highest peak
	mostProminence       = .20
	prominencePercentile = .90 // of the slope, between those two
	modeSpacing          = .05 // of the range
)

// fewestForModes is the least sample in which bumps mean anything.
const fewestForModes = 30

// Modes finds the peaks of the density of xs, estimated with normal kernels of
// Silverman's bandwidth, from left to right. More than one says that the sample is
// a mixture (a cache that hits or misses, two kinds of requests), that its median
// may lie where no value does, and that each part should be looked at alone.
//
// Do not trust it for fewer than 30 values, which it gives no modes for; for values
// with few different ones, where every value is a peak; for values that depend on
// their neighbours, where a slow spell looks like a mode; or for long tails on a
// plain scale: latencies over several factors of ten want their logarithms. It may
// miss modes closer than two standard deviations of each, and one finding is a
// question, not a verdict.
func Modes(xs []float64) []Mode {
	if len(xs) < fewestForModes {
		return nil
	}
	sorted := slices.Sorted(slices.Values(xs))
	width := silverman(sorted)
	low, high := sorted[0], sorted[len(sorted)-1]
	if width == 0 || low == high {
		return []Mode{{At: middle(sorted), Share: 1, Prominence: 1}}
	}
	low, high = low-3*width, high+3*width
	step := (high - low) / (modeGrid - 1)
	density := kernelDensity(sorted, low, step, width)
	highest := slices.Max(density)
	slopes := make([]float64, modeGrid-1)
	for i := range slopes {
		slopes[i] = math.Abs(density[i+1] - density[i])
	}
	slices.Sort(slopes)
	need := min(mostProminence*highest, max(leastProminence*highest, percentileOf(slopes, prominencePercentile)))

	var peaks []int
	for i := 1; i+1 < modeGrid; i++ {
		if density[i] > density[i-1] && density[i] >= density[i+1] && prominence(density, i) >= need {
			peaks = append(peaks, i)
		}
	}
	peaks = spaced(peaks, density, int(math.Ceil(modeSpacing*modeGrid)))
	modes := make([]Mode, len(peaks))
	from := math.Inf(-1)
	for m, at := range peaks {
		to := math.Inf(1)
		if m+1 < len(peaks) {
			to = low + step*float64(lowest(density, at, peaks[m+1]))
		}
		count := 0
		for _, x := range sorted {
			if x > from && x <= to {
				count++
			}
		}
		modes[m] = Mode{At: low + step*float64(at), Share: float64(count) / float64(len(xs)), Prominence: prominence(density, at) / highest}
		from = to
	}
	return modes
}

// silverman is the bandwidth 0.9·min(s, IQR/1.34)·n^(−1/5) (Density Estimation,
// 1986, 3.31).
func silverman(sorted []float64) float64 {
	spread := stat.StdDev(sorted, nil)
	if quartiles := (percentileOf(sorted, .75) - percentileOf(sorted, .25)) / 1.34; quartiles > 0 {
		spread = min(spread, quartiles)
	}
	return .9 * spread * math.Pow(float64(len(sorted)), -.2)
}

// kernelDensity is a density on the grid; kernels end at five bandwidths.
func kernelDensity(sorted []float64, low, step, width float64) []float64 {
	density := make([]float64, modeGrid)
	scale := 1 / (float64(len(sorted)) * width * math.Sqrt(2*math.Pi))
	for _, x := range sorted {
		first := max(0, int(math.Ceil((x-5*width-low)/step)))
		last := min(modeGrid-1, int((x+5*width-low)/step))
		for i := first; i <= last; i++ {
			z := (low + step*float64(i) - x) / width
			density[i] += scale * math.Exp(-z*z/2)
		}
	}
	return density
}

// prominence is how far one must come down from a peak to reach a higher one, or
// the ground.
func prominence(density []float64, peak int) float64 {
	valley := func(step int) float64 {
		least := density[peak]
		for i := peak + step; i >= 0 && i < len(density); i += step {
			if density[i] > density[peak] {
				return least
			}
			least = min(least, density[i])
		}
		return least
	}
	return density[peak] - max(valley(-1), valley(1))
}

// spaced drops the lower of two peaks that are too close, the highest peaks first.
func spaced(peaks []int, density []float64, apart int) []int {
	byHeight := slices.Clone(peaks)
	slices.SortFunc(byHeight, func(a, b int) int {
		if density[a] != density[b] {
			if density[a] > density[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	var kept []int
	for _, p := range byHeight {
		if !slices.ContainsFunc(kept, func(k int) bool { return max(k-p, p-k) < apart }) {
			kept = append(kept, p)
		}
	}
	slices.Sort(kept)
	return kept
}

// lowest is where the density is least between two peaks.
func lowest(density []float64, from, to int) int {
	at := from
	for i := from; i <= to; i++ {
		if density[i] < density[at] {
			at = i
		}
	}
	return at
}
