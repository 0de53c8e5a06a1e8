package accuracy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/finding"
	"assay/unit"
)

// The limits of what is said about answers.
const (
	mostTruncated = 0.01 // of the answers
	mostUnparsed  = 0.05
)

// Findings are what needs eyes about the answers.
func (r Report) Findings() []finding.Finding {
	var list []finding.Finding
	for _, t := range r.Tasks {
		for _, p := range t.Points {
			list = append(list, lost(t, p), truncated(t, p), unparsed(t, p), withoutScore(t, p), belowLeast(t, p), unavailable(t, p), fallsByTurn(t, p))
		}
		list = append(list, unrepeated(t))
	}
	return slices.DeleteFunc(list, func(f finding.Finding) bool { return f.Check == "" })
}

func (t Task) at(p Point) string {
	text := t.Name + ", " + p.Name
	if p.Side != "" {
		text += ", " + p.Side
	}
	return text
}

// lost speaks of questions without an answer, where they could move the score by more than
// the margin.
func lost(t Task, p Point) finding.Finding {
	s := p.Scores[0]
	failed := p.States[Failed]
	if failed == 0 {
		return finding.Finding{}
	}
	f := finding.Finding{
		Check: "answers-lost", Severity: finding.Note,
		Message: fmt.Sprintf("%s: %d of %d requests failed and count neither as right nor as wrong: the score is %s, and %s to %s had they all been wrong or right", t.at(p), failed, p.Asked,
			unit.Format(s.Estimate.Value, s.Unit()), unit.Format(s.Bounds.Lo, s.Unit()), unit.Format(s.Bounds.Hi, s.Unit())),
		Why: "questions that fail need not be like the others",
		Fix: "find out why they fail, and ask again",
	}
	if s.Bounds.Hi-s.Bounds.Lo > t.Margin {
		f.Severity = finding.Caution
	}
	if float64(failed) > 0.5*float64(p.Asked) {
		f.Severity, f.Scope = finding.Void, finding.Scope{Subject: finding.Accuracy}
	}
	return f
}

func truncated(t Task, p Point) finding.Finding {
	n := p.States[Truncated]
	if float64(n) <= mostTruncated*float64(p.Asked) {
		return finding.Finding{}
	}
	return finding.Finding{
		Check: "answers-truncated", Severity: finding.Caution,
		Message: fmt.Sprintf("%s: %d of %d answers reached their longest length and were graded as far as they got (limit %.0f %%)", t.at(p), n, p.Asked, 100*mostTruncated),
		Why:     "an answer that is cut off before its result is graded as wrong",
		Fix:     "allow longer answers: maxTokens of the task, or --max-tokens",
	}
}

func unparsed(t Task, p Point) finding.Finding {
	s := p.Scores[0]
	if s.Graded == 0 || float64(s.Unparsed) <= mostUnparsed*float64(s.Graded) {
		return finding.Finding{}
	}
	f := finding.Finding{
		Check: "answers-unparsed", Severity: finding.Caution,
		Message: fmt.Sprintf("%s: in %d of %d answers %s finds nothing to grade (limit %.0f %%)", t.at(p), s.Unparsed, s.Graded, s.Grader, 100*mostUnparsed),
		Why:     "the score then measures whether the form was kept, not whether the answer is right",
		Fix:     "look at the answers, and choose the style and grader that fit this model",
	}
	if s.Unparsed == s.Graded { // that says nothing about whether they are right
		f.Severity, f.Scope = finding.Void, finding.Scope{Subject: finding.Accuracy, Points: []string{p.Name}, Side: p.Side, Task: t.Name}
	}
	return f
}

// withoutScore speaks of answers that a scorer was asked about and gave no score.
func withoutScore(t Task, p Point) finding.Finding {
	for _, s := range p.Scores {
		if s.Unscored == 0 || s.Unavailable != "" {
			continue
		}
		return finding.Finding{
			Check: "answers-unscored", Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %s gave no score for %d of %d answers, which count neither as good nor as bad", t.at(p), s.Grader, s.Unscored, s.Unscored+s.Graded),
			Why:     "answers that a scorer cannot score need not be like the others",
			Fix:     "look at why in grades.json, mend the scorer and score the bundle again: assay score",
		}
	}
	return finding.Finding{}
}

