package scaling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"assay/stats"
)

// A Fit is a law laid through the measured sizes, with its own scale: the base is
// not in it, so that an unlucky base does not bend it.
type Fit struct {
	Law        string      `json:"law"`
	Parameters []Parameter `json:"parameters"`
	Spread     float64     `json:"spread"` // of the launches around the law, relative
	AICc       *float64    `json:"aicc"`   // smaller is better, among the laws of one study; null with too few launches
	Best       bool        `json:"best"`   // of the laws that were fitted; of none where one of several has no criterion

	// Peak is the size with the most throughput, where the law has one, and
	// Extrapolated says that it lies beyond what was measured.
	Peak         *float64 `json:"peak,omitempty"`
	Extrapolated bool     `json:"extrapolated,omitempty"`
	Beyond       bool     `json:"beyond,omitempty"` // it has a peak too far off to be stated

	Sentence string `json:"sentence"`

	// Curve is the law drawn over the measured sizes: workers and speed-up. The law has a
	// scale of its own, so that it need not go through the base.
	Curve [][2]float64 `json:"curve,omitempty"`

	one float64 // throughput that the law gives the base
}

// A Parameter is one number of a law.
type Parameter struct {
	Name string `json:"name"`
	stats.Estimate
}

// A law is a curve that is linear in its coefficients: the measured quantity is
// their sum over the terms. Each shape parameter is a coefficient divided by the
// sum of the coefficients that make up one worker.
type law struct {
	name  string
	kind  Kind // empty means both
	terms []func(k float64) float64
	unit  []bool   // which coefficients make up the quantity on one worker
	names []string // of the shape parameters
	of    []int    // coefficient of each shape parameter
	rate  bool     // fitted to throughput, otherwise to time per unit of work

	// peak is the size with the most throughput, by the shape parameters; nil where
	// more workers are never slower.
	peak func(shape []Parameter) (float64, bool)

	speedup func(shape []float64, k float64) float64
}

func constant(float64) float64   { return 1 }
func inverse(k float64) float64  { return 1 / k }
func workers(k float64) float64  { return k }
func sharing(k float64) float64  { return (k - 1) / k }
func agreeing(k float64) float64 { return k - 1 }

// The laws in their linear forms. Time per unit of work is 1 ÷ throughput.
//
//	Amdahl     T(K) = T(1)·(s + (1−s)/K)                      s for the serial share
//	Gustafson  X(K) = X(1)·(s + (1−s)·K)                       the problem grows with K
//	USL        T(K) = T(1)·(1/K + σ(K−1)/K + κ(K−1))
var laws = []law{
	{name: "Amdahl", kind: Strong, terms: terms(constant, inverse), unit: []bool{true, true}, names: []string{"serial share"}, of: []int{0},
		speedup: func(p []float64, k float64) float64 { return amdahl(p[0], k) }},
	{name: "Gustafson", kind: Weak, terms: terms(constant, workers), unit: []bool{true, true}, names: []string{"serial share"}, of: []int{0}, rate: true,
		speedup: func(p []float64, k float64) float64 { return gustafson(p[0], k) }},
	{name: "Universal Scalability Law", terms: terms(inverse, sharing, agreeing), unit: []bool{true, false, false}, names: []string{"contention σ", "coherency κ"}, of: []int{1, 2}, peak: uslPeak,
		speedup: func(p []float64, k float64) float64 { return k * usl(p[0], p[1], k) }},
}

// uslPeak is where the cost of agreeing outgrows what a worker adds.
func uslPeak(shape []Parameter) (float64, bool) {
	sigma, kappa := shape[0].Value, shape[1].Value
	return math.Sqrt(max(0, 1-sigma) / kappa), kappa > 0
}

func terms(list ...func(float64) float64) []func(float64) float64 { return list }

