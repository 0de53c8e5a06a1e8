package lint

import (
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/spec"
	"assay/stats"
)

// OutputLength fires when answers are not as long as those that they are
// compared with, or as was asked.
var OutputLength = Check{
	ID: "output-length", Code: "L-05", Severity: finding.Void, About: finding.Speed,
	Doc: "Answers of other lengths make other latencies and throughputs.",
	When: "a token count that cannot be true; more than 1 % of answers with one token where two or more " +
		"were asked for, outside of evaluations; a pair whose mean lengths differ by more than 10 % (void). More than 10 % " +
		"off the requested length with ignoreEOS, on average or in 5 % of the answers and at least 5; pairs that differ by 1 % and by more than chance, " +
		"or by 10 points in the share of a finish reason (caution)",
	Applies: answersText,
	Run:     outputLength,
}

// answersText holds for workloads whose answers have tokens.
func answersText(f *Facts) bool {
	return serves(f) && spec.AnswersText(f.Plan.Workload().Prompt.Task)
}

const (
	// lengthShare is by how much the mean length of answers may be off: the
	// ±10 % of MLPerf's compliance test 09.
	lengthShare = .1
	// singleShare is the share of answers of one token from which on something
	// ends them at once.
	singleShare = .01
	// offShare is the share of answers of other lengths that their mean may hide: one in five
	// with a third less moves it by 7 %.
	offShare = .05
	// drifting is the least difference of two sides' mean lengths worth a word;
	// chance is looked at besides.
	drifting = .01
	// finishShare is the difference of the shares of one finish reason from
	// which on answers end for other reasons.
	finishShare = .1
)

func outputLength(f *Facts) Answer {
	var list []finding.Finding
	counted := 0
	own := f.places()
	for _, p := range own {
		l := p.lengths()
		counted += l.Answers + l.Wrong
		list = append(list, impossibleCounts(p, l)...)
		list = append(list, againstAsked(f, p, l)...)
		others, side := own, spec.BaselineSide // of a run with candidates
		if f.Against != nil {
			others, side = f.Against.places(), p.side
		}
		for _, q := range others {
			same := f.Against == nil && q.side == p.side
			if !same && q.side == side && q.point.Name == p.point.Name && l.Answers > 0 && q.lengths().Answers > 0 {
				list = append(list, againstOther(p, q)...)
			}
		}
	}
	if counted == 0 {
		return missing("the number of output tokens of the answers (usage)")
	}
	return found(list...)
}

func (p placeTally) lengths() Lengths {
	all := Lengths{Finish: map[string]int{}}
	for _, t := range p.launches {
		l := t.Lengths
		all.Answers, all.Tokens, all.Single, all.Silent = all.Answers+l.Answers, all.Tokens+l.Tokens, all.Single+l.Single, all.Silent+l.Silent
		all.Wrong, all.Off, all.Unreached = all.Wrong+l.Wrong, all.Off+l.Off, all.Unreached+l.Unreached
		all.Asked, all.AskedOf, all.Bounded = all.Asked+l.Asked, all.AskedOf+l.AskedOf, all.Bounded+l.Bounded
		for reason, n := range l.Finish {
			all.Finish[reason] += n
		}
	}
	return all
}

// impossibleCounts speaks when a server counts as nobody can.
func impossibleCounts(p placeTally, l Lengths) []finding.Finding {
	if l.Wrong == 0 {
		return nil
	}
	return []finding.Finding{{
		Severity: finding.Void, Scope: afterFirstAt(p.point.Name, p.side),
		Message: fmt.Sprintf("%s: the server's token counts of %d of %d answers cannot be true: below zero, with a fraction, or beyond 2^31-1",
			p.name, l.Wrong, l.Answers+l.Silent),
		Why: "such a count is not used, so throughput and lengths are of the other answers, by a server whose counts are wrong",
		Fix: "repair the server's usage, or count with workload.tokenizer",
	}}
}

