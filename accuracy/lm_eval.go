package accuracy

import (
	"errors"
	"fmt"
	"time"

	"github.com/dlclark/regexp2"

	"assay/accuracy/lexical"
	"assay/record"
)

// lmEvalGraders compare answers as tasks of lm-eval do: filters first, then exact_match with
// the options of the task.
var lmEvalGraders = []Grader{
	{Name: "lm_eval", Doc: "exact_match of lm-eval after the first of the task's filters, with the task's options.", batch: throughFilter(0)},
	{Name: "lm_eval_2", Doc: "The same after the second of the task's filters.", batch: throughFilter(1)},
	{Name: "lm_eval_3", Doc: "The same after the third.", batch: throughFilter(2)},
	{Name: "lm_eval_4", Doc: "The same after the fourth.", batch: throughFilter(3)},
}

var errNoFilter = errors.New("the task has no such filter: want another grader")

// throughFilter grades by the filter of a number. Expressions are read once: all questions
// of a task share them.
func throughFilter(number int) func([]*Answer) ([]Mark, error) {
	return func(answers []*Answer) (marks []Mark, err error) {
		read := map[string]*regexp2.Regexp{}
		for _, a := range answers {
			var steps []record.FilterStep
			switch {
			case number < len(a.Key.Filters):
				steps = a.Key.Filters[number].Steps
			case number > 0:
				return nil, errNoFilter
			}
			mark := Mark{Extracted: a.Text}
			for _, step := range steps {
				if err := filter(step, read, &mark); err != nil {
					return nil, err
				}
			}
			if mark.Score, err = exactly(a.Key, mark.Extracted); err != nil {
				return nil, err
			}
			marks = append(marks, mark)
		}
		return marks, nil
	}
}

// exactly compares with every reference by the options of the task.
func exactly(key *record.AnswerKey, text string) (float64, error) {
	var o lexical.ExactMatch
	if key.Exact != nil {
		o = lexical.ExactMatch{Ignore: key.Exact.Ignore, IgnoreCase: key.Exact.IgnoreCase, IgnorePunctuation: key.Exact.IgnorePunctuation, IgnoreNumbers: key.Exact.IgnoreNumbers}
	}
	match, err := o.Matcher()
	if err != nil {
		return 0, err
	}
	for _, reference := range key.References {
		if same, err := match(text, reference); err != nil || same {
			return truth(same), err
		}
	}
	return 0, nil
}

// filter takes one step on the way from what was said to what is compared.
func filter(step record.FilterStep, read map[string]*regexp2.Regexp, mark *Mark) error {
	switch step.Function {
	case "take_first": // each sample is graded by itself
	case "remove_whitespace":
		mark.Extracted = lexical.Strip(mark.Extracted)
	case "lowercase":
		mark.Extracted = lexical.Lower(mark.Extracted)
	case "uppercase":
		mark.Extracted = lexical.Upper(mark.Extracted)
	case "regex":
		pattern := read[step.Pattern]
		if pattern == nil {
			var err error
			if pattern, err = regexp2.Compile(lexical.FromPython(step.Pattern), regexp2.None); err != nil {
				return fmt.Errorf("regular expression %q: %w", step.Pattern, err)
			}
			pattern.MatchTimeout = 5 * time.Second // some would take for ever
			read[step.Pattern] = pattern
		}
		found, ok, err := findall(pattern, mark.Extracted, step.Select)
		if err != nil {
			return err
		}
		if mark.Unparsed = !ok; mark.Unparsed {
			found = step.Fallback
		}
		mark.Extracted = found
	default:
		return fmt.Errorf("filter %q is not known", step.Function)
	}
	return nil
}

// findall is the match of a number, negative ones counted from the end, as Python's findall
// gives it: all of it, its group, or of several groups the first that is not empty.
func findall(pattern *regexp2.Regexp, text string, number int) (string, bool, error) {
	var all []*regexp2.Match
	match, err := pattern.FindStringMatch(text)
	for ; match != nil && err == nil; match, err = pattern.FindNextMatch(match) {
		all = append(all, match)
	}
	if number < 0 {
		number += len(all)
	}
	if err != nil || number < 0 || number >= len(all) {
		return "", false, err
	}
	groups := all[number].Groups()
	if len(groups) <= 2 {
		return lexical.Strip(groups[len(groups)-1].String()), true, nil
	}
	for _, g := range groups[1:] {
		if g.String() != "" {
			return lexical.Strip(g.String()), true, nil
		}
	}
	return "", false, nil
}