// fits lays every law of the study's kind through its launches, and says of those
// that could not be laid why.
func (s Study) fits() (list []Fit, unfitted []string) {
	if len(s.Points) < fewestSizes {
		return nil, nil
	}
	var ks, rates []float64
	for _, p := range s.Points {
		for _, v := range p.Values {
			ks, rates = append(ks, s.grown(p.Workers)), append(rates, s.throughput(p.Workers, v))
		}
	}
	for _, l := range laws {
		if l.kind != "" && l.kind != s.Kind {
			continue
		}
		f, ok := l.fit(ks, rates, s.Confidence)
		if !ok {
			unfitted = append(unfitted, fmt.Sprintf("%s: not fitted: %d launches, and more than its %d coefficients are needed", l.name, len(ks), len(l.terms)))
			continue
		}
		f.scale(float64(s.baseWorkers()))
		f.Curve = s.curve(l, f)
		list = append(list, f)
	}
	choose(list)
	for i := range list {
		list[i].Sentence = list[i].sentence(s.Points[len(s.Points)-1].Workers, len(list) > 1)
	}
	return list, unfitted
}

// curvePoints is how many places a law is drawn at: enough for a smooth line.
const curvePoints = 33

// curve reads a law along the measured sizes.
func (s Study) curve(l law, f Fit) [][2]float64 {
	var shape []float64
	for _, p := range f.Parameters {
		shape = append(shape, p.Value)
	}
	base := s.throughput(s.baseWorkers(), stat.Mean(s.base(), nil))
	low, high := float64(s.Points[0].Workers), float64(s.Points[len(s.Points)-1].Workers)
	var list [][2]float64
	for i := range curvePoints {
		workers := low * math.Pow(high/low, float64(i)/(curvePoints-1))
		list = append(list, [2]float64{workers, l.speedup(shape, workers/float64(s.baseWorkers())) * f.one / base})
	}
	return list
}

// choose marks the law with the smallest criterion, or the only one. Where one of
// several has none, nobody can say which is better: more parameters always lie
// nearer to the data.
func choose(list []Fit) {
	if len(list) == 0 || len(list) > 1 && slices.ContainsFunc(list, func(f Fit) bool { return f.AICc == nil }) {
		return
	}
	best := 0
	for i, f := range list {
		if i > 0 && *f.AICc < *list[best].AICc {
			best = i
		}
	}
	list[best].Best = true
}

// throughput turns a measured value into work per time. Of weak scaling the
// problem at K workers is K times that at one.
func (s Study) throughput(workers int, v float64) float64 {
	switch {
	case s.Quantity == Throughput:
		return v
	case s.Kind == Weak:
		return s.grown(workers) / v
	}
	return 1 / v
}

// fit solves for the coefficients by least squares of relative errors: launches
// of a fast system scatter less in seconds and not in percent. Coefficients below
// zero have no meaning; the worst of them is left out and the rest fitted again.
func (l law) fit(ks, rates []float64, confidence float64) (Fit, bool) {
	used := make([]bool, len(l.terms))
	for i := range used {
		used[i] = true
	}
	for {
		coefficients, covariance, rss, ok := l.solve(ks, rates, used)
		if !ok {
			return Fit{}, false
		}
		worst := -1
		for i, c := range coefficients {
			if used[i] && c < 0 && (worst < 0 || c < coefficients[worst]) {
				worst = i
			}
		}
		if worst < 0 {
			return l.report(ks, coefficients, covariance, rss, used, confidence), true
		}
		used[worst] = false
	}
}

