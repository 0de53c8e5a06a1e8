package lexical

import "unicode/utf8"

// A letter is one of a word. Words of ASCII, which most are, need no code points.
type letter interface{ byte | rune }

// irregular is the stem of a word that the rules would get wrong, or nothing.
func irregular(word string) string {
	switch word {
	case "sky", "skies":
		return "sky"
	case "dying":
		return "die"
	case "lying":
		return "lie"
	case "tying":
		return "tie"
	case "inning", "innings":
		return "inning"
	case "outing", "outings":
		return "outing"
	case "canning", "cannings":
		return "canning"
	case "news", "howe", "proceed", "exceed", "succeed":
		return word
	}
	return ""
}

const longestIrregular = len("cannings")

// stem changes a word in lower case into its stem by Porter's algorithm as NLTK extends
// it, which ROUGE and METEOR use: neither the original algorithm nor Snowball's English. It
// works in the word's own memory, for no rule makes a word longer.
//
// Porter, "An algorithm for suffix stripping", Program 14.3 (1980).
func stem[T letter](w []T) []T {
	if len(w) <= 2 {
		return w
	}
	if len(w) <= longestIrregular {
		var room [longestIrregular]byte
		if form := irregular(string(ascii(room[:0], w))); form != "" {
			return fill(w[:0], form)
		}
	}
	w = pluralStep(w)
	w = participleStep(w)
	if n := len(w); n > 2 && w[n-1] == 'y' && isConsonant(w, n-2) {
		w[n-1] = 'i'
	}
	w = secondStep(w)
	w = apply(w, &thirdRules, 0)
	w = fourthStep(w)
	return lastStep(w)
}

// ascii appends a word, with letters beyond ASCII as one that no rule knows.
func ascii[T letter](dst []byte, w []T) []byte {
	for _, c := range w {
		dst = append(dst, byte(min(c, utf8.RuneSelf-1)))
	}
	return dst
}

func fill[T letter](dst []T, s string) []T {
	for i := range len(s) {
		dst = append(dst, T(s[i]))
	}
	return dst
}

func endsIn[T letter](w []T, suffix string) bool {
	from := len(w) - len(suffix)
	if from < 0 {
		return false
	}
	for i := len(suffix) - 1; i >= 0; i-- {
		if w[from+i] != T(suffix[i]) {
			return false
		}
	}
	return true
}

func isVowel[T letter](c T) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'
}

// isConsonant says whether a letter is one. A y is what the letter before it is not.
func isConsonant[T letter](w []T, i int) bool {
	ys := 0
	for i > 0 && w[i] == 'y' {
		i, ys = i-1, ys+1
	}
	return isVowel(w[i]) == (ys%2 == 1)
}

// measure is m, the number of times that a vowel is followed by a consonant.
func measure[T letter](w []T) (m int) {
	consonant := false
	for i, c := range w {
		vowel := isVowel(c) || c == 'y' && i > 0 && consonant
		if i > 0 && !consonant && !vowel {
			m++
		}
		consonant = !vowel
	}
	return m
}

func hasVowel[T letter](w []T) bool {
	for i := range w {
		if !isConsonant(w, i) {
			return true
		}
	}
	return false
}

// endsShort is *o: consonant, vowel, consonant that is not w, x or y. A whole word of a
// vowel and a consonant counts too.
func endsShort[T letter](w []T) bool {
	n := len(w)
	if n == 2 {
		return !isConsonant(w, 0) && isConsonant(w, 1)
	}
	return n > 2 && isConsonant(w, n-3) && !isConsonant(w, n-2) && isConsonant(w, n-1) &&
		w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}

// pluralStep is step 1a.
func pluralStep[T letter](w []T) []T {
	switch n := len(w); {
	case endsIn(w, "sses"):
		return w[:n-2]
	case endsIn(w, "ies"):
		return w[:n-choose(n == 4, 1, 2)]
	case endsIn(w, "ss"), !endsIn(w, "s"):
		return w
	default:
		return w[:n-1]
	}
}

// participleStep is step 1b.
func participleStep[T letter](w []T) []T {
	n := len(w)
	switch {
	case endsIn(w, "ied"):
		return w[:n-choose(n == 4, 1, 2)]
	case endsIn(w, "eed"):
		if measure(w[:n-3]) > 0 {
			return w[:n-1]
		}
		return w
	case endsIn(w, "ed") && hasVowel(w[:n-2]):
		return mend(w[:n-2])
	case endsIn(w, "ing") && hasVowel(w[:n-3]):
		return mend(w[:n-3])
	}
	return w
}

// mend gives a verb without its ending the last letter that it should have.
func mend[T letter](w []T) []T {
	n := len(w)
	switch {
	case endsIn(w, "at"), endsIn(w, "bl"), endsIn(w, "iz"):
		return append(w, 'e')
	case n > 1 && w[n-1] == w[n-2] && isConsonant(w, n-1):
		if w[n-1] == 'l' || w[n-1] == 's' || w[n-1] == 'z' {
			return w
		}
		return w[:n-1]
	case measure(w) == 1 && endsShort(w):
		return append(w, 'e')
	}
	return w
}

// A rule replaces a suffix. The first of a list whose suffix a word has decides, also
// when the rest is too short for it.
type rule struct{ suffix, replacement string }

var secondRules = byLastLetter([]rule{
	{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"}, {"alli", "al"},
	{"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"},
	{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"fulli", "ful"},
})

var thirdRules = byLastLetter([]rule{
	{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
})

var fourthRules = byLastLetter([]rule{
	{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""}, {"ment", ""},
	{"ent", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
})

// rules are a list by the last letter of the suffix, which no others can match.
type rules ['z' + 1][]rule

func byLastLetter(list []rule) (by rules) {
	for _, r := range list {
		last := r.suffix[len(r.suffix)-1]
		by[last] = append(by[last], r)
	}
	return by
}

// apply applies the first rule whose suffix matches, if the rest has a measure above m.
func apply[T letter](w []T, all *rules, m int) []T {
	if len(w) == 0 || int(w[len(w)-1]) >= len(all) {
		return w
	}
	for _, r := range all[w[len(w)-1]] {
		if !endsIn(w, r.suffix) {
			continue
		}
		if rest := w[:len(w)-len(r.suffix)]; measure(rest) > m {
			return fill(rest, r.replacement)
		}
		return w
	}
	return w
}

// secondStep is step 2. What -alli leaves is gone through again.
func secondStep[T letter](w []T) []T {
	for endsIn(w, "alli") && measure(w[:len(w)-4]) > 0 {
		w = w[:len(w)-2]
	}
	if endsIn(w, "logi") {
		if measure(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	return apply(w, &secondRules, 0)
}

// fourthStep is step 4. Of its suffixes only -ion asks for a letter before it.
func fourthStep[T letter](w []T) []T {
	if endsIn(w, "ion") {
		if n := len(w) - 3; measure(w[:n]) > 1 && (w[n-1] == 's' || w[n-1] == 't') {
			return w[:n]
		}
		return w
	}
	return apply(w, &fourthRules, 1)
}

// lastStep is steps 5a and 5b.
func lastStep[T letter](w []T) []T {
	if n := len(w) - 1; n >= 0 && w[n] == 'e' {
		if m := measure(w[:n]); m > 1 || m == 1 && !endsShort(w[:n]) {
			w = w[:n]
		}
	}
	if endsIn(w, "ll") && measure(w[:len(w)-1]) > 1 {
		w = w[:len(w)-1]
	}
	return w
}
