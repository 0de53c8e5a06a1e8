package claim

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"assay/accuracy"
	"assay/finding"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// scoreMetric is the definition of a score: the mean over the questions that were
// answered, by the grader that the statistic names.
const scoreMetric = "score.v1"

// scores says what may be quoted about answers: the first score of each task, at each
// point, with what it means and what became of the questions.
func scores(e Evidence, known Claims) (claims []Claim, refused []Refusal) {
	if e.Accuracy == nil {
		return nil, nil
	}
	for _, t := range e.Accuracy.Tasks {
		for _, p := range t.Points {
			if len(p.Scores) == 0 {
				continue
			}
			if len(known.Against(OfScore(t, p, p.Scores[0]))) > 0 {
				continue // refused already, with what else the finding forbids
			}
			if reason := weakScore(p.Scores[0]); reason != nil {
				reason.What = fmt.Sprintf("score of %s at %s", t.Name, placed(p))
				refused = append(refused, *reason)
				continue
			}
			claims = append(claims, scoreClaim(e, known, t, p))
		}
	}
	return claims, refused
}

// OfScore names a score of a task at a point as findings do.
func OfScore(t accuracy.Task, p accuracy.Point, s accuracy.Score) finding.Result {
	return finding.Result{Subject: finding.Accuracy, Metric: scoreMetric, Statistic: s.Grader, Point: p.Name, Side: p.Side, Task: t.Name}
}

// weakScore says why a score cannot be quoted; nil when it can.
func weakScore(s accuracy.Score) *Refusal {
	switch {
	case s.Unavailable != "":
		return &Refusal{Reason: s.Unavailable, ToDo: "grade the bundle where the grader works"}
	case !s.Estimate.Interval.Bounded():
		return &Refusal{Reason: "it has no interval", ToDo: "ask more questions"}
	case s.Unit() == unit.Share && (s.Estimate.Interval.Lo < 0 || s.Estimate.Interval.Hi > 1):
		return &Refusal{Reason: "its interval reaches beyond what a share can be: the questions are too few", ToDo: "ask more questions"}
	}
	return nil
}

func placed(p accuracy.Point) string {
	if p.Side == "" {
		return p.Name
	}
	return p.Name + " of " + p.Side
}

func scoreClaim(e Evidence, known Claims, t accuracy.Task, p accuracy.Point) Claim {
	s := p.Scores[0]
	point, _ := e.Plan.PointByIndex(int(p.Point))
	m := maker{Evidence: e, claims: known, point: point}
	c := Claim{
		Metric: scoreMetric, Statistic: s.Grader, Point: p.Name, Side: p.Side, Value: s.Estimate.Value, Unit: s.Unit(),
		Interval: s.Estimate.Interval, Confidence: s.Estimate.Confidence, Launches: p.Launches, Requests: s.Graded, Grade: known.Grade,
		Median: stats.Middle(s.PerLaunch), Conditions: scoreConditions(e, t, p, point),
		Cautions: idsOf(m.about(e.Audit.Findings, OfScore(t, p, p.Scores[0])), finding.Caution),
	}
	parts := []string{fmt.Sprintf("%s (%s): %s of %d questions, %s", t.Name, c.Conditions[0].Value,
		unit.FormatInterval(c.Value, c.Interval.Lo, c.Interval.Hi, c.Unit), s.Estimate.N, fates(p, s))}
	for _, condition := range c.Conditions[1:] {
		parts = append(parts, condition.Value)
	}
	parts = append(parts, repeated(p, s), fmt.Sprintf("%g %%", 100*c.Confidence), fmt.Sprintf("%s grade", known.Grade))
	if len(c.Cautions) > 0 {
		parts = append(parts, "with caution: "+strings.Join(c.Cautions, ", "))
	}
	c.Sentence = strings.Join(parts, ", ") + "."
	return c
}

// fates says what became of the questions, and what that could do to the score.
func fates(p accuracy.Point, s accuracy.Score) string {
	failed := p.States[accuracy.Failed]
	text := fmt.Sprintf("%d failed", failed)
	if failed > 0 && s.Bounds.Hi > s.Bounds.Lo {
		text += fmt.Sprintf(" (%s to %s had they been wrong or right)", unit.Format(s.Bounds.Lo, s.Unit()), unit.Format(s.Bounds.Hi, s.Unit()))
	}
	for _, state := range []accuracy.State{accuracy.Truncated, accuracy.Empty, accuracy.Cut} {
		if n := p.States[state]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, state)
		}
	}
	if s.Unparsed > 0 {
		text += fmt.Sprintf(", %d unparsed", s.Unparsed)
	}
	return text
}

// repeated says how often everything was asked, and how much the system differs from
// itself.
func repeated(p accuracy.Point, s accuracy.Score) string {
	switch {
	case s.Noise != nil:
		return fmt.Sprintf("%d launches (own noise ±%s)", p.Launches, unit.Format(s.Noise.Floor, s.Unit()))
	case p.Launches == 1:
		return "1 launch (own noise not measured)"
	}
	return fmt.Sprintf("%d launches", p.Launches)
}

// scoreConditions lists what a score holds under, what it means first.
func scoreConditions(e Evidence, t accuracy.Task, p accuracy.Point, point plan.Point) []Condition {
	w := e.Plan.WorkloadOf(point)
	list := []Condition{
		{"task", shortDigest.ReplaceAllString(t.Identity, "$1…") + ", graded by " + p.Scores[0].Grader},
		{"load", "at " + p.Name},
		{"model", "model " + w.Model},
	}
	if w.Precision != "" {
		list = append(list, Condition{"precision", "precision " + w.Precision})
	}
	side := sideOf(e.Plan, p.Side)
	if side.Target != nil {
		list = append(list, Condition{"target", side.Target.API + engineOf(e.Manifest.Environment, e.Plan.Run.SystemOf(side.Target))})
	}
	if side.Name != "" {
		list = append(list, Condition{"side", "side " + side.Name})
	}
	return append(list, Condition{"hardware", targetHardware(e, cmp.Or(side.Target, e.Plan.Target()))})
}

// shortDigest cuts a digest down to what people compare; the plan has all of it.
var shortDigest = regexp.MustCompile(`sha256:([0-9a-f]{8})[0-9a-f]{56}`)

func sideOf(p plan.Plan, name string) spec.Side {
	for _, side := range p.Sides() {
		if side.Name == name {
			return side
		}
	}
	return spec.Side{Name: name}
}
