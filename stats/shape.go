package stats

import (
	"math"
	"slices"
)

// A curve is one candidate for the level of a series over its batches: columns
// that are fitted beside a constant.
type curve struct {
	shape   Shape
	columns [][]float64
	free    float64 // what the choice of this curve among its kind costs, in parameters
	changes []int   // where it jumps
	settles float64 // batches after which a decay has lost all but a twentieth
	period  float64 // in batches

	// nested is how many of the columns make a curve of their own: those of the
	// first so many, of twice as many and so on are tried too. 0 means all.
	nested int
}

// A fitted is a curve with what the fit found.
type fitted struct {
	curve
	score       float64 // Schwarz's criterion: less is better
	correlation float64 // of neighbouring batches, left by the curve
	noise       float64 // standard deviation of a batch around it
}

// correlations are the ones tried for neighbouring batches.
var correlations = []float64{0, .15, .3, .45, .6, .72, .85, .95}

// A fitter fits curves to one series. Some hundred are tried on each, so what
// does not depend on the curve is done once, and nothing is allocated for one.
type fitter struct {
	ys     []float64
	views  []view
	bases  [][]float64 // room for the columns of one curve
	norms  []float64   // their squares
	floor  float64     // added to what a fit leaves
	length float64
}

// A view is the series under one correlation of neighbours.
type view struct {
	rho   float64
	ones  []float64 // the constant, whitened
	norm  float64   // its square
	rest  []float64 // the series, whitened, less its constant
	left  float64   // the square of that
	shift float64   // what the correlation itself does to the likelihood
}

// newFitter takes the smallest noise of a batch that matters: what is left below
// it is not worth explaining.
func newFitter(ys []float64, noise float64) *fitter {
	f := &fitter{ys: ys, length: float64(len(ys))}
	f.floor = max(noise*noise*f.length, 1e-300)
	ones := slices.Repeat([]float64{1}, len(ys))
	for _, rho := range correlations {
		v := view{rho: rho, ones: make([]float64, len(ys)), rest: make([]float64, len(ys)), shift: -math.Log(1 - rho*rho)}
		whiten(v.ones, ones, rho)
		whiten(v.rest, ys, rho)
		v.norm = dot(v.ones, v.ones)
		subtract(v.rest, v.ones, dot(v.rest, v.ones)/v.norm)
		v.left = dot(v.rest, v.rest)
		f.views = append(f.views, v)
	}
	return f
}

// fit finds the correlation of the noise that makes the series most likely around
// the curve, its columns scaled by least squares.
func (f *fitter) fit(c curve) fitted {
	best := fitted{curve: c, score: math.Inf(1)}
	each := math.Log(f.length)
	for _, v := range f.views {
		f.explain(c, v, func(columns int, sum float64) {
			left := max(v.left-sum, 0) + f.floor
			score := f.length*math.Log(left/f.length) + v.shift + (float64(columns)+c.free)*each
			if score < best.score {
				best.score, best.correlation, best.columns = score, v.rho, c.columns[:columns]
				best.noise = math.Sqrt(left / f.length / (1 - v.rho*v.rho))
			}
		})
	}
	return best
}

// explain tells try how much of the square of the series the columns of c take
// away, by Gram and Schmidt's method. A column that those before it contain takes
// nothing.
func (f *fitter) explain(c curve, v view, try func(columns int, sum float64)) {
	for len(f.bases) < len(c.columns) {
		f.bases, f.norms = append(f.bases, make([]float64, len(f.ys))), append(f.norms, 0)
	}
	if len(c.columns) == 0 {
		try(0, 0)
	}
	sum := 0.0
	for i, column := range c.columns {
		base := f.bases[i]
		whiten(base, column, v.rho)
		own := dot(base, base)
		subtract(base, v.ones, dot(base, v.ones)/v.norm)
		for j, other := range f.bases[:i] {
			if f.norms[j] > 0 {
				subtract(base, other, dot(base, other)/f.norms[j])
			}
		}
		if f.norms[i] = dot(base, base); f.norms[i] <= 1e-12*own {
			f.norms[i] = 0
		} else {
			along := dot(base, v.rest)
			sum += along * along / f.norms[i]
		}
		if i+1 == len(c.columns) || c.nested > 0 && (i+1)%c.nested == 0 {
			try(i+1, sum)
		}
	}
}

// level is the fitted curve itself.
func (f *fitter) level(c fitted) []float64 {
	ones := slices.Repeat([]float64{1}, len(f.ys))
	columns := append([][]float64{ones}, c.columns...)
	white := make([][]float64, len(columns))
	for i, column := range columns {
		white[i] = make([]float64, len(column))
		whiten(white[i], column, c.correlation)
	}
	target := make([]float64, len(f.ys))
	whiten(target, f.ys, c.correlation)
	level := make([]float64, len(f.ys))
	for i, scale := range leastSquares(white, target) {
		subtract(level, columns[i], -scale)
	}
	return level
}

// whiten takes a first-order autoregression out of a column, the first value
// scaled so that it has the variance of the others.
func whiten(to, xs []float64, rho float64) {
	to = to[:len(xs)]
	to[0] = math.Sqrt(1-rho*rho) * xs[0]
	for i := 1; i < len(xs); i++ {
		to[i] = xs[i] - rho*xs[i-1]
	}
}

// leastSquares are the scales with which columns, which it changes, come nearest
// to ys. One that those before it contain gets none.
func leastSquares(columns [][]float64, ys []float64) []float64 {
	shares := make([][]float64, len(columns)) // of the columns before it in each
	scales := make([]float64, len(columns))
	for i, column := range columns {
		own := dot(column, column)
		shares[i] = make([]float64, i)
		for j, other := range columns[:i] {
			if norm := dot(other, other); norm > 0 {
				shares[i][j] = dot(column, other) / norm
				subtract(column, other, shares[i][j])
			}
		}
		norm := dot(column, column)
		if norm <= 1e-12*own {
			clear(column)
			continue
		}
		scales[i] = dot(ys, column) / norm
	}
	for i := len(columns) - 1; i >= 0; i-- {
		for j, share := range shares[i] {
			scales[j] -= scales[i] * share
		}
	}
	return scales
}

// dot sums in four strands, so that additions need not wait for each other: most
// of the time of a detection is spent here.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

func subtract(a, b []float64, times float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= times * b[i]
	}
}
