package lexical

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// InspectExact is the scorer exact of inspect_ai: an answer has the same words as one of
// the targets, in the same order.
func InspectExact(answer string, targets []string) bool {
	words := inspectWords(answer)
	for _, target := range targets {
		if inspectable(target) && slices.Equal(words, inspectWords(target)) {
			return true
		}
	}
	return false
}

// InspectF1 is the scorer f1 of inspect_ai: the F1 of sets of words, against the target
// for which it is highest, rounded to two decimals. No words at all are in every target.
func InspectF1(answer string, targets []string) float64 {
	words, best := setOf(inspectWords(answer)), 0.0
	for _, target := range targets {
		if !inspectable(target) {
			continue
		}
		others := setOf(inspectWords(target))
		same := common(words, others)
		precision, recall := 1.0, 1.0
		if len(words) > 0 {
			precision = same / float64(len(words))
		}
		if len(others) > 0 {
			recall = same / float64(len(others))
		}
		best = max(best, fScore(precision, recall).F)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(best, 'f', 2, 64), 64) // FormatFloat writes numbers
	return rounded
}

// inspectable says whether a target counts: inspect_ai leaves out those that begin with
// white space.
func inspectable(target string) bool {
	first, size := utf8.DecodeRuneInString(target)
	return size > 0 && !isSpace(first)
}

// inspectWords are the words between spaces and hyphens, without case,
// punctuation and articles. Numbers are compared as such.
func inspectWords(text string) (words []string) {
	for _, token := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' }) {
		token = fold(token)
		if number, ok := parseFloat(token); ok {
			token = floatRepr(number)
		} else {
			token = withoutASCIIPunctuation(token)
			if number, ok := parseFloat(token); ok {
				token = floatRepr(number)
			}
		}
		words = append(words, fields(withoutArticles(token))...)
	}
	return words
}
