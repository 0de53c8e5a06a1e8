package main

import (
	"fmt"
	"strings"

	"assay/stats"
)

// How a cell of intervals that may fall short answers for itself.
const (
	covers  = "covers"
	widened = "widened"
	warned  = "warned"
	silent  = "SILENT" // too often wrong without a word
)

// An answer is one interval against the truth, and what was said beside it.
type answer struct {
	covered bool
	widened bool
	said    string // the name of the warning; empty when nothing was said
}

// unseenMode is what is said of launches of which one of two modes showed.
const unseenMode = "unseen mode"

// answerOf judges an estimate; unseen says that one of two modes did not show in its
// launches, and that unseenShare allows for as many.
func answerOf(est stats.Estimate, truth float64, unseen bool) answer {
	a := answer{
		covered: est.Interval.Contains(truth),
		widened: est.Method == stats.WidenedMeanMethod || est.Method == stats.SharesMethod,
	}
	switch {
	case unseen:
		a.said = unseenMode
	case len(est.Warnings) > 0:
		a.said = nameOf(est.Warnings[0])
	}
	return a
}

// nameOf is a warning in two words.
func nameOf(warning string) string {
	for words, name := range map[string]string{"heavy tail": "heavy tail", "two modes": "two modes", "not look normal": "not normal", "differ by factors": "far apart"} {
		if strings.Contains(warning, words) {
			return name
		}
	}
	return warning
}

// An answered is many answers.
type answered struct {
	trials, covered, widened, silent int
	said                             map[string]int // beside wrong intervals
}

func (t *answered) add(a answer) {
	t.trials++
	if a.widened {
		t.widened++
	}
	switch {
	case a.covered:
		t.covered++
	case a.said == "":
		t.silent++
	default:
		if t.said == nil {
			t.said = map[string]int{}
		}
		t.said[a.said]++
	}
}

func (t answered) coverage() float64 { return float64(t.covered) / float64(max(1, t.trials)) }

// how says in one word how the cell answers for itself.
func (t answered) how() string {
	quiet := 1 - float64(t.silent)/float64(max(1, t.trials)) // right, or wrong with a word
	switch {
	case quiet < leastCoverage-2*standardError(.95, t.trials):
		return silent
	case t.coverage() < leastCoverage && quiet >= leastCoverage:
		return warned
	case 2*t.widened > t.trials:
		return widened
	}
	return covers
}

func (t answered) cell() string {
	cell := fmt.Sprintf("%.1f %s", 100*t.coverage(), t.how())
	if t.how() == warned {
		cell += ": " + t.mostSaid()
	}
	return cell
}

// mostSaid is the warning that stood beside most of the wrong intervals.
func (t answered) mostSaid() string {
	most := ""
	for said, n := range t.said {
		if n > t.said[most] || n == t.said[most] && said < most {
			most = said
		}
	}
	return most
}
