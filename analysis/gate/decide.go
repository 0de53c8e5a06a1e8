package gate

import (
	"errors"
	"fmt"

	"assay/analysis/compare"
	"assay/metric"
	"assay/stats"
)

// A Question is one gated metric: what the launches of both sides gave, and by
// how much the candidate may be worse.
type Question struct {
	Key    string // such as ttft.v2 p99 at concurrency=4
	Values compare.Values
	Better metric.Direction

	// Margin is relative; Absolute takes its place where it is above zero.
	Margin, Absolute float64

	// Runs is by how much runs of one system differ besides their launches: from day to
	// day, from sitting to sitting. Zero where both sides were measured in turn.
	Runs RunSpread

	// Refused says why the values cannot be judged, such as a percentile that the
	// requests cannot certify; empty means that they can.
	Refused string
}

// Levels are how often a gate may be wrong.
type Levels struct {
	Alpha float64 // of all questions together
	Power float64 // wanted for a regression as large as its margin
}

// A Decision is the answer to one question.
type Decision struct {
	Key     string  `json:"key"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`

	Better   metric.Direction `json:"better,omitempty"`
	Margin   float64          `json:"margin,omitempty"`
	Absolute float64          `json:"absoluteMargin,omitempty"`

	// Ratio is candidate ÷ baseline; absent where a value is not above zero.
	// Difference is candidate − baseline.
	Ratio      *stats.Estimate `json:"ratio,omitempty"`
	Difference *stats.Estimate `json:"difference,omitempty"`

	// P is that of "they do not differ", two-sided; Floor is the least that so many
	// launches support; Corrected is what Holm leaves of the larger of the two;
	// NotWorse is that of "the candidate is worse by the margin".
	P         *float64 `json:"p,omitempty"`
	Floor     *float64 `json:"floor,omitempty"`
	Corrected *float64 `json:"corrected,omitempty"`
	NotWorse  *float64 `json:"notWorse,omitempty"`

	// Runs is what the decision took for the spread from run to run, and Between the P of
	// "two runs of one system are as far apart"; absent where both were measured in turn.
	Runs    *RunSpread `json:"runSpread,omitempty"`
	Between *float64   `json:"between,omitempty"`

	// Past is what earlier runs of the system taught about the spread of this metric; absent
	// where the launches alone decide.
	Past *stats.Past `json:"past,omitempty"`

	// Detectable is the smallest relative difference that the launches would have
	// shown.
	Detectable *float64 `json:"detectable,omitempty"`

	Launches [2]int `json:"launches"` // of baseline and candidate

	blind bool // the launches could not have seen the margin
	still bool // the values never vary from launch to launch

	unsettled bool // the launches show a loss that two runs of one system may have
}

// leastLaunches is the fewest that show a spread worth reading.
const leastLaunches = 3

// Decide answers all questions of a gate at once, by the rule gate.v2.
//
// A metric has regressed when a two-sided Welch test on the logarithms of the
// launches (a paired one for pairs), corrected by Holm for the number of
// questions, shows a difference, and the candidate is worse by more than the
// margin. The correction holds the chance of any false alarm to alpha; that no P
// counts for less than modesFloor keeps it there when launches come in two modes.
//
// It is not worse when the one-sided test at alpha shows that it is worse by less
// than the margin, and the launches could have seen a regression as large as the
// margin. This needs no correction: a pass wants it of every metric, so the chance
// of passing a candidate that is worse by its margin in any of them is alpha.
//
// Where one run was made before the other, launches do not know how far apart two runs of
// one system are: a difference counts only beyond that (runs.go).
//
// Where earlier runs of the system are known, the tests take the spread of launches from
// them too, and from run to run what they show (stats.Past).
//
// Everything else is inconclusive.
func Decide(questions []Question, l Levels) []Decision {
	list := make([]Decision, len(questions))
	p := make([]float64, len(questions))
	for i, q := range questions {
		list[i] = q.measure(l)
		p[i] = list[i].claimed()
	}
	for i, corrected := range stats.Holm(p) {
		if list[i].Floor != nil {
			list[i].Corrected = &corrected
		}
	}
	for i, q := range questions {
		q.decide(&list[i], l, len(questions))
	}
	return list
}

// claimed is the P that a decision may rest on. Values that never vary have no
// test: they differ or they do not.
func (d Decision) claimed() float64 {
	switch {
	case d.Floor == nil:
		return 1
	case d.still && d.Difference.Value == 0:
		return 1
	case d.still:
		return max(*d.Floor, d.between())
	}
	return max(*d.P, *d.Floor, d.between())
}

// measure fills in everything but the verdict.
func (q Question) measure(l Levels) Decision {
	d := Decision{
		Key: q.Key, Verdict: Inconclusive, Reason: q.Refused, Better: q.Better, Margin: q.Margin, Absolute: q.Absolute,
		Launches: [2]int{len(q.Values.A), len(q.Values.B)},
	}
	if d.Reason != "" {
		return d
	}
	if q.Values.Least() < leastLaunches {
		d.Reason = fmt.Sprintf("%d and %d launches: want at least %d on each side", len(q.Values.A), len(q.Values.B), leastLaunches)
		return d
	}
	confidence := 1 - l.Alpha
	difference, err := q.Values.Difference(confidence)
	if err != nil {
		d.Reason = err.Error()
		return d
	}
	d.Difference = &difference
	if q.relative() {
		if !q.Values.Positive() {
			d.Reason = "a value is not above zero, and a share of zero means nothing: want absoluteMargin in the policy"
			return d
		}
		ratio, err := q.Values.Ratio(confidence)
		if err != nil {
			d.Reason = err.Error()
			return d
		}
		d.Ratio = &ratio
	}
	q.measureRuns(&d)
	test, err := q.test()
	if err != nil && !errors.Is(err, stats.ErrNoSpread) {
		d.Reason = err.Error()
		return d
	}
	floor := q.modesFloor()
	d.Floor, d.still, d.Past = &floor, err != nil, q.Values.Past
	if !d.still {
		d.P = &test.P
	}
	return d
}

