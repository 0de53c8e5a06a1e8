package lexical

import "strings"

// SQuADNormalize is how SQuAD sees an answer: in lower case, without the punctuation of
// ASCII, without articles, words parted by single spaces.
func SQuADNormalize(answer string) string {
	return strings.Join(fields(withoutArticles(withoutASCIIPunctuation(Lower(answer)))), " ")
}

// withoutArticles is \b(a|an|the)\b → a space. A word of \w with nothing of \w around it
// is a whole run, so only runs need be compared.
func withoutArticles(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		switch run := text[:end]; run {
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(run)
		}
		text = text[end:]
		next := strings.IndexFunc(text, isWord)
		if next < 0 {
			next = len(text)
		}
		b.WriteString(text[:next])
		text = text[next:]
	}
	return b.String()
}

// SQuADExact says whether an answer equals one of those given, as SQuAD sees them.
func SQuADExact(prediction string, golds []string) bool {
	normal := SQuADNormalize(prediction)
	for _, gold := range golds {
		if SQuADNormalize(gold) == normal {
			return true
		}
	}
	return false
}

// SQuADF1 is the F1 of the words of an answer, each counted as often as it is there,
// against the given answer for which it is highest. As in SQuAD 1.1 it is 0 for two
// answers that consist of articles only, though they match exactly.
func SQuADF1(prediction string, golds []string) float64 {
	words, best := fields(SQuADNormalize(prediction)), 0.0
	for _, gold := range golds {
		best = max(best, bagF1(words, fields(SQuADNormalize(gold))))
	}
	return best
}

func bagF1(prediction, gold []string) float64 {
	left := map[string]int{}
	for _, word := range gold {
		left[word]++
	}
	same := 0
	for _, word := range prediction {
		if left[word] > 0 {
			left[word]--
			same++
		}
	}
	if same == 0 {
		return 0
	}
	return fScore(float64(same)/float64(len(prediction)), float64(same)/float64(len(gold))).F
}

// setOf are the different words of a text.
func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

func common(a, b map[string]bool) (n float64) {
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