func againstAsked(f *Facts, p placeTally, l Lengths) []finding.Finding {
	ignoring := f.Plan.Load().IgnoreEOS
	switch {
	case l.Answers == 0:
		return nil
	case float64(l.Single) > singleShare*float64(l.Answers) && f.Plan.Evaluation() == nil: // a letter may be all that a question asks for
		return []finding.Finding{{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: %d of %d answers hold a single token, where %.0f were asked for on average", p.name, l.Single, l.Answers, l.Asked/float64(l.Bounded)),
			Why:     "something ends answers at once: what was measured is the reading of prompts",
			Fix:     "look at the answers with load.keepAnswers, at stop words and at the chat template",
		}}
	case l.Bounded > 0 && ignoring != nil && *ignoring && (math.Abs(l.AskedOf-l.Asked) > lengthShare*l.Asked || l.Off >= fewestSpoiled && float64(l.Off) > offShare*float64(l.Bounded)):
		// A caution alone: the counts stand beside the figures, and only a
		// comparison with answers of another length is void.
		return []finding.Finding{{
			Severity: finding.Caution, Scope: p.scope(),
			Message: fmt.Sprintf("%s: answers hold %.1f tokens on average, %.1f were asked for with ignoreEOS; %d of %d are off by more than a tenth", p.name, l.AskedOf/float64(l.Bounded), l.Asked/float64(l.Bounded), l.Off, l.Bounded),
			Why:     "the figures are those of another workload than the one declared",
			Fix:     "declare the lengths that the target gives, or make it keep to ignore_eos",
		}}
	}
	return nil
}

// againstOther compares the lengths of candidate and baseline at one point.
func againstOther(p, q placeTally) []finding.Finding {
	a, b := q.lengths(), p.lengths()
	ratio := b.mean() / a.mean()
	message := fmt.Sprintf("%s: answers hold %.1f tokens on average, the baseline's %.1f", p.name, b.mean(), a.mean())
	why, fix := "the one with shorter answers does less work for each request", "fix the lengths with ignoreEOS, or compare figures per token"
	switch {
	case math.Abs(ratio-1) > lengthShare:
		return []finding.Finding{{Severity: finding.Void, Scope: p.scope(), Message: message, Why: why, Fix: fix}}
	case math.Abs(ratio-1) > drifting && apart(q.meanLengths(), p.meanLengths()):
		return []finding.Finding{{Severity: finding.Caution, Scope: p.scope(), Message: message + ", and chance does not explain it", Why: why, Fix: fix}}
	}
	for _, reason := range finishReasons(a, b) {
		was, is := a.finishing(reason), b.finishing(reason)
		if math.Abs(was-is) > finishShare {
			return []finding.Finding{{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %.0f %% of the answers end with %q, of the baseline's %.0f %%", p.name, 100*is, reason, 100*was),
				Why:      "answers that end for other reasons are other answers",
				Fix:      "look at the answers of both sides with load.keepAnswers",
			}}
		}
	}
	return nil
}

func (l Lengths) finishing(reason string) float64 {
	return float64(l.Finish[reason]) / float64(max(1, l.Answers+l.Silent))
}

func finishReasons(a, b Lengths) []string {
	var list []string
	for _, l := range []Lengths{a, b} {
		for reason := range l.Finish {
			if !slices.Contains(list, reason) {
				list = append(list, reason)
			}
		}
	}
	slices.Sort(list)
	return list
}

// meanLengths is the mean length of answers in each launch.
func (p placeTally) meanLengths() []float64 {
	var list []float64
	for _, t := range p.launches {
		if t.Lengths.Answers > 0 {
			list = append(list, t.Lengths.mean())
		}
	}
	return list
}

// apart reports whether the t intervals of two samples leave each other out,
// which is stricter than a test of their difference.
func apart(a, b []float64) bool {
	x, errA := stats.Mean(a, .95)
	y, errB := stats.Mean(b, .95)
	return errA == nil && errB == nil && x.Interval.Bounded() && y.Interval.Bounded() &&
		(x.Interval.Hi < y.Interval.Lo || y.Interval.Hi < x.Interval.Lo)
}
