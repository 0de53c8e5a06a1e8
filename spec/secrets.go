package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
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

func literalSecrets(run Run) []literalSecret {
	t := run.Spec.Target
	if t == nil {
		return nil
	}
	found := urlSecrets("spec.target.url", t.URL)
	for i, u := range t.URLs {
		found = append(found, urlSecrets(itemPath("spec.target.urls", i), u)...)
	}
	harmless := func(name string) bool { return slices.Contains(harmlessNames, strings.ToLower(name)) }
	found = append(found, tableSecrets("spec.target.headers", t.Headers, harmless)...)
	found = append(found, tableSecrets("spec.target.query", t.Query, harmless)...)
	if t.Server != nil {
		found = append(found, tableSecrets("spec.target.server.env", t.Server.Env,
			func(name string) bool { return !secretName.MatchString(name) })...)
	}
	return found
}

// urlSecrets finds user info and query values. A URL that does not parse is a
// fault of its own.
func urlSecrets(path, text string) []literalSecret {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var values []string
	if u.User != nil {
		values = append(values, rawUserinfo(text))
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && !slices.Contains(harmlessNames, strings.ToLower(name)) {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return []literalSecret{{path, "use target.auth, target.headers or target.query with {env: NAME}", values}}
}

// rawUserinfo is user:password as written, before any decoding.
func rawUserinfo(text string) string {
	_, rest, _ := strings.Cut(text, "//")
	authority, _, _ := strings.Cut(rest, "/")
	return authority[:max(0, strings.LastIndex(authority, "@"))]
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

// everywhere is the length from which a secret is replaced wherever it stands,
// in comments too. A shorter one could be part of an innocent word, and is
// replaced in its own field only.
const everywhere = 8

// RedactSource returns the document data, which run was parsed from, with every
// literal secret replaced by [redacted] and every other byte as it was. Data
// that cannot be read holds no known secret and comes back as it is.
func RedactSource(data []byte, run Run) []byte {
	found := literalSecrets(run)
	root, err := read(data)
	if err != nil || len(found) == 0 {
		return data
	}
	redacted := redactFields(data, root, found)
	for _, value := range Secrets(run) {
		if len(value) < everywhere {
			continue
		}
		for _, spelling := range spellings(value) {
			redacted = bytes.ReplaceAll(redacted, []byte(spelling), []byte(Redacted))
		}
	}
	return redacted
}

// redactFields replaces secrets inside their own scalars, from the last to the
// first so that places stay right.
func redactFields(data []byte, root *node, found []literalSecret) []byte {
	type edit struct {
		start, end int
		text       []byte
	}
	var edits []edit
	for _, s := range found {
		n := root.at(s.path)
		if n == nil {
			continue
		}
		start := offsetOf(data, n.originLine, n.originColumn)
		end := scalarEnd(data, start, n.text)
		text := data[start:end]
		for _, value := range s.values {
			text = redactScalar(text, value)
		}
		edits = append(edits, edit{start, end, text})
	}
	sort.Slice(edits, func(i, j int) bool { return edits[i].start > edits[j].start })
	out := slices.Clone(data)
	for i, e := range edits {
		if i > 0 && e.start == edits[i-1].start { // two aliases of one anchor
			continue
		}
		out = slices.Concat(out[:e.start], e.text, out[e.end:])
	}
	return out
}

// redactScalar replaces value in the source text of one scalar. Where the
// source spells it in a way we cannot find (folded over lines, odd escapes) the
// whole scalar goes.
func redactScalar(text []byte, value string) []byte {
	for _, spelling := range spellings(value) {
		if bytes.Contains(text, []byte(spelling)) {
			return bytes.ReplaceAll(text, []byte(spelling), []byte(Redacted))
		}
	}
	return fmt.Appendf(nil, "%q", Redacted)
}

// spellings are the ways a source may write value: as it is, escaped as JSON,
// with single quotes doubled.
func spellings(value string) []string {
	all := []string{value}
	if quoted, err := json.Marshal(value); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	all = append(all, strings.ReplaceAll(value, "'", "''"))
	slices.Sort(all)
	return slices.Compact(all)
}
