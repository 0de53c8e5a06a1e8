package spec

import (
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// harmlessNames are headers and query parameters whose values are nobody's
// secret.
var harmlessNames = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "content-type", "user-agent",
	"x-request-id", "traceparent", "openai-organization", "openai-project", "anthropic-version",
	"api-version", "version",
}

// secretName matches environment variables that usually hold secrets. A server
// has many harmless variables, so there the name decides.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|cookie`)

// A literalSecret is a secret value that stands in a document.
type literalSecret struct {
	path   string // of the scalar that holds it
	advice string
	values []string // inside that scalar
}

// Secrets lists the literal secret values in a document, so that callers can
// keep them out of what they write.
func Secrets(run Run) []string {
	var values []string
	for _, s := range literalSecrets(run) {
		values = append(values, s.values...)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func literalSecrets(run Run) (found []literalSecret) {
	eachTarget(&run, func(path string, t *Target) { found = append(found, targetSecrets(path, t)...) })
	return found
}

func targetSecrets(path string, t *Target) []literalSecret {
	found := urlSecrets(path+".url", t.URL)
	for i, u := range t.URLs {
		found = append(found, urlSecrets(itemPath(path+".urls", i), u)...)
	}
	for _, s := range urlSecrets("spec.target.proxy", t.Proxy) {
		s.advice = "name a proxy that needs no credentials"
		found = append(found, s)
	}
	for i, u := range t.Metrics.URLs {
		found = append(found, urlSecrets(itemPath("spec.target.metrics.urls", i), u)...)
	}
	harmless := func(name string) bool { return slices.Contains(harmlessNames, strings.ToLower(name)) }
	found = append(found, tableSecrets(path+".headers", t.Headers, harmless)...)
	found = append(found, tableSecrets(path+".query", t.Query, harmless)...)
	if t.Server != nil {
		found = append(found, tableSecrets(path+".server.env", t.Server.Env,
			func(name string) bool { return !secretName.MatchString(name) })...)
	}
	return found
}

// urlSecrets finds user info and query values. It goes by the text alone, so
// that an address that does not parse is not shown either.
func urlSecrets(path, text string) []literalSecret {
	var values []string
	text, _, _ = strings.Cut(text, "#")
	address, query, _ := strings.Cut(text, "?")
	_, rest, _ := strings.Cut(address, "//")
	authority, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at > 0 {
		values = append(values, authority[:at])
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && !slices.Contains(harmlessNames, strings.ToLower(name)) {
			values = append(values, value)
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == Redacted })
	if len(values) == 0 {
		return nil
	}
	return []literalSecret{{path, "use target.auth, target.headers or target.query with {env: NAME}", values}}
}

// parseURL reads an address, also one that was redacted: brackets are not
// allowed in it otherwise.
func parseURL(text string) (*url.URL, error) {
	return url.Parse(strings.ReplaceAll(text, Redacted, "redacted"))
}

func tableSecrets(path string, table map[string]Secret, harmless func(string) bool) []literalSecret {
	var found []literalSecret
	for name, value := range table {
		if value.IsLiteral() && value.literal != "" && value.literal != Redacted && !harmless(name) {
			found = append(found, literalSecret{joinPath(path, name), "use {env: NAME} or {file: PATH}", []string{value.literal}})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].path < found[j].path })
	return found
}