func (q Question) relative() bool { return q.Absolute == 0 }

// test is on logarithms for a relative margin and on the values for an absolute
// one.
func (q Question) test() (stats.Test, error) {
	v := q.Values
	switch {
	case q.relative() || v.Share():
		return v.Test()
	case v.Paired:
		return stats.PairedT(v.A, v.B)
	}
	return stats.Welch(v.A, v.B)
}

// decide says what the numbers mean, in a family of so many questions.
func (q Question) decide(d *Decision, l Levels, family int) {
	if d.Reason != "" {
		return // nothing to judge
	}
	loss := q.loss(*d)
	shown := *d.Corrected <= l.Alpha
	switch {
	case shown && loss.value > loss.limit && d.still:
		d.Verdict, d.Reason = Regressed, "worse by more than the margin; the values never vary from launch to launch"
		return
	case shown && loss.value > loss.limit:
		d.Verdict, d.Reason = Regressed, "significantly worse, and by more than the margin as measured; "+loss.position()
		return
	case loss.value > loss.limit && d.onlyRuns(l.Alpha, family):
		d.Reason, d.unsettled = "worse by more than the margin, but "+q.Runs.unsettled(), true
		return
	case d.still && loss.value > loss.limit:
		d.Reason = "worse by more than the margin, and the values never vary from launch to launch, but " + q.tooFew(l, family)
		return
	case d.still:
		d.Verdict, d.Reason = NotWorse, "not worse by more than the margin; the values never vary from launch to launch"+q.Runs.sitting()
		return
	}
	below, err := q.notWorse(d, l.Alpha)
	if err != nil {
		d.Reason = err.Error()
		return
	}
	level := l.Alpha / float64(family) // Holm's first step, which a lone regression has to take
	if q.relative() {
		detectable := q.Values.Detectable(level, l.Power)
		d.Detectable, d.blind = &detectable, detectable > q.Margin
	}
	if below && !q.belowOnOtherDays(d, loss, l.Alpha) {
		d.Reason = loss.position() + ", but " + q.Runs.unsettled()
		return
	}
	switch {
	case below && shown && loss.value < 0:
		d.Verdict, d.Reason = NotWorse, "significantly better; "+loss.position()+q.Runs.sitting()
	case below && !d.blind:
		d.Verdict, d.Reason = NotWorse, "shown not to be worse by the margin or more; "+loss.position()+q.Runs.sitting()
	case d.blind:
		d.Reason = fmt.Sprintf("cannot see its own threshold: the margin is %.3g %%, and %d launches that vary by %.2g %% show %.3g %% at best; %s",
			100*q.Margin, q.Values.Least(), 100*q.Values.Spread(), 100**d.Detectable, loss.position())
	default:
		d.Reason = q.open(*d, loss, l, family)
	}
}

// open says why a question stays open that the launches could have answered.
func (q Question) open(d Decision, loss loss, l Levels, family int) string {
	reason := loss.position()
	switch shown := *d.Corrected <= l.Alpha; {
	case shown || loss.interval.Contains(0):
		return reason
	case *d.P < *d.Floor && float64(family)*(*d.Floor) > l.Alpha:
		return reason + ", but " + q.tooFew(l, family)
	}
	return reason + fmt.Sprintf(", but the difference is not significant after the correction for %d metrics (p %.2g)", family, *d.Corrected)
}

// notWorse asks at level alpha whether the candidate is worse by less than the
// margin.
func (q Question) notWorse(d *Decision, alpha float64) (bool, error) {
	if q.relative() {
		test, err := q.Values.NotWorse(q.Margin, q.Better)
		if err != nil {
			return false, err
		}
		d.NotWorse = &test.P
		return test.P <= alpha, nil
	}
	bound, err := q.Values.Difference(1 - 2*alpha)
	if err != nil {
		return false, err
	}
	if q.Better == metric.Higher {
		return -bound.Interval.Lo < q.Absolute, nil
	}
	return bound.Interval.Hi < q.Absolute, nil
}

// takes says how many launches would see a regression as large as the margin, in
// a family of so many questions.
func (q Question) takes(l Levels, family int) string {
	level := l.Alpha / float64(family)
	need, ok := stats.LaunchesNeeded(q.Values.Spread(), q.Margin, level, l.Power)
	what := "launches on each side"
	if q.Values.Paired {
		need, ok = stats.PairsNeeded(q.Values.Spread(), q.Margin, level, l.Power)
		what = "blocks"
	}
	if !ok {
		return "no number of launches worth naming would do"
	}
	return fmt.Sprintf("it takes %d %s", need, what)
}
