// Package secret knows a secret when it sees one: by the name it stands under
// and, once its value is known, in every common spelling. It is pure text: it
// reads no environment, keeps no file and decides nothing about where a secret
// may be shown.
//
// To add a spelling that replaces characters one by one (as percent-encoding
// does), add an escape to escapes; one that rewrites the whole value (as base64
// does) belongs in formsOf.
package secret

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// Named reports whether a field, header, parameter, flag or environment variable
// called name is likely to hold a secret. Words count whole where they are also
// parts of harmless ones: KEY is not KEYBOARD, AUTH not AUTHOR, TOKEN neither
// TOKENIZER nor MAX_TOKENS.
func Named(name string) bool {
	words := wordsOf(name)
	if len(words) == 0 || harmlessEnd[words[len(words)-1]] {
		return false
	}
	for i, word := range words {
		switch {
		case strings.HasSuffix(word, "KEY"), word == "KEYS", strings.HasSuffix(word, "TOKEN"):
			if i == 0 || !harmlessKind[words[i-1]] {
				return true
			}
		case wholeWord[word], strings.HasPrefix(word, "APIKEY"):
			return true
		}
		for _, part := range anywhere {
			if strings.Contains(word, part) {
				return true
			}
		}
	}
	return false
}

var (
	// harmlessEnd are last words that say where a secret is, or what it is like,
	// which is not the secret.
	harmlessEnd = wordSet("FILE PATH DIR SOCK TYPE KIND NAME ENV LENGTH COUNT LIMIT")

	// harmlessKind are the keys and tokens of language models and tables.
	harmlessKind = wordSet("CACHE JOIN SORT PRIMARY FOREIGN STOP EOS BOS PAD UNK MASK SEP CLS END START SPECIAL NEXT FIRST LAST PER")

	wholeWord = wordSet("JWT DSN PASS PWD BEARER AUTH AUTHORIZATION SIG SIGNATURE SESSION SESSIONID")

	// desktopNames are variables that every login sets.
	desktopNames = wordSet("PWD OLDPWD SESSION_MANAGER DESKTOP_SESSION GDMSESSION")

	anywhere = []string{"SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "COOKIE"}
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Variable reports whether the environment variable name is likely to hold a
// secret. Nobody chose those names for us, so more of them are let pass:
// AUTH=none is a choice among words.
func Variable(name, value string) bool {
	if desktopNames[name] || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "DBUS_") || !Named(name) {
		return false
	}
	words := wordsOf(name)
	if slices.Contains(words, "AUTH") || slices.Contains(words, "AUTHORIZATION") {
		return len(value) >= 16 || strings.ContainsAny(value, "0123456789")
	}
	return true
}

// wordsOf splits a name at everything that is no letter or digit and where
// camel case begins a word, in capitals.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	letters := []rune(name)
	for i, r := range letters {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			words, word = append(words, string(word)), nil
			continue
		}
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(letters[i-1]) {
			words, word = append(words, string(word)), nil
		}
		word = append(word, unicode.ToUpper(r))
	}
	words = append(words, string(word))
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// shortestPart is the length from which a part of a secret is one by itself:
// shorter ones are the "v1" and "me" beside it.
const shortestPart = 6

// Parts lists value, which somebody marked as secret, and the secrets inside it:
// the key after "Bearer", the user and password in Basic credentials, each value
// of a cookie or of a list of parameters, and what percent-encoding hides.
func Parts(value string) []string {
	parts := []string{value}
	add := func(part string) {
		part = strings.TrimSpace(part)
		if len(part) >= shortestPart && part != strings.TrimSpace(value) && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if plain, err := url.PathUnescape(value); err == nil {
		add(plain)
	}
	if scheme, rest, ok := strings.Cut(strings.TrimSpace(value), " "); ok && schemeName.MatchString(scheme) {
		add(rest)
		if user, password, ok := basicCredentials(rest); ok {
			add(user + ":" + password)
			add(password)
		}
	}
	for _, pair := range parameters.FindAllStringSubmatch(value, -1) {
		add(strings.Trim(pair[1], `"`))
	}
	return parts
}

// UserInfo is Parts of the user and password in an address.
func UserInfo(text string) []string {
	parts := Parts(text)
	if _, password, ok := strings.Cut(text, ":"); ok && password != "" {
		parts = append(parts, Parts(password)...)
	}
	return parts
}

var (
	schemeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
	parameters = regexp.MustCompile(`(?:^|[\s;,&])[A-Za-z0-9_.-]+=("[^"]*"|[^\s;,&]+)`)
)

func basicCredentials(text string) (user, password string, ok bool) {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(plain), ":")
}
