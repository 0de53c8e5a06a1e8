package stats

import (
	"math"
	"slices"
)

// LevelOutliers are the places of values that lie apart from the others of their level: at
// most one in five, by the generalised test of the farthest value (Rosner 1983) at 0.001.
func LevelOutliers(xs []float64) (places []int) {
	const alpha = .001
	if len(xs) < FewestLevel {
		return nil
	}
	left := make([]int, len(xs))
	for i := range left {
		left[i] = i
	}
	found := 0
	for range len(xs) / 5 {
		at, t := farthest(xs, left)
		df := float64(len(left) - 2)
		places = append(places, left[at])
		left = slices.Delete(left, at, at+1)
		if t > 4 && twoSided(t, df)*float64(len(left)+1) <= alpha {
			found = len(places)
		}
	}
	places = places[:found]
	slices.Sort(places)
	return places
}

// farthest is the value farthest from the mean, in deviations of the others.
func farthest(xs []float64, of []int) (at int, t float64) {
	n, mean := float64(len(of)), 0.0
	for _, i := range of {
		mean += xs[i] / n
	}
	sum, most := 0.0, -1.0
	for k, i := range of {
		d := (xs[i] - mean) * (xs[i] - mean)
		sum += d
		if d > most {
			at, most = k, d
		}
	}
	others := sum - most*n/(n-1) // of squares, around their own mean
	if others <= sum*1e-14 {
		if most <= 0 {
			return at, 0
		}
		return at, math.Inf(1)
	}
	return at, math.Sqrt(most) * n / (n - 1) / math.Sqrt(others/(n-2)*n/(n-1))
}

func withoutFarthest(xs []float64) []float64 {
	places := LevelOutliers(xs)
	if len(places) == 0 {
		return xs
	}
	var list []float64
	for i, x := range xs {
		if !slices.Contains(places, i) {
			list = append(list, x)
		}
	}
	return list
}
