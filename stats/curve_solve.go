package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The limits of the search for a least value.
const (
	mostSteps    = 1000
	firstDamping = 1e-3
	mostDamping  = 1e14 // steps so short that nothing moves any more
)

// solve is the method of Levenberg and Marquardt inside bounds: each step solves
// (JᵀJ + λ·diag JᵀJ)·δ = Jᵀr for the parameters that are not held at a bound, is cut
// to the bounds, and is taken when the squares fall; λ shrinks then, and grows
// otherwise.
func (p curveProblem) solve(start []float64) ([]float64, error) {
	params := slices.Clone(start)
	residuals := p.residuals(params)
	cost := sumSquares(residuals)
	damping := firstDamping
	for range mostSteps {
		gradient, gram := p.slopes(params, residuals)
		free := p.unheld(params, gradient)
		if len(free) == 0 {
			return params, nil
		}
		better := false
		for !better && damping < mostDamping {
			next, ok := p.step(params, gradient, gram, free, damping)
			if ok {
				residualsNext := p.residuals(next)
				if costNext := sumSquares(residualsNext); costNext < cost {
					params, residuals, cost, better = next, residualsNext, costNext, true
					damping = max(1e-12, damping/10)
					continue
				}
				if unmoved(params, next) {
					return params, nil // where the step leads is where we are
				}
			}
			damping *= 10
		}
		if !better {
			return params, nil // no step in any length is better: this is the least value
		}
	}
	return nil, fmt.Errorf("no least value in %d steps from %v: start elsewhere, or bound the parameters", mostSteps, start)
}

// slopes are Jᵀr and JᵀJ over all parameters.
func (p curveProblem) slopes(params, residuals []float64) (*mat.VecDense, *mat.Dense) {
	all := make([]int, len(params))
	for j := range all {
		all[j] = j
	}
	jacobian := p.jacobian(params, all)
	var gradient mat.VecDense
	gradient.MulVec(jacobian.T(), mat.NewVecDense(len(residuals), residuals))
	var gram mat.Dense
	gram.Mul(jacobian.T(), jacobian)
	return &gradient, &gram
}

// unheld are the parameters that are inside their bounds, or at one that they want
// to leave inwards.
func (p curveProblem) unheld(params []float64, gradient *mat.VecDense) (free []int) {
	for j, v := range params {
		if v <= p.lo[j] && gradient.AtVec(j) <= 0 || v >= p.hi[j] && gradient.AtVec(j) >= 0 {
			continue
		}
		free = append(free, j)
	}
	return free
}

func (p curveProblem) step(params []float64, gradient *mat.VecDense, gram *mat.Dense, free []int, damping float64) ([]float64, bool) {
	k := len(free)
	left, right := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	// Each parameter is counted in units of its own slope, so that one in millions
	// and one in millionths are solved for alike.
	scale := make([]float64, k)
	for a, i := range free {
		if scale[a] = math.Sqrt(gram.At(i, i)); scale[a] == 0 {
			scale[a] = 1
		}
	}
	for a, i := range free {
		right.SetVec(a, gradient.AtVec(i)/scale[a])
		for b, j := range free {
			left.Set(a, b, gram.At(i, j)/scale[a]/scale[b])
		}
		left.Set(a, a, left.At(a, a)+damping)
	}
	var delta mat.VecDense
	if err := delta.SolveVec(left, right); err != nil {
		return nil, false
	}
	next := slices.Clone(params)
	for a, i := range free {
		next[i] = min(p.hi[i], max(p.lo[i], params[i]+delta.AtVec(a)/scale[a]))
		if math.IsNaN(next[i]) {
			return nil, false
		}
	}
	return next, true
}

// unmoved reports whether a step moved nothing by more than the search can tell: the
// squares are flat at their least value.
func unmoved(a, b []float64) bool {
	for j := range a {
		if math.Abs(a[j]-b[j]) > 1e-10*max(math.Abs(a[j]), math.Abs(b[j])) {
			return false
		}
	}
	return true
}
