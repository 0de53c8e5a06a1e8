package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Fit is a curve through points, with how sure its parameters are.
type Fit struct {
	Parameters []Estimate `json:"parameters"`
	Spread     float64    `json:"spread"`  // standard deviation of the points around the curve
	N          int        `json:"n"`       // points
	Freedom    int        `json:"freedom"` // points less the parameters that were free

	// AtBound says which parameters lie at the edge of what was allowed. They have no
	// interval: the points may want them further out.
	AtBound []bool `json:"atBound,omitempty"`

	// Warnings do not stop the analysis but must be shown beside the fit.
	Warnings []string `json:"warnings,omitempty"`
}

// ErrSingular says that the points do not tell the parameters apart.
var ErrSingular = errors.New("the points do not tell the parameters apart: want more different points or fewer parameters")

// misfitWarning stands beside a fit whose residuals hang together.
const misfitWarning = "the residuals hang together in the order of the points: the curve does not fit, or the points depend on each other, and the intervals would be too narrow"

// refuseMisfit takes the intervals away from a fit whose residuals, in the order of
// the points, visibly depend on their neighbours.
func (f *Fit) refuseMisfit(residuals []float64) {
	if !Dependent(residuals) {
		return
	}
	f.Warnings = append(f.Warnings, misfitWarning)
	for i := range f.Parameters {
		f.Parameters[i].Interval, f.Parameters[i].Confidence = Unbounded, 0
	}
}

// HuberMethod names the intervals of Huber.
const HuberMethod = "huber-m/student-t"

// huberTuning makes Huber's estimate 95 % as good as least squares for normal
// errors (Huber: Robust Statistics, 1981).
const huberTuning = 1.345

// mostRounds bounds the reweighting; it settles in tens. A scale that jumps between
// two points of the middle is held after freeScale rounds, and then it settles.
const freeScale, mostRounds = 500, 5000

// Huber fits ys as a linear combination of the columns of rows, with Huber's
// weights: points further off than 1.345 standard deviations pull with a constant
// force and not with their square, so that a few bad ones do not decide. Rows need
// a column of ones for a constant. The scale is the median absolute deviation of
// the residuals, found anew in every round; the covariance is Huber's (1981, eq.
// 6.5), as statsmodels' RLM has it, with Student's t for its intervals.
func Huber(rows [][]float64, ys []float64, confidence float64) (Fit, error) {
	design, err := designOf(rows, ys, confidence)
	if err != nil {
		return Fit{}, err
	}
	n, p := design.Dims()
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	var params []float64
	residuals := make([]float64, n)
	scale := 0.0
	for round := 0; ; round++ {
		if params, err = weighted(design, ys, weights); err != nil {
			return Fit{}, err
		}
		moved, largest := 0.0, 0.0
		for i, y := range ys {
			r := y - mat.Dot(design.RowView(i), mat.NewVecDense(p, params))
			moved, largest = max(moved, math.Abs(r-residuals[i])), max(largest, math.Abs(y))
			residuals[i] = r
		}
		if round < freeScale {
			scale = medianSize(residuals) / 0.6744897501960817
		}
		if scale == 0 || round > 0 && moved <= 1e-13*largest {
			break
		}
		if round == mostRounds {
			return Fit{}, fmt.Errorf("weights did not settle in %d rounds", mostRounds)
		}
		for i, r := range residuals {
			weights[i] = 1 / max(1, math.Abs(r/scale)/huberTuning)
		}
	}
	fit := Fit{N: n, Freedom: n - p, Spread: scale}
	errs, err := huberErrors(design, residuals, scale)
	if err != nil {
		return Fit{}, err
	}
	t := TQuantile(1-(1-confidence)/2, n-p)
	for j, v := range params {
		fit.Parameters = append(fit.Parameters, Estimate{
			Value: v, Interval: Interval{v - t*errs[j], v + t*errs[j]}, Confidence: confidence, N: n, Method: HuberMethod,
		})
	}
	if scale == 0 {
		fit.Warnings = append(fit.Warnings, "more than half of the points lie on the curve: nothing is known of the noise")
	}
	fit.refuseMisfit(residuals)
	return fit, nil
}

func designOf(rows [][]float64, ys []float64, confidence float64) (*mat.Dense, error) {
	if err := needConfidence(confidence); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrNoSamples
	}
	p := len(rows[0])
	if len(ys) != len(rows) || p == 0 || len(rows) <= p {
		return nil, fmt.Errorf("%d rows of %d columns for %d values: want as many rows as values, and more than columns", len(rows), p, len(ys))
	}
	if err := needValues(1, append(slices.Clone(rows), ys)...); err != nil {
		return nil, err
	}
	design := mat.NewDense(len(rows), p, nil)
	for i, row := range rows {
		if len(row) != p {
			return nil, fmt.Errorf("row %d has %d columns: want %d", i, len(row), p)
		}
		design.SetRow(i, row)
	}
	return design, nil
}

// weighted is the least squares solution with weights.
func weighted(design *mat.Dense, ys, weights []float64) ([]float64, error) {
	n, p := design.Dims()
	scaled, target := mat.NewDense(n, p, nil), mat.NewVecDense(n, nil)
	for i, w := range weights {
		root := math.Sqrt(w)
		for j := range p {
			scaled.Set(i, j, root*design.At(i, j))
		}
		target.SetVec(i, root*ys[i])
	}
	var out mat.VecDense
	if err := out.SolveVec(scaled, target); err != nil {
		return nil, ErrSingular
	}
	return out.RawVector().Data, nil
}

// huberErrors are the standard errors of the parameters.
func huberErrors(design *mat.Dense, residuals []float64, scale float64) ([]float64, error) {
	n, p := design.Dims()
	errs := make([]float64, p)
	if scale == 0 {
		return errs, nil
	}
	squares, inside := 0.0, 0.0
	for _, r := range residuals {
		z := r / scale
		if math.Abs(z) <= huberTuning {
			inside++
		}
		force := max(-huberTuning, min(huberTuning, z))
		squares += force * force
	}
	share := inside / float64(n) // the mean of ψ′, which is one inside and zero outside
	if share == 0 {
		return nil, ErrSingular
	}
	k := 1 + float64(p)/float64(n)*share*(1-share)/(share*share)
	variance := k * k * (squares * scale * scale / float64(n-p)) / (share * share)
	inverse, err := gramInverse(design)
	if err != nil {
		return nil, err
	}
	for j := range errs {
		errs[j] = math.Sqrt(variance * inverse.At(j, j))
	}
	return errs, nil
}

// gramInverse is (XᵀX)⁻¹, by way of the triangle of X's own factors, which keeps
// twice the digits.
func gramInverse(design *mat.Dense) (*mat.Dense, error) {
	_, p := design.Dims()
	var qr mat.QR
	qr.Factorize(design)
	if qr.Cond() > 1e14 {
		return nil, ErrSingular
	}
	var r mat.Dense
	qr.RTo(&r)
	var root mat.Dense
	if err := root.Inverse(r.Slice(0, p, 0, p)); err != nil {
		return nil, ErrSingular
	}
	var out mat.Dense
	out.Mul(&root, root.T())
	return &out, nil
}

// medianSize is the median of the absolute values.
func medianSize(xs []float64) float64 {
	sizes := make([]float64, len(xs))
	for i, x := range xs {
		sizes[i] = math.Abs(x)
	}
	return sortedMiddle(sizes)
}
