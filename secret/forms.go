package secret

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	// anyCase is the length from which a value is found in upper and lower case
	// alike, reversed and in hex: a shorter one could be half of a word.
	anyCase = 8

	// fragment is how many bytes in a row give a secret away. It is what is left of
	// a key that a server cut, wrapped or split: twelve characters of one made by a
	// machine stand in no other text by chance, and what is left of it when fewer
	// are shown cannot be guessed.
	fragment = 12

	// divisible is the shortest value that is also found by its fragments.
	divisible = 16

	// Longer values are certificates and documents. They are found whole, and by
	// fewer kinds of fragments: each fragment is a pattern of its own.
	mostEncoded, mostDivided = 1 << 10, 16 << 10

	shortestBase64 = 6
	shortestLine   = 16
)

// formsOf lists the spellings of value that rewrite it as a whole, and the
// fragments of each that give it away. Spellings that replace single characters
// are undone in the text instead: see eachView.
func formsOf(value string) []form {
	value = strings.TrimSpace(value)
	var forms []form
	for _, text := range encoded(value, base64.RawStdEncoding, base64.RawURLEncoding) {
		forms = append(forms, form{text: text, exact: true})
	}
	if len(value) < anyCase {
		return append(forms, form{text: value, exact: true})
	}
	divide := machineMade(value)
	add := func(text string, size, most int) {
		text = lowered(text)
		forms = append(forms, form{text: text})
		for at := 0; divide && len(value) <= most && at+size <= len(text); at++ {
			forms = append(forms, form{text: text[at : at+size]})
		}
	}
	add(value, fragment, mostDivided)
	add(reversed(value), fragment, mostEncoded)
	add(hex.EncodeToString([]byte(value)), 2*fragment, mostEncoded)
	for _, text := range encoded(value, base64.RawStdEncoding, base64.RawURLEncoding) {
		add(text, fragment*4/3, mostEncoded)
	}
	if strings.Contains(value, " ") { // as forms on the web write it
		add(strings.ReplaceAll(value, " ", "+"), fragment, 0)
	}
	if strings.Contains(value, "\n") { // logs are read line by line
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				add(line, fragment, 0)
			}
		}
	}
	return forms
}

// machineMade reports whether a part of value is as telling as all of it. It is
// not where value may be words, a path or an address, of which others share parts.
func machineMade(value string) bool {
	if len(value) < divisible || strings.ContainsAny(value, " \t\r\n") || strings.Contains(value, "://") || strings.HasPrefix(value, "/") {
		return false
	}
	return strings.ContainsAny(value, "0123456789")
}

func reversed(text string) string {
	out := []byte(text)
	slices.Reverse(out)
	return string(out)
}

// encoded lists the base64 of value at each of the three places it can have in a
// longer encoded text, such as "user:value", without the characters at either end
// that depend on its neighbours.
func encoded(value string, encodings ...*base64.Encoding) []string {
	var forms []string
	for _, enc := range encodings {
		for shift := range 3 {
			text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			text = text[(shift*8+5)/6:]
			if (shift+len(value))%3 != 0 {
				text = text[:len(text)-1]
			}
			if len(text) >= shortestBase64 {
				forms = append(forms, text)
			}
		}
	}
	return forms
}
