package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The methods of the parameters of a curve.
const (
	CurveFitMethod          = "least-squares/jacobian-t"
	CurveFitBootstrapMethod = "least-squares/residual-bootstrap"
)

// A Curve is a function of x with parameters. It must not keep nor change them, and
// may be called from several goroutines.
type Curve func(x float64, parameters []float64) float64

// A CurveResult is a Fit of a curve that can be drawn again.
type CurveResult struct {
	Fit
	problem   curveProblem
	residuals []float64
}

// curveProblem is what is to be fitted.
type curveProblem struct {
	f          Curve
	xs, ys     []float64
	lo, hi     []float64
	confidence float64
}

// CurveFit finds the parameters, each between its lo and hi, that bring f nearest to
// the points by least squares (Levenberg and Marquardt; parameters that would leave
// their bounds are held there). It starts at start and finds the nearest least
// value, which need not be the least of all: start near, or from several places.
//
// The intervals are those of the straight line that the curve nearly is there, with
// Student's t. They are too narrow where the curve bends within them; see
// Bootstrap. A parameter at its bound has none, and neither has a fit whose
// residuals hang together in the order of the points.
func CurveFit(f Curve, xs, ys, lo, hi, start []float64, confidence float64) (CurveResult, error) {
	p := curveProblem{f: f, xs: xs, ys: ys, lo: lo, hi: hi, confidence: confidence}
	if err := p.check(start); err != nil {
		return CurveResult{}, err
	}
	params, err := p.solve(start)
	if err != nil {
		return CurveResult{}, err
	}
	n, k := len(xs), len(params)
	out := CurveResult{Fit: Fit{N: n, AtBound: make([]bool, k)}, problem: p, residuals: p.residuals(params)}
	var free []int
	for j, v := range params {
		if v <= lo[j] || v >= hi[j] {
			out.AtBound[j] = true
			out.Warnings = append(out.Warnings, fmt.Sprintf("parameter %d is at its bound %v: it has no interval", j, v))
			continue
		}
		free = append(free, j)
	}
	out.Freedom = n - len(free)
	out.Spread = math.Sqrt(sumSquares(out.residuals) / float64(out.Freedom))
	out.Parameters = make([]Estimate, k)
	for j, v := range params {
		out.Parameters[j] = Estimate{Value: v, Interval: Unbounded, N: n, Method: CurveFitMethod}
	}
	if len(free) == 0 {
		return out, nil
	}
	covariance, err := gramInverse(p.jacobian(params, free))
	if err != nil {
		return CurveResult{}, err
	}
	t := TQuantile(1-(1-confidence)/2, out.Freedom)
	for at, j := range free {
		half := t * out.Spread * math.Sqrt(covariance.At(at, at))
		out.Parameters[j].Interval, out.Parameters[j].Confidence = Interval{params[j] - half, params[j] + half}, confidence
	}
	out.refuseMisfit(out.residuals)
	return out, nil
}

// fewestFitBootstrapped is the least number of points whose residuals say how the
// noise is spread.
const fewestFitBootstrapped = 10

// Bootstrap makes the intervals again by fitting curves to points whose residuals
// are drawn again, which follows the bend of the curve and its bounds. It refuses
// fewer than 10 points, and a fit that has lost its intervals.
func (r CurveResult) Bootstrap(b Bootstrap) (Fit, error) {
	if err := b.check(r.N, "points", fewestFitBootstrapped, r.problem.confidence); err != nil {
		return Fit{}, err
	}
	if slices.Contains(r.Warnings, misfitWarning) {
		return Fit{}, fmt.Errorf("no bootstrap: %s", misfitWarning)
	}
	k := len(r.Parameters)
	values := make([]float64, k)
	for j, e := range r.Parameters {
		values[j] = e.Value
	}
	fitted := make([]float64, r.N)
	mean := 0.0
	for i, x := range r.problem.xs {
		fitted[i] = r.problem.f(x, values)
		mean += r.residuals[i] / float64(r.N)
	}
	// Residuals are smaller than the noise, because the curve was drawn near them.
	stretch := math.Sqrt(float64(r.N) / float64(r.Freedom))
	replicates := make([][]float64, b.resamples())
	b.each(runtime.GOMAXPROCS(0), func(_, i int, rng *rand.Rand) {
		again := r.problem
		again.ys = make([]float64, r.N)
		for at := range again.ys {
			again.ys[at] = fitted[at] + stretch*(r.residuals[rng.IntN(r.N)]-mean)
		}
		params, err := again.solve(values)
		if err != nil {
			params = values // where the new points settle nothing, the fit stays
		}
		replicates[i] = params
	})
	out := r.Fit
	out.Parameters = slices.Clone(r.Parameters)
	for j := range k {
		column := make([]float64, b.resamples())
		for i := range column {
			column[i] = replicates[i][j]
		}
		slices.Sort(column)
		// The residuals are stretched already, so t alone widens.
		tail := distuv.UnitNormal.CDF(-TQuantile(1-(1-r.problem.confidence)/2, r.Freedom))
		out.Parameters[j].Method, out.Parameters[j].Confidence = CurveFitBootstrapMethod, r.problem.confidence
		out.Parameters[j].Interval = Interval{percentileOf(column, tail), percentileOf(column, 1-tail)}
	}
	return out, nil
}

func (p curveProblem) check(start []float64) error {
	if err := needConfidence(p.confidence); err != nil {
		return err
	}
	if err := needPairs(1, p.xs, p.ys); err != nil {
		return err
	}
	k := len(start)
	if len(p.lo) != k || len(p.hi) != k || k == 0 {
		return fmt.Errorf("%d starts, %d lower and %d upper bounds: want one of each for every parameter", k, len(p.lo), len(p.hi))
	}
	if len(p.xs) <= k {
		return fmt.Errorf("%d points for %d parameters: want more points than parameters", len(p.xs), k)
	}
	for j, v := range start {
		if !(p.lo[j] < p.hi[j] && p.lo[j] <= v && v <= p.hi[j]) {
			return fmt.Errorf("parameter %d starts at %v: want it between %v and %v", j, v, p.lo[j], p.hi[j])
		}
	}
	if cost := sumSquares(p.residuals(start)); math.IsNaN(cost) || math.IsInf(cost, 0) {
		return fmt.Errorf("the curve has no value at the start %v: start elsewhere", start)
	}
	return nil
}

func (p curveProblem) residuals(params []float64) []float64 {
	out := make([]float64, len(p.xs))
	for i, x := range p.xs {
		out[i] = p.ys[i] - p.f(x, params)
	}
	return out
}

// jacobian is the slope of the curve in each free parameter, by differences that
// stay inside the bounds.
func (p curveProblem) jacobian(params []float64, free []int) *mat.Dense {
	out := mat.NewDense(len(p.xs), len(free), nil)
	moved := slices.Clone(params)
	for at, j := range free {
		// The cube root of the precision balances rounding and bend.
		step := 6e-6 * max(math.Abs(params[j]), 1e-3*min(1, p.hi[j]-p.lo[j]))
		up, down := min(p.hi[j], params[j]+step), max(p.lo[j], params[j]-step)
		for i, x := range p.xs {
			moved[j] = up
			high := p.f(x, moved)
			moved[j] = down
			out.Set(i, at, (high-p.f(x, moved))/(up-down))
		}
		moved[j] = params[j]
	}
	return out
}

func sumSquares(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x * x
	}
	return sum
}
