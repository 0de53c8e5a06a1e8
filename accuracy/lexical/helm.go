package lexical

import (
	"regexp"
	"strings"
)

// HELM's comparisons of an answer with one that is right. An empty answer is never
// right.

// HELMExact compares what is left of two texts without the white space around them.
func HELMExact(prediction, gold string) bool {
	return prediction != "" && Strip(prediction) == Strip(gold)
}

// HELMQuasiExact compares two texts as SQuAD sees them.
func HELMQuasiExact(prediction, gold string) bool {
	return prediction != "" && SQuADNormalize(prediction) == SQuADNormalize(gold)
}

// HELMPrefix says whether the answer begins with the right one.
func HELMPrefix(prediction, gold string) bool {
	return prediction != "" && strings.HasPrefix(Strip(prediction), Strip(gold))
}

// HELMQuasiPrefix says the same of two texts as SQuAD sees them.
func HELMQuasiPrefix(prediction, gold string) bool {
	return prediction != "" && strings.HasPrefix(SQuADNormalize(prediction), SQuADNormalize(gold))
}

// helmNumber is HELM's, whose full stop is not escaped and matches any character.
var helmNumber = regexp.MustCompile(`-?[\p{Nd},]+(?:.\p{Nd}+)?`)

// HELMNumber is the last number of a text, without commas; empty where there is none. HELM
// compares two of them by HELMExact.
func HELMNumber(text string) string {
	all := helmNumber.FindAllString(text, -1)
	if len(all) == 0 {
		return ""
	}
	return strings.ReplaceAll(all[len(all)-1], ",", "")
}

// HELMF1 is the F1 of the sets of words that SQuAD sees: a word counts once, however
// often it is there.
func HELMF1(prediction, gold string) float64 {
	a, b := setOf(fields(SQuADNormalize(prediction))), setOf(fields(SQuADNormalize(gold)))
	same := common(a, b)
	if same == 0 {
		return 0
	}
	return 1 / (0.5/(same/float64(len(a))) + 0.5/(same/float64(len(b))))
}
