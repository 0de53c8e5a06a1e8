package bundle

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// A rule finds secrets of one shape. Its first group is the secret.
type rule struct {
	// hints are texts of which one must occur for re to be worth trying: a
	// search for a few bytes is a hundred times cheaper than a regular
	// expression, and nearly every text holds none of them.
	hints []string
	then  func(rest string) bool // what must follow such a text too; nil: anything
	re    *regexp.Regexp

	secret func(value string) bool // nil: every match is one
	prose  func(value string) bool // in answers of models; nil: as secret
}

// rules lists the shapes of secrets. The prefixes are those their issuers
// publish so that scanners can find leaked keys.
var rules = []rule{
	{hints: []string{"PRIVATE KEY"},
		re: regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$))`)},
	{hints: []string{"uthorization", "UTHORIZATION"}, then: assigns,
		re:     regexp.MustCompile(`(?i)authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?([^\s"',;]{6,})`),
		secret: isSecretValue, prose: tokenLike},
	{hints: []string{"earer", "EARER"},
		re: regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{6,})`), prose: tokenLike},
	{hints: []string{"asic", "ASIC"},
		re: regexp.MustCompile(`(?i)\bbasic\s+([A-Za-z0-9+/_-]{8,}={0,2})`), secret: isUserPassword},
	{hints: []string{"sk-"}, re: regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{10,})`), prose: tokenLike},
	{hints: []string{"hf_"}, re: regexp.MustCompile(`\b(hf_[A-Za-z0-9]{10,})`), prose: tokenLike},
	{hints: []string{"AKIA", "ASIA"}, re: regexp.MustCompile(`\b(A[KS]IA[0-9A-Z]{12,})`)},
	{hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		re: regexp.MustCompile(`\b((?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,})`)},
	{hints: []string{"glpat-"}, re: regexp.MustCompile(`\b(glpat-[A-Za-z0-9_-]{16,})`)},
	{hints: []string{"nvapi-"}, re: regexp.MustCompile(`\b(nvapi-[A-Za-z0-9_-]{16,})`)},
	{hints: []string{"AIza"}, re: regexp.MustCompile(`\b(AIza[A-Za-z0-9_-]{30,})`)},
	{hints: []string{"xox"}, re: regexp.MustCompile(`\b(xox[abeoprs]-[A-Za-z0-9-]{10,})`)},
	{hints: []string{"eyJ"}, re: regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*)`)},
	{hints: []string{"://"}, then: namesUser, re: regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://([^/?#\s@"'<>]+)@[^\s@]`), secret: isSecretValue},
	{hints: []string{"ey", "EY", "oken", "OKEN"}, then: assigns,
		re:     regexp.MustCompile(`(?i)(?:api|access|secret|auth|private|refresh|id|session)[_-]?(?:key|token)["']?\s*[:=]\s*["']?([^\s"',;&}\])]{6,})`),
		secret: isSecretValue, prose: tokenLike},
	{hints: []string{"assw", "ASSW", "assphrase", "ASSPHRASE", "pwd", "PWD", "secret", "SECRET", "Secret"}, then: assigns,
		re:     regexp.MustCompile(`(?i)(?:password|passwd|passphrase|\bpwd|client[_-]?secret)["']?\s*[:=]\s*["']?([^\s"',;&}\])]{4,})`),
		secret: isSecretValue, prose: tokenLike},
	{hints: []string{"ookie", "OOKIE"}, then: assigns,
		re: regexp.MustCompile(`(?i)\bcookie["']?\s*:\s*["']?([^\r\n"']{4,})`), secret: isSecretValue, prose: tokenLike},
}

// apply replaces the secrets of s that r finds.
func (r *rule) apply(s string, prose bool) string {
	if !r.mayMatch(s) {
		return s
	}
	is := r.secret
	if prose && r.prose != nil {
		is = r.prose
	}
	var out strings.Builder
	done := 0
	for _, m := range r.re.FindAllStringSubmatchIndex(s, -1) {
		if is != nil && !is(s[m[2]:m[3]]) {
			continue
		}
		out.WriteString(s[done:m[2]])
		out.WriteString(Redacted)
		done = m[3]
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// mayMatch reports whether re is worth trying on s.
func (r *rule) mayMatch(s string) bool {
	for _, h := range r.hints {
		for rest := s; ; {
			i := strings.Index(rest, h)
			if i < 0 {
				break
			}
			if rest = rest[i+len(h):]; r.then == nil || r.then(rest) {
				return true
			}
		}
	}
	return false
}

// mostLetters is how many letters of a name follow its hint: "ord" of a password.
const mostLetters = 3

// assigns reports whether rest, behind a part of a name, ends the name and gives it a value. It
// looks no further than the name can go: a text of hints alone would take the square of its length.
func assigns(rest string) bool {
	for i := 0; i < mostLetters && rest != "" && rest[0]|' ' >= 'a' && rest[0]|' ' <= 'z'; i++ {
		rest = rest[1:]
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest = rest[1:]
	}
	rest = strings.TrimLeft(rest, " \t\n\f\r")
	return rest != "" && (rest[0] == ':' || rest[0] == '=')
}

// namesUser reports whether rest, behind the scheme of an address, begins with a user.
func namesUser(rest string) bool {
	i := strings.IndexAny(rest, "@/?#\"'<> \t\n\f\r")
	return i > 0 && rest[i] == '@'
}

// isSecretValue reports whether value, found where a secret belongs, is one. It
// is not when it only names the place a secret is kept in: a variable of the
// environment.
func isSecretValue(value string) bool {
	switch {
	case value == "", strings.HasPrefix(value, Redacted[:len(Redacted)-1]), // a rule may end at the bracket
		strings.HasPrefix(value, "$"), strings.HasPrefix(value, "env:"):
		return false
	case strings.Contains(value, "_") && variableName.MatchString(value):
		return false
	}
	return true
}

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

// tokenLike reports whether value looks made by a machine.
func tokenLike(value string) bool {
	return isSecretValue(value) && len(value) >= 8 && strings.ContainsAny(value, "0123456789")
}

// isUserPassword reports whether value is the base64 of "user:password"; plain
// English has many words after "basic".
func isUserPassword(value string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.Contains(string(text), ":")
}

// secretField reports whether a JSON field called name holds a secret.
func secretField(name string) bool { return secretFieldName.MatchString(name) }

var secretFieldName = regexp.MustCompile(`(?i)(^|[._-])(password|passwd|passphrase|(client[_-]?)?secret|` +
	`authorization|(set-)?cookie|(api|private)[_-]?key|(access|auth|refresh|session|bearer)[_-]?token)$`)
