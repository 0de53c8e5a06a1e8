package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// ErrTooFewToTell says that a test has no meaning for so few values.
var ErrTooFewToTell = errors.New("too few values")

// ShapiroWilk tests whether xs may come from a normal distribution: W near one
// says that it may, p is how often a normal sample looks no better. It follows
// Royston, "Remark AS R94", Applied Statistics 44 (1995), and takes 3 to 5000
// values. With a handful of values only gross departures show: a large p is no
// proof.
func ShapiroWilk(xs []float64) (w, p float64, err error) {
	n := len(xs)
	if n < 3 || n > 5000 {
		return 0, 0, fmt.Errorf("%d values for a test of normality, want 3 to 5000: %w", n, ErrTooFewToTell)
	}
	xs = slices.Sorted(slices.Values(xs))
	mean := 0.0
	for _, x := range xs {
		mean += x / float64(n)
	}
	var linear, square float64
	weights := shapiroWeights(n)
	for i, x := range xs {
		linear += weights[i] * x
		square += (x - mean) * (x - mean)
	}
	if xs[n-1]-xs[0] <= 1e-12*math.Abs(mean) || square == 0 {
		return 1, 1, nil // values that are all the same depart from nothing
	}
	w = min(1, linear*linear/square)
	return w, shapiroP(w, n), nil
}

// shapiroWeights are Royston's approximations of the weights of the order
// statistics.
func shapiroWeights(n int) []float64 {
	if n == 3 {
		return []float64{-math.Sqrt(.5), 0, math.Sqrt(.5)}
	}
	m := make([]float64, n)
	sum := 0.0
	for i := range m {
		m[i] = distuv.UnitNormal.Quantile((float64(i+1) - .375) / (float64(n) + .25))
		sum += m[i] * m[i]
	}
	u := 1 / math.Sqrt(float64(n))
	last := polynomial(u, m[n-1]/math.Sqrt(sum), .221157, -.147981, -2.071190, 4.434685, -2.706056)
	a := make([]float64, n)
	edge := 1
	phi := (sum - 2*m[n-1]*m[n-1]) / (1 - 2*last*last)
	if n > 5 {
		next := polynomial(u, m[n-2]/math.Sqrt(sum), .042981, -.293762, -1.752461, 5.682633, -3.582633)
		phi = (sum - 2*m[n-1]*m[n-1] - 2*m[n-2]*m[n-2]) / (1 - 2*last*last - 2*next*next)
		a[n-2], a[1], edge = next, -next, 2
	}
	a[n-1], a[0] = last, -last
	for i := edge; i < n-edge; i++ {
		a[i] = m[i] / math.Sqrt(phi)
	}
	return a
}

// shapiroP is how often W is no larger for a normal sample of n values.
func shapiroP(w float64, n int) float64 {
	x := float64(n)
	if n == 3 {
		return min(1, max(0, 6/math.Pi*(math.Asin(math.Sqrt(w))-math.Asin(math.Sqrt(.75)))))
	}
	y := math.Log(1 - w)
	var mean, deviation float64
	if n <= 11 {
		g := polynomial(x, -2.273, .459)
		if y >= g {
			return 1e-99
		}
		y = -math.Log(g - y)
		mean = polynomial(x, .5440, -.39978, .025054, -.0006714)
		deviation = math.Exp(polynomial(x, 1.3822, -.77857, .062767, -.0020322))
	} else {
		l := math.Log(x)
		mean = polynomial(l, -1.5861, -.31082, -.083751, .0038915)
		deviation = math.Exp(polynomial(l, -.4803, -.082676, .0030302))
	}
	return distuv.UnitNormal.Survival((y - mean) / deviation)
}

// polynomial is c[0] + c[1]x + c[2]x² …
func polynomial(x float64, c ...float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = sum*x + c[i]
	}
	return sum
}