func belowLeast(t Task, p Point) finding.Finding {
	s := p.Scores[0]
	if t.MinScore == 0 || s.Unavailable != "" || s.Estimate.Interval.Lo >= t.MinScore {
		return finding.Finding{}
	}
	text := "is below"
	if s.Estimate.Value >= t.MinScore {
		text = "is not shown to reach"
	}
	return finding.Finding{
		Check: "score-too-low", Severity: finding.Void,
		Message: fmt.Sprintf("%s: %s %s the least score of %s", t.at(p),
			unit.FormatInterval(s.Estimate.Value, s.Estimate.Interval.Lo, s.Estimate.Interval.Hi, s.Unit()), text, unit.Format(t.MinScore, s.Unit())),
		Why:   "speed below the quality that was asked for does not count",
		Fix:   "restore the quality, or ask more questions where the interval is what is in the way",
		Scope: finding.Scope{Subject: finding.Speed},
	}
}

// unrepeated speaks of a system whose own noise is not known.
func unrepeated(t Task) finding.Finding {
	if !slices.ContainsFunc(t.Points, func(p Point) bool { return p.Launches < 2 }) {
		return finding.Finding{}
	}
	return finding.Finding{
		Check: "noise-unmeasured", Severity: finding.Caution,
		Message: t.Name + ": every question was asked in one launch, so how much the system differs from itself is not known",
		Why:     "temperature 0 is not deterministic when requests are batched",
		Fix:     "ask everything again: three launches, as by default",
	}
}

func unavailable(t Task, p Point) finding.Finding {
	for _, s := range p.Scores {
		if s.Unavailable != "" {
			return finding.Finding{
				Check: "not-graded", Severity: finding.Void,
				Message: fmt.Sprintf("%s: %s did not grade: %s", t.at(p), s.Grader, s.Unavailable),
				Fix:     "grade the bundle where the grader works: assay grade",
			}
		}
	}
	return finding.Finding{}
}

// fallsByTurn speaks of conversations whose later turns are answered worse than their first.
func fallsByTurn(t Task, p Point) finding.Finding {
	falls := p.Falls()
	if len(falls) == 0 {
		return finding.Finding{}
	}
	worst := falls[0]
	for _, turn := range falls[1:] {
		if math.Abs(turn.Change.Difference.Value) > math.Abs(worst.Change.Difference.Value) {
			worst = turn
		}
	}
	c := worst.Change
	return finding.Finding{
		Check: "score-falls-by-turn", Severity: finding.Caution,
		Message: fmt.Sprintf("%s: %s worse than turn %d of the same conversations: turn %d by %+.3g [%+.3g, %+.3g] over %d of them (P %.2g, adjusted for all turns)",
			t.at(p), turnsText(falls), c.From, worst.Turn, c.Difference.Value, c.Difference.Interval.Lo, c.Difference.Interval.Hi, c.Conversations, *c.Adjusted),
		Why: "a mistake that is carried on, a context that grows or a cache that goes wrong all show here; so do questions that are harder by themselves",
		Fix: "ask the same file with the style conversation-recorded, in which mistakes do not carry over, and compare with a system that is known to be good",
	}
}

// turnsText names turns: "turn 3 scores" or "turns 2, 3 and 4 score".
func turnsText(turns []TurnScore) string {
	var numbers []string
	for _, t := range turns {
		numbers = append(numbers, strconv.Itoa(int(t.Turn)))
	}
	if len(numbers) == 1 {
		return "turn " + numbers[0] + " scores"
	}
	last := len(numbers) - 1
	return "turns " + strings.Join(numbers[:last], ", ") + " and " + numbers[last] + " score"
}
