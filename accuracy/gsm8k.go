package accuracy

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// gsm8kGraders are the rules by which six harnesses find the final number of an answer.
// On the same answers they differ by up to a point: which one it was is part of a score.
var gsm8kGraders = []Grader{
	{Name: "gsm8k_flexible", Doc: "The last number of the answer, as lm-eval's flexible-extract finds it.", grade: number(lastOf(flexible), lmEvalClean)},
	{Name: "gsm8k_strict", Doc: "The first number after ####, as lm-eval's strict-match finds it.", grade: number(firstOf(strict), lmEvalClean)},
	{Name: "gsm8k_openai", Doc: "The first number after ####, commas removed, as the set's publisher finds it.", grade: number(firstOf(strict), withoutCommas)},
	{Name: "gsm8k_last_number", Doc: "The last digits once commas are removed, as vLLM and SGLang find them: sign and decimals are lost.", grade: gradeLastDigits},
	{Name: "gsm8k_mlperf", Doc: "The number after the last \"The answer is\", else the last one, compared as numbers, as MLPerf's Mixtral does.", grade: gradeMLPerf},
	{Name: "gsm8k_helm", Doc: "The last number, commas removed, as HELM finds it: helm_final_number.", grade: gradeHELMNumber},
	{Name: "number", Doc: "The last number of the answer, compared as a number.", grade: gradeNumber},
}

var (
	strict     = regexp.MustCompile(`#### (-?[0-9.,]+)`)
	flexible   = regexp.MustCompile(`(-?[$0-9.,]{2,})|(-?[0-9]+)`)
	digits     = regexp.MustCompile(`\d+`)
	mlperfLast = regexp.MustCompile(`-?[\d,]*\.?\d+`)
)

// firstOf and lastOf find a match: its first group that is not empty, or all of it.
func firstOf(pattern *regexp.Regexp) func(string) (string, bool) {
	return func(text string) (string, bool) {
		found := pattern.FindStringSubmatch(text)
		return group(found), found != nil
	}
}

func lastOf(pattern *regexp.Regexp) func(string) (string, bool) {
	return func(text string) (string, bool) {
		all := pattern.FindAllStringSubmatch(text, -1)
		if len(all) == 0 {
			return "", false
		}
		return group(all[len(all)-1]), true
	}
}

func group(found []string) string {
	if len(found) == 1 {
		return found[0]
	}
	for _, g := range found[min(1, len(found)):] {
		if g != "" {
			return strings.TrimSpace(g)
		}
	}
	return ""
}

// number grades by text once both sides are cleaned.
func number(find func(string) (string, bool), clean func(string) string) func(*Answer) (Mark, error) {
	return func(a *Answer) (Mark, error) {
		found, ok := find(a.Text)
		if !ok {
			return Mark{Unparsed: true}, nil
		}
		mark := Mark{Extracted: clean(found)}
		for _, reference := range a.Key.References {
			mark.Score = max(mark.Score, truth(mark.Extracted == clean(reference)))
		}
		return mark, nil
	}
}

func withoutCommas(text string) string { return strings.ReplaceAll(text, ",", "") }

// lmEvalClean takes away what lm-eval ignores, in its order.
func lmEvalClean(text string) string {
	text = strings.ReplaceAll(withoutCommas(text), "$", "")
	if i := strings.LastIndex(text, "#### "); i >= 0 {
		text = text[i+len("#### "):]
	}
	return strings.ToLower(strings.TrimSuffix(text, "."))
}

// gradeLastDigits reads digits as Python reads a literal: "08" is none.
func gradeLastDigits(a *Answer) (Mark, error) {
	all := digits.FindAllString(withoutCommas(a.Text), -1)
	if len(all) == 0 {
		return Mark{Unparsed: true}, nil
	}
	last := all[len(all)-1]
	if len(last) > 1 && last[0] == '0' && strings.Trim(last, "0") != "" {
		return Mark{Extracted: last, Unparsed: true}, nil
	}
	mark := Mark{Extracted: last}
	for _, reference := range a.Key.References {
		want := digits.FindAllString(withoutCommas(reference), -1)
		if len(want) > 0 {
			mark.Score = max(mark.Score, truth(sameInteger(last, want[len(want)-1])))
		}
	}
	return mark, nil
}

func sameInteger(a, b string) bool {
	x, ok := new(big.Int).SetString(a, 10)
	y, okY := new(big.Int).SetString(b, 10)
	return ok && okY && x.Cmp(y) == 0
}

// gradeMLPerf looks before the next question that a model may have made up.
func gradeMLPerf(a *Answer) (Mark, error) {
	text, _, _ := strings.Cut(a.Text, "\nQ:")
	found := ""
	if i := strings.LastIndex(text, "The answer is"); i >= 0 {
		found = mlperfLast.FindString(text[i:])
	}
	if found == "" {
		if all := mlperfLast.FindAllString(text, -1); len(all) > 0 {
			found = all[len(all)-1]
		}
	}
	return compareNumbers(found, a), nil
}

func gradeNumber(a *Answer) (Mark, error) {
	found, _ := lastOf(mlperfLast)(a.Text)
	return compareNumbers(found, a), nil
}

// compareNumbers compares as numbers of double precision.
func compareNumbers(found string, a *Answer) Mark {
	value, err := strconv.ParseFloat(withoutCommas(found), 64)
	if err != nil {
		return Mark{Extracted: found, Unparsed: true}
	}
	mark := Mark{Extracted: withoutCommas(found)}
	for _, reference := range a.Key.References {
		if want, err := strconv.ParseFloat(withoutCommas(reference), 64); err == nil {
			mark.Score = max(mark.Score, truth(value == want))
		}
	}
	return mark
}
