package accuracy

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// choiceGraders say which choice an answer is. Ties go to the first.
var choiceGraders = []Grader{
	{Name: "letter", Doc: "The letter that was generated: after the last \"Answer:\", or the one that the answer begins with.", grade: gradeLetter},
	{Name: "top_logprob", Doc: "The letter with the highest probability among the alternatives of the first token.", Likelihood: true, grade: gradeTopLogprob},
	{Name: "loglikelihood", Doc: "The choice with the highest likelihood as the continuation.", Likelihood: true, grade: likeliest(func(string) float64 { return 1 })},
	{Name: "loglikelihood_norm", Doc: "The same, for each character of the choice.", Likelihood: true, grade: likeliest(func(choice string) float64 { return float64(utf8.RuneCountInString(choice)) })},
	{Name: "loglikelihood_bytes", Doc: "The same, for each byte of the choice.", Likelihood: true, grade: likeliest(func(choice string) float64 { return float64(len(choice)) })},
	{Name: "mutual_information", Doc: "The choice whose likelihood the question raises most: its log-likelihood less that after \"Answer:\" alone.", Likelihood: true, grade: byChoice(informed)},
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var (
	announced = regexp.MustCompile(`(?i)answer[ \t]*:[ \t]*\$?\(?([A-Za-z])\b`)
	leading   = regexp.MustCompile(`^[\s"'(*]*([A-Za-z])(?:[\s"').:,*]|$)`)
)

var errNoTarget = errors.New("the question has no choices: want another grader")

func gradeLetter(a *Answer) (Mark, error) {
	if a.Key.Target == nil {
		return Mark{}, errNoTarget
	}
	found := ""
	if all := announced.FindAllStringSubmatch(a.Text, -1); len(all) > 0 {
		found = all[len(all)-1][1]
	} else if first := leading.FindStringSubmatch(a.Text); first != nil {
		found = first[1]
	}
	found = strings.ToUpper(found)
	at := strings.Index(letters[:len(a.Key.Choices)], found)
	if found == "" || at < 0 {
		return Mark{Extracted: found, Unparsed: true}, nil
	}
	return Mark{Extracted: found, Score: truth(at == *a.Key.Target)}, nil
}

// letterLogprobs are the log-probabilities of the letters as the first token of an answer,
// −∞ for a letter that is not among the alternatives; a reason where none is. Spellings with
// and without a space before the letter are two tokens; the likelier counts.
func letterLogprobs(a *Answer) (values []float64, why string, err error) {
	if a.Key.Target == nil {
		return nil, "", errNoTarget
	}
	logprobs := a.Replies[0].Logprobs
	if logprobs == nil || len(logprobs.Top) == 0 {
		return nil, "the server gave no probabilities", nil
	}
	for i := range a.Key.Choices {
		value := math.Inf(-1)
		for _, alternative := range logprobs.Top[0] {
			if strings.TrimSpace(alternative.Token) == letters[i:i+1] {
				value = max(value, alternative.Logprob)
			}
		}
		values = append(values, value)
	}
	if math.IsInf(slices.Max(values), -1) {
		return nil, "no letter is among the alternatives of the first token", nil
	}
	return values, "", nil
}

// gradeTopLogprob looks at the first token alone.
func gradeTopLogprob(a *Answer) (Mark, error) {
	values, why, err := letterLogprobs(a)
	if err != nil || why != "" {
		return Mark{Unparsed: true, Why: why}, err
	}
	winner, missing := slices.Index(values, slices.Max(values)), 0
	for _, value := range values {
		if math.IsInf(value, -1) {
			missing++
		}
	}
	mark := Mark{Extracted: letters[winner : winner+1], Score: truth(winner == *a.Key.Target)}
	if missing > 0 {
		mark.Why = fmt.Sprintf("%d of %d letters are not among the alternatives", missing, len(values))
	}
	return mark, nil
}

// likeliest grades by the likelihood of each choice, divided by its length. The length is
// that of the choice itself: of the letter where letters are what continues.
func likeliest(length func(choice string) float64) func(*Answer) (Mark, error) {
	return byChoice(func(a *Answer, i int) (float64, error) {
		value, _, err := Likelihood(a.Replies[i])
		if n := length(strings.TrimPrefix(a.Replies[i].Said, " ")); n > 0 {
			value /= n
		}
		return value, err
	})
}

var errNoUnconditional = errors.New("the choices were not asked without the question: want the style cloze-information")

// informed takes away how likely a choice is without the question, whose replies follow
// those with it.
func informed(a *Answer, i int) (float64, error) {
	if len(a.Replies) != 2*len(a.Key.Choices) {
		return 0, errNoUnconditional
	}
	with, _, err := Likelihood(a.Replies[i])
	if err != nil {
		return 0, err
	}
	without, _, err := Likelihood(a.Replies[len(a.Key.Choices)+i])
	return with - without, err
}

// byChoice is a grader by the choice with the highest value.
func byChoice(value func(a *Answer, i int) (float64, error)) func(*Answer) (Mark, error) {
	return func(a *Answer) (Mark, error) {
		if a.Key.Target == nil {
			return Mark{}, errNoTarget
		}
		winner, top := -1, math.Inf(-1)
		for i := range a.Replies[:min(len(a.Replies), len(a.Key.Choices))] {
			v, err := value(a, i)
			switch {
			case errors.Is(err, errNoUnconditional):
				return Mark{}, err
			case err != nil:
				return Mark{Unparsed: true, Why: err.Error()}, nil
			case v > top:
				winner, top = i, v
			}
		}
		if winner < 0 {
			return Mark{Unparsed: true}, nil
		}
		return Mark{Extracted: fmt.Sprint(winner), Score: truth(winner == *a.Key.Target), Why: fmt.Sprintf("log-likelihood %.6g", top)}, nil
	}
}
