package gate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/analysis/compare"
	"assay/stats"
)

// A RunSpread is by how much runs of one system differ that were not made in turn, as a
// standard deviation of logarithms: what the hour, the room and other tenants do to all
// launches of a run alike. More launches do not average it out.
type RunSpread struct {
	Spread float64 `json:"spread"`

	// Known says that the policy declares it. It counts for and against a candidate then;
	// what is only allowed for counts for it too where the runs were made hours apart, and in
	// one sitting a pass says that it holds for that.
	Known bool `json:"known"`
	Apart bool `json:"apart,omitempty"`
}

// bothWays says that a pass has to hold on other days too.
func (s RunSpread) bothWays() bool { return s.Known || s.Apart }

// Undeclared is the spread that is allowed for.
func Undeclared(apart bool) RunSpread {
	return RunSpread{Spread: compare.AllowedSpread, Apart: apart}
}

// settle says how far apart two runs of one system may be: as the policy declares, as earlier runs
// show, or as far as is allowed for. Sides of one run share the day.
func (q *Question) settle(declared float64, a, b compare.Side) {
	switch {
	case q.Values.Paired || a.Digest == b.Digest:
	case declared > 0:
		q.Runs = RunSpread{Spread: declared, Known: true}
		q.Values.Past = ofLaunches(q.Values.Past)
	case q.Values.Past == nil:
		q.Runs = Undeclared(compare.Apart(a, b))
	}
}

func ofLaunches(p *stats.Past) *stats.Past {
	if p == nil {
		return nil
	}
	alone := p.OfLaunches()
	return &alone
}

// measureRuns asks how often two runs of one system are as far apart. A share near zero has no
// spread in proportion to itself, and stands by its launches.
func (q Question) measureRuns(d *Decision) {
	if q.Runs.Spread == 0 || q.Values.Share() {
		return
	}
	away := d.Difference.Value
	if q.relative() {
		away = math.Log(d.Ratio.Value)
	}
	p := 2 * distuv.UnitNormal.CDF(-math.Abs(away)/q.runError())
	d.Runs, d.Between = &q.Runs, &p
}

// runError is the standard error of what is between two runs on other days, as a logarithm or,
// for an absolute margin, in the metric's own unit.
func (q Question) runError() float64 {
	if q.relative() {
		return q.Values.RunError(q.Runs.Spread)
	}
	a, b := q.Values.A, q.Values.B
	launches := math.Sqrt(stat.Variance(a, nil)/float64(len(a)) + stat.Variance(b, nil)/float64(len(b)))
	return math.Hypot(launches, math.Sqrt2*q.Runs.Spread*math.Abs(stat.Mean(a, nil)))
}

func (d Decision) between() float64 {
	if d.Between == nil {
		return 0
	}
	return *d.Between
}

// onlyRuns says that launches alone would show the difference, and that two runs of one
// system may be as far apart.
func (d Decision) onlyRuns(alpha float64, family int) bool {
	p := *d.Floor
	if !d.still {
		p = max(p, *d.P)
	}
	return float64(family)*p <= alpha && *d.Corrected > alpha
}

// belowOnOtherDays asks whether a loss that is below the margin in these launches is so on
// other days too, where that is asked.
func (q Question) belowOnOtherDays(d *Decision, loss loss, alpha float64) bool {
	if !q.Runs.bothWays() || q.Values.Share() {
		return true
	}
	p := distuv.UnitNormal.CDF((loss.value - loss.limit) / q.runError())
	if d.NotWorse != nil {
		p = max(p, *d.NotWorse)
	}
	d.NotWorse = &p
	return p <= alpha
}

// sitting is what a pass does not say where nobody knows the spread from run to run.
func (s RunSpread) sitting() string {
	if s.Spread == 0 || s.bothWays() {
		return ""
	}
	return "; it holds for this sitting: one run was made before the other"
}

// unsettled says why runs that look different are not called so.
func (s RunSpread) unsettled() string {
	from := "which is allowed for where neither spec.runSpread nor a warehouse with earlier runs says what it is here"
	if s.Known {
		from = "as spec.runSpread says"
	}
	return fmt.Sprintf("two runs of one system, made one after the other, may be as far apart (%.2g %% from run to run, %s); blocks would tell: assay compare BASE CAND --again", 100*s.Spread, from)
}
