package live

import (
	"fmt"
	"math"

	"assay/run/watch"
	"assay/unit"
	"assay/visible"
)

// The columns of the table of finished points: 76 wide, so that it fits everywhere.
const (
	pointColumn  = 23
	figureColumn = 10
)

// finished is the table of the points that are over, the last of them, in at most room
// lines; nothing where there is no room for a row.
func (c screen) finished(s watch.Snapshot, room int) []string {
	if len(s.Finished) == 0 || room < 2 {
		return nil
	}
	head := padded("finished, by launch", pointColumn)
	for _, name := range []string{"req/s", "tok/s", "TTFT p50", "TTFT p90", "errors"} {
		head += padded(name, figureColumn)
	}
	if len(s.Finished[0].Objectives) > 0 {
		head += "SLO"
	}
	lines := []string{paint(blueText, head)}
	for _, p := range s.Finished[max(0, len(s.Finished)-room+1):] {
		lines = append(lines, finishedRow(p))
	}
	return lines
}

func finishedRow(p watch.FinishedPoint) string {
	name := p.Point.Name
	if p.Side != "" {
		name = p.Side + " " + name
	}
	row := padded(fmt.Sprintf("%d: %s", p.Launch, visible.Line(name)), pointColumn-1) + " "
	for _, text := range []string{
		number(p.RequestsPerSecond), number(p.TokensPerSecond), latency(p.TTFT.P50), latency(p.TTFT.P90),
	} {
		row += padded(text, figureColumn)
	}
	failed := padded("none", figureColumn)
	if p.Failed > 0 {
		failed = paint(redText, padded(fmt.Sprintf("%s/%s", grouped(p.Failed), grouped(p.Requests)), figureColumn))
	}
	return row + failed + verdictOf(p.Objectives)
}

// verdictOf sums up the objectives of a point: one that is missed decides.
func verdictOf(list []watch.Standing) string {
	verdict := paint(greenText, "met")
	for _, o := range list {
		switch {
		case o.Known() && !o.Met:
			return paint(redText, "missed")
		case !o.Known():
			verdict = none
		}
	}
	if len(list) == 0 {
		return ""
	}
	return verdict
}

const (
	// mostObjectives are shown, a line each; a spec has few.
	mostObjectives = 4

	// short is the height below which one line speaks for all of them.
	short = 30
)

// objectives says where the point under way stands with those of the spec.
func (c screen) objectives(s watch.Snapshot) []string {
	if len(s.Objectives) > 1 && c.height < short {
		worst, met := worstOf(s.Objectives)
		return []string{label("objective") + padded(worst.Objective, 2*figureColumn) + standingNow(worst) +
			fmt.Sprintf(" · %d of %d met", met, len(s.Objectives))}
	}
	var lines []string
	for i, o := range s.Objectives {
		name := ""
		if i == 0 {
			name = "objective"
		}
		if i == mostObjectives {
			return append(lines, label("")+fmt.Sprintf("and %d more", len(s.Objectives)-i))
		}
		lines = append(lines, label(name)+padded(o.Objective, 3*figureColumn)+standingNow(o))
	}
	return lines
}

// worstOf is the objective that needs a look most: one that is missed, else one of
// which nothing is known yet; met counts those that are met.
func worstOf(list []watch.Standing) (worst watch.Standing, met int) {
	rank := func(o watch.Standing) int {
		switch {
		case !o.Known():
			return 1
		case o.Met:
			return 0
		}
		return 2
	}
	worst = list[0]
	for _, o := range list {
		if rank(o) > rank(worst) {
			worst = o
		}
		if rank(o) == 0 {
			met++
		}
	}
	return worst, met
}

// standingNow is the value so far and what it means.
func standingNow(o watch.Standing) string {
	switch {
	case math.IsNaN(o.Now) && o.Need > 0:
		return fmt.Sprintf("too few answers (%s of %s)", grouped(o.Have), grouped(o.Need))
	case math.IsNaN(o.Now):
		return none
	case o.Met:
		return padded(unit.Format(o.Now, o.Unit), figureColumn) + paint(greenText, "met so far")
	}
	return padded(unit.Format(o.Now, o.Unit), figureColumn) + paint(redText, "missed so far")
}
