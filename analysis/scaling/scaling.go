// Package scaling says how a system grows with its workers: speed-up and
// efficiency against a stated baseline, the laws that describe them, where the
// curve bends and which size is cheapest or fastest.
//
// Strong scaling (one problem, more workers) and weak scaling (the problem grows
// with the workers) answer different questions and are never mixed. Nothing is
// said beyond the largest size that was measured unless it is marked as a guess.
package scaling

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/finding"
	"assay/stats"
)

// A Kind says what was held while workers were added.
type Kind string

// The kinds of scaling.
const (
	Strong Kind = "strong" // the problem, such as the global batch
	Weak   Kind = "weak"   // the share of each worker, such as the batch per device
)

// A Quantity is what was measured at each size.
type Quantity string

// The quantities.
const (
	Time       Quantity = "time"       // for the problem; smaller is better
	Throughput Quantity = "throughput" // of the whole system; larger is better
)

// A Base says what one worker was.
type Base string

// The baselines that a speed-up may rest on.
const (
	BestSingle Base = "best_single" // the fastest correct program on one worker
	OneWorker  Base = "one_worker"  // the distributed program, run with one
	Smallest   Base = "smallest"    // the smallest size, where nobody measured one worker
)

// A Study is what was measured.
type Study struct {
	Kind     Kind     `json:"kind"`
	Quantity Quantity `json:"quantity"`
	Unit     string   `json:"unit,omitempty"`

	// Baseline says what Points of one worker are. Single holds the launches of
	// another program where it is not the distributed one.
	Baseline Base      `json:"baseline"`
	Single   []float64 `json:"single,omitempty"`
	BaseName string    `json:"baseName,omitempty"` // what the base is called where it was measured

	Points []Point `json:"points"`
	Prices *Prices `json:"prices,omitempty"`

	// Predict are sizes that nobody measured. Beyond MostExtrapolation times the
	// largest one nothing is said.
	Predict []int `json:"predict,omitempty"`

	// Threshold is the efficiency below which adding workers is not worth it;
	// zero means DefaultThreshold.
	Threshold  float64 `json:"threshold,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // zero means 0.95

	// Audit says who looked at the base, and at what. Without it a speed-up of as many
	// times as there are workers, or more, is no result.
	Audit string `json:"audit,omitempty"`

	// Settings are what differs between the bundles of the sizes and should not.
	Settings []Difference `json:"settings,omitempty"`
}

// A Point is one size, with one value for each launch.
type Point struct {
	Workers int       `json:"workers"`
	Values  []float64 `json:"values"`

	// Batch is the global batch, where there is one: it tells strong from weak.
	Batch float64 `json:"batch,omitempty"`

	// Communication is the share of the time that is exposed communication; null
	// when not measured.
	Communication *float64 `json:"communication,omitempty"`

	// Samples is what each launch consumed until its target, and Rate its throughput:
	// one of them, beside times, tells how fast the system was from how much it had to
	// do. A single value stands for every launch.
	Samples []float64 `json:"samples,omitempty"`
	Rate    []float64 `json:"throughput,omitempty"`

	Software string `json:"software,omitempty"` // release that was measured

	Window *Window `json:"window,omitempty"` // over what each launch was measured; null when nobody says

	// Of a point of a bundle: its index in the plan, and the launch of each value.
	Plan     *int  `json:"point,omitempty"`
	Launches []int `json:"launches,omitempty"`
}

// Prices turn time into money.
type Prices struct {
	WorkerHour float64 `json:"workerHour"`          // of each worker
	FixedHour  float64 `json:"fixedHour,omitempty"` // whatever the size
}

// DefaultThreshold is where efficiency is commonly called no longer good.
const DefaultThreshold = .70

// A Row is one size.
type Row struct {
	Workers    int            `json:"workers"`
	Value      stats.Estimate `json:"value"`
	Speedup    stats.Estimate `json:"speedup"`
	Efficiency stats.Estimate `json:"efficiency"`
	PerLaunch  []float64      `json:"perLaunch"` // efficiency of each launch against the geometric mean of the base
	Class      string         `json:"class"`     // by ClassScale
	KarpFlatt  *float64       `json:"karpFlatt,omitempty"`
	Cost       *float64       `json:"cost,omitempty"` // of the problem, at this size
	Launches   int            `json:"launches"`

	// Of times to a target: the samples that it took, and those of the base over
	// them. Efficiency is that of the throughput times this share.
	Samples     *float64 `json:"samplesToTarget,omitempty"`
	Convergence *float64 `json:"convergence,omitempty"`

	Exposed *Ratio `json:"exposed,omitempty"` // nil where communication was not measured
}

// A Ratio is exposed communication against computation.
type Ratio struct {
	Value      float64 `json:"value"`
	Efficiency float64 `json:"efficiency"` // that it leaves
	Advice     string  `json:"advice"`
}

// A Result is what a study says.
type Result struct {
	Kind     Kind     `json:"kind"`
	Quantity Quantity `json:"quantity"`
	Unit     string   `json:"unit,omitempty"`
	Baseline string   `json:"baseline"`         // what, and its absolute value
	Held     string   `json:"held,omitempty"`   // what was held as workers were added; empty when unknown
	Window   string   `json:"window,omitempty"` // over what each launch was measured; empty when unknown
	Audit    string   `json:"audit,omitempty"`  // who looked at the base, and at what
	Rows     []Row    `json:"rows"`

	BaseWorkers int `json:"baseWorkers"` // that the base has

	Fits      []Fit    `json:"fits,omitempty"`
	Unfitted  []string `json:"unfitted,omitempty"` // laws of the kind that could not be fitted, and why
	Threshold float64  `json:"threshold"`
	Bend      *int     `json:"bend,omitempty"` // first measured size below the threshold
	Fastest   int      `json:"fastest"`        // of the measured sizes
	Cheapest  *int     `json:"cheapest,omitempty"`

	Closed      []Closed     `json:"closed,omitempty"`      // the laws with the base taken as exact
	Reading     string       `json:"reading,omitempty"`     // what the Karp–Flatt shares say
	Predictions []Prediction `json:"predictions,omitempty"` // sizes that nobody measured

	// Rate is the same study of throughput alone, where times were to a target.
	Rate *Result `json:"throughput,omitempty"`

	Findings []finding.Finding `json:"findings,omitempty"`
}

// ClassScale names the scale that rows are classed by.
const ClassScale = "above 90 % excellent, 70–90 % good, 50–70 % moderate, below 50 % poor"

func classOf(efficiency float64) string {
	switch {
	case efficiency > .9:
		return "excellent"
	case efficiency >= .7:
		return "good"
	case efficiency >= .5:
		return "moderate"
	}
	return "poor"
}

// Analyse computes what s says. Faults of s are reported all at once.
func Analyse(s Study) (Result, error) {
	if s.Confidence == 0 {
		s.Confidence = .95
	}
	if s.Threshold == 0 {
		s.Threshold = DefaultThreshold
	}
	s.Points = slices.SortedFunc(slices.Values(s.Points), func(a, b Point) int { return cmp.Compare(a.Workers, b.Workers) })
	if err := s.check(); err != nil {
		return Result{}, err
	}
	base := s.base()
	out := Result{
		Kind: s.Kind, Quantity: s.Quantity, Unit: s.Unit, Threshold: s.Threshold,
		Baseline: fmt.Sprintf("%s, %s of %.4g%s (%d launches)", s.baseName(), s.Quantity, stat.Mean(base, nil), spaced(s.Unit), len(base)),
		Held:     s.held(), Window: s.windows(), Audit: s.Audit, BaseWorkers: s.baseWorkers(),
	}
	for _, p := range s.Points {
		row, err := s.row(base, p)
		if err != nil {
			return out, fmt.Errorf("%d workers: %w", p.Workers, err)
		}
		out.Rows = append(out.Rows, row)
		if out.Bend == nil && row.Workers > s.baseWorkers() && row.Efficiency.Value < s.Threshold {
			out.Bend = &row.Workers
		}
	}
	out.best()
	out.Fits, out.Unfitted = s.fits()
	out.Closed = s.closed(out.Rows)
	out.Reading = s.reading(out.Rows)
	out.Predictions = s.predict(out.Fits)
	if rate, ok := s.ofRate(); ok {
		r, err := Analyse(rate)
		if err != nil {
			return out, fmt.Errorf("throughput: %w", err)
		}
		r.Findings = nil // those of the times say it once
		out.Rate = &r
		out.converge(s)
	}
	out.Findings = s.findings(out)
	return out, nil
}

var baseNames = map[Base]string{BestSingle: "the best program on one worker", OneWorker: "the distributed program on one worker"}

func (s Study) baseName() string {
	name := baseNames[s.Baseline]
	if s.Baseline == Smallest {
		name = fmt.Sprintf("the smallest measured size, %d workers", s.baseWorkers())
	}
	if s.BaseName != "" {
		name += " (" + s.BaseName + ")"
	}
	return name
}

// baseWorkers is the size of the base.
func (s Study) baseWorkers() int {
	if s.Baseline == Smallest {
		return s.Points[0].Workers
	}
	return 1
}

// grown is how many times the workers of the base a size has.
func (s Study) grown(workers int) float64 { return float64(workers) / float64(s.baseWorkers()) }

// held says what stayed as workers were added, by the batches.
func (s Study) held() string {
	first := s.Points[0]
	if first.Batch == 0 {
		return ""
	}
	for _, p := range s.Points {
		if s.Kind == Strong && p.Batch != first.Batch || s.Kind == Weak && p.Batch/float64(p.Workers) != first.Batch/float64(first.Workers) {
			return ""
		}
	}
	if s.Kind == Strong {
		return fmt.Sprintf("a global batch of %g", first.Batch)
	}
	return fmt.Sprintf("a batch of %g of each worker", first.Batch/float64(first.Workers))
}

func spaced(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// check names every fault of s.
func (s Study) check() error {
	var faults []error
	fault := func(yes bool, format string, args ...any) {
		if yes {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(s.Kind != Strong && s.Kind != Weak, "kind %q: want strong (the problem is held) or weak (each worker's share is held)", s.Kind)
	fault(s.Quantity != Time && s.Quantity != Throughput, "quantity %q: want time or throughput", s.Quantity)
	fault(s.Baseline != BestSingle && s.Baseline != OneWorker && s.Baseline != Smallest, "baseline %q: want best_single, one_worker or smallest; a speed-up without a stated base means nothing", s.Baseline)
	fault(s.Baseline == BestSingle && len(s.Single) == 0, "baseline best_single: want its own launches in single")
	fault(s.Confidence <= 0 || s.Confidence >= 1, "confidence %v: want between 0 and 1", s.Confidence)
	fault(s.Threshold <= 0 || s.Threshold > 1, "threshold %v: want above 0 and at most 1", s.Threshold)
	fault(len(s.Points) == 0, "points: want at least one")
	fault(len(s.Points) > 0 && s.Baseline == OneWorker && s.Points[0].Workers != 1, "baseline one_worker: no point has one worker")
	seen := map[int]bool{}
	for i, p := range s.Points {
		fault(p.Workers < 1, "point %d: %d workers: want at least one", i, p.Workers)
		fault(seen[p.Workers], "point %d: %d workers twice: put their launches together", i, p.Workers)
		seen[p.Workers] = true
		fault(len(p.Values) == 0, "%d workers: no launch", p.Workers)
		fault(slices.ContainsFunc(p.Values, notPositive), "%d workers: values must be above zero", p.Workers)
		for name, list := range map[string][]float64{"samples": p.Samples, "throughput": p.Rate} {
			fault(len(list) > 0 && s.Quantity != Time, "%d workers: %s beside a throughput: want them beside times", p.Workers, name)
			fault(len(list) > 1 && len(list) != len(p.Values), "%d workers: %d of %s for %d launches: want one, or one for each", p.Workers, len(list), name, len(p.Values))
			fault(slices.ContainsFunc(list, notPositive), "%d workers: %s must be above zero", p.Workers, name)
		}
		fault(p.Communication != nil && !(*p.Communication >= 0 && *p.Communication < 1), "%d workers: communication must be a share from 0 to below 1", p.Workers)
	}
	fault(slices.ContainsFunc(s.Single, notPositive), "single: values must be above zero")
	return errors.Join(faults...)
}

func notPositive(v float64) bool { return !(v > 0) || math.IsInf(v, 1) }

// base is the launches that everything is divided by.
func (s Study) base() []float64 {
	if s.Baseline == BestSingle {
		return s.Single
	}
	return s.Points[0].Values
}

func (s Study) row(base []float64, p Point) (Row, error) {
	row := Row{Workers: p.Workers, Launches: len(p.Values)}
	var err error
	if row.Value, err = stats.OverLaunches(p.Values, s.Confidence); err != nil {
		return row, err
	}
	gain, err := s.gain(base, p)
	if err != nil {
		return row, err
	}
	k := s.grown(p.Workers)
	if s.Kind == Weak && s.Quantity == Time {
		// The gain is T(1)/T(K) on a problem that is K times as large.
		row.Efficiency, row.Speedup = gain, scaled(gain, k)
	} else {
		row.Speedup, row.Efficiency = gain, scaled(gain, 1/k)
	}
	one := s.throughput(s.baseWorkers(), stat.GeometricMean(base, nil))
	for _, v := range p.Values {
		row.PerLaunch = append(row.PerLaunch, s.throughput(p.Workers, v)/one/k)
	}
	row.Class = classOf(row.Efficiency.Value)
	if s.Kind == Strong && k > 1 {
		serial := karpFlatt(row.Speedup.Value, k)
		row.KarpFlatt = &serial
	}
	if c := p.Communication; c != nil {
		var r Ratio
		r.Value, r.Efficiency, r.Advice = Exposed(*c, 1-*c)
		row.Exposed = &r
	}
	if c, ok := s.cost(p); ok {
		row.Cost = &c
	}
	return row, nil
}

// gain is how many times better p is than the base, with an interval over
// launches; the base itself is one by definition.
func (s Study) gain(base []float64, p Point) (stats.Estimate, error) {
	if s.isBase(p.Workers) {
		return stats.Estimate{Value: 1, Interval: stats.Interval{Lo: 1, Hi: 1}, Confidence: 1, N: len(base), Method: "the base itself"}, nil
	}
	a, b := base, p.Values // b ÷ a
	if s.Quantity == Time {
		a, b = b, a
	}
	if len(a) < 2 || len(b) < 2 {
		return stats.Estimate{
			Value: stat.Mean(b, nil) / stat.Mean(a, nil), Interval: stats.Unbounded, N: min(len(a), len(b)), Method: "ratio of single launches",
			Warnings: []string{"one launch: no uncertainty can be stated"},
		}, nil
	}
	return stats.RatioOfMeans(a, b, s.Confidence)
}

// isBase says whether the point of so many workers is what others are divided by.
func (s Study) isBase(workers int) bool {
	return s.Baseline != BestSingle && workers == s.baseWorkers()
}

func scaled(e stats.Estimate, by float64) stats.Estimate {
	e.Value *= by
	e.Interval.Lo *= by
	e.Interval.Hi *= by
	return e
}

// cost is the price of the problem at a size; a throughput has no end to pay for.
func (s Study) cost(p Point) (float64, bool) {
	if s.Prices == nil || s.Quantity != Time {
		return 0, false
	}
	hours := stat.Mean(p.Values, nil) / 3600
	return hours * (float64(p.Workers)*s.Prices.WorkerHour + s.Prices.FixedHour), true
}

// best finds the fastest and the cheapest of the measured sizes.
func (r *Result) best() {
	fastest, cheapest := 0, -1
	for i, row := range r.Rows {
		if row.Speedup.Value > r.Rows[fastest].Speedup.Value {
			fastest = i
		}
		if row.Cost != nil && (cheapest < 0 || *row.Cost < *r.Rows[cheapest].Cost) {
			cheapest = i
		}
	}
	r.Fastest = r.Rows[fastest].Workers
	if cheapest >= 0 {
		r.Cheapest = &r.Rows[cheapest].Workers
	}
}
