package lint

import (
	"fmt"
	"math"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// StatedInterval fires when what is said beside a value does not fit the bundle:
// its interval, how many launches it rests on, how it was made.
var StatedInterval = Check{
	ID: "stated-interval", Severity: finding.Void,
	Doc: "The interval, the number of launches or the method stated beside a value is not the bundle's.",
	When: "a value outside of its own stated interval; a stated interval that does not contain the " +
		"bundle's value; a launch that the bundle lacks. Caution: fewer launches than there are; the " +
		"bundle's interval under another method's name",
	Applies: statedWith(statesOurs),
	Run:     statedInterval,
}

func statedInterval(f *Facts) Answer {
	var answer Answer
	for _, s := range f.Statements {
		if !statesOurs(f, s) {
			continue
		}
		row, ok := f.rowOf(s)
		if !ok {
			answer.Missing = noRow(s)
			continue
		}
		answer.Findings = append(answer.Findings, againstRow(s, row)...)
	}
	return answer
}

func againstRow(s Statement, row metric.Row) []finding.Finding {
	var list []finding.Finding
	add := func(severity finding.Severity, fix, message string, args ...any) {
		list = append(list, finding.Finding{
			Severity: severity, Message: said(s) + " " + fmt.Sprintf(message, args...),
			Why: "a reader takes the interval for what the launches show", Fix: fix,
		})
	}
	if s.Interval != nil {
		switch stated := interval(s, *s.Interval); {
		case !within(s.Value, *s.Interval):
			add(finding.Void, "state the value and the interval of one estimate", "= %s lies outside of its own interval %s", figure(s, s.Value), stated)
		case !within(row.Value, *s.Interval):
			add(finding.Void, "state the bundle's interval: assay report", "is stated with the interval %s, and the bundle's %s lies outside of it", stated, figure(s, row.Value))
		case s.Method != "" && sameInterval(*s.Interval, row.Interval) && otherMethod(s.Method, row.Method):
			add(finding.Caution, "name the method that made it", "has the bundle's interval, which is by %s, and it is said to be by %s", row.Method, s.Method)
		}
	}
	if k := len(row.PerLaunch); s.N > 0 && s.N < k {
		add(finding.Caution, "state the estimate over all launches, with its interval", "is said to rest on n = %d, and the bundle has %d launches", s.N, k)
	}
	for _, launch := range s.Launches {
		if !hasLaunch(row, launch) {
			add(finding.Void, "cite launches that the bundle holds", "cites launch index %d, of which the bundle holds no value", launch)
		}
	}
	return list
}

func hasLaunch(row metric.Row, launch int) bool {
	for _, v := range row.PerLaunch {
		if v.Launch == launch {
			return true
		}
	}
	return false
}

func interval(s Statement, i stats.Interval) string {
	return fmt.Sprintf("[%s, %s]", figure(s, i.Lo), figure(s, i.Hi))
}

// sameInterval allows for the digits that people leave out.
func sameInterval(a, b stats.Interval) bool {
	return a.Bounded() && b.Bounded() && math.Abs(a.Lo-b.Lo) <= notRounded*math.Abs(b.Lo) && math.Abs(a.Hi-b.Hi) <= notRounded*math.Abs(b.Hi)
}

// methodWords are what intervals are called by; each line is one kind.
var methodWords = [][]string{
	{"student", "welch", "t interval", "t-interval", "t of"},
	{"bootstrap", "resampl", "bca"},
	{"order", "rank", "wilcoxon", "mann", "hodges", "sign"},
	{"clopper", "wilson", "binomial"},
	{"bayes", "posterior", "credible"},
}

// otherMethod says that two names of methods are of two kinds; a name that nobody
// knows is not held against anybody.
func otherMethod(a, b string) bool {
	x, y := methodKind(a), methodKind(b)
	return x >= 0 && y >= 0 && x != y
}

func methodKind(text string) int {
	text = strings.ToLower(text)
	for kind, words := range methodWords {
		for _, word := range words {
			if strings.Contains(text, word) {
				return kind
			}
		}
	}
	return -1
}
