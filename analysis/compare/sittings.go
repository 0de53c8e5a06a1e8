package compare

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// AllowedSpread is by how much runs of one system are taken to differ that were not made
// in turn, as a standard deviation of logarithms, where nobody has measured it: what the
// hour, the room and other tenants do to all launches of a run alike. Hosts of clouds
// differ from themselves by 3 to 5 % from day to day.
const AllowedSpread = .05

// Between is how often two runs of one system are as far apart as the ratio says, where
// runs spread so much and the launches of both add their own.
func (v Values) Between(ratio, spread float64) float64 {
	return 2 * distuv.UnitNormal.CDF(-math.Abs(math.Log(ratio))/v.RunError(spread))
}

// RunError is the standard error of the log ratio on other days: that of the launches, and
// the spread of two runs.
func (v Values) RunError(spread float64) float64 {
	launches := v.Spread() * math.Sqrt(1/float64(len(v.A))+1/float64(len(v.B)))
	return math.Hypot(launches, math.Sqrt2*spread)
}

// startSpread is the same from one start of a server to the next, within an hour: memory
// layout, compiled kernels and placement are drawn anew. Launches that share one process do
// not know it.
const startSpread = .02

// runSpread is by how much two runs of one system may differ beside what their launches
// show; zero where the launches show all of it.
func runSpread(a, b Side) float64 {
	switch {
	case a.Digest == b.Digest:
		return 0
	case Apart(a, b):
		return AllowedSpread
	case a.Plan.KeepsServer() || b.Plan.KeepsServer():
		return startSpread
	}
	return 0
}

// sameSitting is how soon after one run another begins that is of the same sitting.
const sameSitting = time.Hour

// Apart says that two runs were made hours apart. Of one run, and of one whose times are
// not known, it says no.
func Apart(a, b Side) bool {
	if a.Digest == b.Digest {
		return false
	}
	fromA, toA := span(a)
	fromB, toB := span(b)
	if fromA.IsZero() || fromB.IsZero() {
		return false
	}
	return fromB.Sub(toA) > sameSitting || fromA.Sub(toB) > sameSitting
}

// span is from when to when the launches of a side were made.
func span(s Side) (from, to time.Time) {
	for _, l := range s.Manifest.Launches {
		if from.IsZero() || l.Started.Before(from) {
			from = l.Started
		}
		for _, at := range []time.Time{l.Started, l.Ended} {
			if at.After(to) {
				to = at
			}
		}
	}
	return from, to
}

// beyondRuns is P of a difference between two runs: launches do not know how far apart two
// runs of one system are, and a difference counts only beyond that.
func (row *Row) beyondRuns(p float64) float64 {
	row.ofLaunches = p
	if row.runSpread == 0 || row.Ratio == nil || row.values.Share() {
		return p
	}
	return max(p, row.values.Between(row.Ratio.Value, row.runSpread))
}

// apartOnOtherDays is P of "two runs made on other days differ by the margin or more", where
// the launches do not show how far apart runs are; zero where they do.
func (row *Row) apartOnOtherDays(margin float64) float64 {
	if row.runSpread == 0 || row.Ratio == nil || row.values.Share() {
		return 0
	}
	return distuv.UnitNormal.CDF((math.Abs(math.Log(row.Ratio.Value)) - math.Log1p(margin)) / row.values.RunError(row.runSpread))
}

// onlyRuns says that launches show a difference which two runs of one system may have.
func (row *Row) onlyRuns(alpha float64) bool {
	return row.runSpread > 0 && row.P != nil && row.ofLaunches <= alpha && row.P.P > alpha
}

// inTurn says what would settle a difference that launches show and runs explain.
func (row *Row) inTurn() string {
	why := "that were made hours apart"
	if row.runSpread == startSpread {
		why = "whose launches share one server process each: another start is no launch"
	}
	return fmt.Sprintf("both in turn (assay compare BASE CAND --again): the launches differ, and so may two runs of one system %s (%g %% from run to run is allowed for)", why, 100*row.runSpread)
}
