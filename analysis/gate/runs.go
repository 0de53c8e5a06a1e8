package gate

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/analysis/compare"
)

// A RunSpread is by how much runs of one system differ that were not made in turn, as a
// standard deviation of logarithms: what the hour, the room and other tenants do to all
// launches of a run alike. More launches do not average it out.
type RunSpread struct {
	Spread float64 `json:"spread"`

	// Known says that the policy declares it, as the history of the testbed shows it. It
	// counts for and against a candidate then; what is only allowed for speaks against no
	// candidate, and a pass says that it holds for this sitting.
	Known bool `json:"known"`
}

// Undeclared is the spread that is allowed for.
func Undeclared() RunSpread { return RunSpread{Spread: compare.AllowedSpread} }

// runSpread is the spread that a policy declares, or the one that is allowed for.
func runSpread(declared float64) RunSpread {
	if declared > 0 {
		return RunSpread{declared, true}
	}
	return Undeclared()
}

// measureRuns asks how often two runs of one system are as far apart.
func (q Question) measureRuns(d *Decision) {
	if q.Runs.Spread == 0 {
		return
	}
	p := q.Values.Between(d.Ratio.Value, q.Runs.Spread)
	d.Runs, d.Between = &q.Runs, &p
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

// belowOnOtherDays asks whether a loss that is below the margin in this sitting is so on
// other days too, where the spread from run to run is known.
func (q Question) belowOnOtherDays(d *Decision, loss loss, alpha float64) bool {
	if !q.Runs.Known || !q.relative() {
		return true
	}
	p := distuv.UnitNormal.CDF((loss.value - loss.limit) / q.Values.RunError(q.Runs.Spread))
	*d.NotWorse = max(*d.NotWorse, p)
	return *d.NotWorse <= alpha
}

// sitting is what a pass does not say where nobody knows the spread from run to run.
func (s RunSpread) sitting() string {
	if s.Spread == 0 || s.Known {
		return ""
	}
	return "; it holds for this sitting: one run was made before the other"
}

// unsettled says why runs that look different are not called so.
func (s RunSpread) unsettled() string {
	from := "which is allowed for as long as spec.runSpread does not say what it is here"
	if s.Known {
		from = "as spec.runSpread says"
	}
	return fmt.Sprintf("two runs of one system, made one after the other, may be as far apart (%.2g %% from run to run, %s); blocks would tell: assay compare BASE CAND --again", 100*s.Spread, from)
}