// solve returns a coefficient for every term, zero for those not used, their
// covariance up to the variance of the errors, and the sum of squared relative
// residuals.
func (l law) solve(ks, rates []float64, used []bool) (coefficients []float64, covariance *mat.Dense, rss float64, ok bool) {
	var columns []int
	for i, u := range used {
		if u {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 || len(ks) <= len(columns) {
		return nil, nil, 0, false
	}
	x := mat.NewDense(len(ks), len(columns), nil)
	y := mat.NewVecDense(len(ks), nil)
	for i, k := range ks {
		target := 1 / rates[i]
		if l.rate {
			target = rates[i]
		}
		for j, c := range columns {
			x.Set(i, j, l.terms[c](k)/target)
		}
		y.SetVec(i, 1)
	}
	var normal, inverse mat.Dense
	normal.Mul(x.T(), x)
	if inverse.Inverse(&normal) != nil {
		return nil, nil, 0, false
	}
	var xty, solved mat.VecDense
	xty.MulVec(x.T(), y)
	solved.MulVec(&inverse, &xty)
	var residual mat.VecDense
	residual.MulVec(x, &solved)
	residual.SubVec(y, &residual)
	coefficients = make([]float64, len(l.terms))
	covariance = mat.NewDense(len(l.terms), len(l.terms), nil)
	for i, a := range columns {
		coefficients[a] = solved.AtVec(i)
		for j, b := range columns {
			covariance.Set(a, b, inverse.At(i, j))
		}
	}
	return coefficients, covariance, mat.Dot(&residual, &residual), true
}

// report turns coefficients into shape parameters with intervals (delta method,
// Student's t).
func (l law) report(ks, coefficients []float64, covariance *mat.Dense, rss float64, used []bool, confidence float64) Fit {
	free := 0
	for _, u := range used {
		if u {
			free++
		}
	}
	n := float64(len(ks))
	df := len(ks) - free
	variance := rss / float64(df)
	f := Fit{Law: l.name, Spread: math.Sqrt(variance), AICc: aicc(n, float64(free+1), rss)}
	one := 0.0
	for i, u := range l.unit {
		if u {
			one += coefficients[i]
		}
	}
	if f.one = one; !l.rate {
		f.one = 1 / one
	}
	t := stats.TQuantile(1-(1-confidence)/2, df)
	for i, at := range l.of {
		value := coefficients[at] / one
		gradient := make([]float64, len(coefficients))
		for j := range gradient {
			if l.unit[j] {
				gradient[j] = -value / one
			}
			if j == at {
				gradient[j] += 1 / one
			}
		}
		g := mat.NewVecDense(len(gradient), gradient)
		half := t * math.Sqrt(max(0, variance*mat.Inner(g, covariance, g)))
		p := Parameter{Name: l.names[i], Estimate: stats.Estimate{
			Value: value, Interval: stats.Interval{Lo: max(0, value-half), Hi: value + half}, Confidence: confidence,
			N: len(ks), Method: "least squares of relative errors, delta method",
		}}
		if !used[at] {
			p.Interval = stats.Interval{Lo: 0, Hi: math.Inf(1)}
			p.Warnings = []string{"the data would have it below zero, which has no meaning: set to zero, without an upper bound"}
		}
		f.Parameters = append(f.Parameters, p)
	}
	if l.peak != nil {
		if peak, ok := l.peak(f.Parameters); ok {
			largest := slices.Max(ks)
			f.Peak, f.Extrapolated, f.Beyond = &peak, peak > largest, peak > MostExtrapolation*largest
		}
	}
	return f
}

// scale turns a peak in units of the base into workers, unless it is too far off.
func (f *Fit) scale(base float64) {
	switch {
	case f.Beyond:
		f.Peak = nil
	case f.Peak != nil:
		*f.Peak *= base
	}
}

// aicc is Akaike's criterion for small samples; nil where there are too few.
func aicc(n, parameters, rss float64) *float64 {
	if n-parameters-1 <= 0 {
		return nil
	}
	v := n*math.Log(max(rss, math.SmallestNonzeroFloat64)/n) + 2*parameters + 2*parameters*(parameters+1)/(n-parameters-1)
	return &v
}

func (f Fit) sentence(largest int, several bool) string {
	var parts []string
	for _, p := range f.Parameters {
		end := fmt.Sprintf("%.3g", p.Interval.Hi)
		if math.IsInf(p.Interval.Hi, 1) {
			end = "unbounded"
		}
		parts = append(parts, fmt.Sprintf("%s %.3g [%.3g, %s]", p.Name, p.Value, p.Interval.Lo, end))
	}
	text := fmt.Sprintf("%s: %s; launches scatter %.2g %% around it", f.Law, strings.Join(parts, ", "), 100*f.Spread)
	if f.Peak != nil {
		text += fmt.Sprintf("; most throughput near %.3g workers", *f.Peak)
		if f.Extrapolated {
			text += fmt.Sprintf(", which is a guess beyond the %d that were measured", largest)
		}
	}
	if f.Beyond {
		text += fmt.Sprintf("; its peak lies beyond %d times the largest measured size, where it is not read", MostExtrapolation)
	}
	if several && f.Best {
		text += " (fits best)"
	}
	return text
}
