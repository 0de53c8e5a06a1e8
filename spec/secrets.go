package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"assay/secret"
)

// harmlessNames are headers and query parameters whose values are nobody's
// secret.
var harmlessNames = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "content-type", "user-agent",
	"x-request-id", "traceparent", "openai-organization", "openai-project", "anthropic-version",
	"api-version", "version",
}

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
	if session := run.Spec.Workload.Session; session != nil {
		if session.Tool != nil {
			found = append(found, commandSecrets("spec.workload.session.tool.command", session.Tool.Command)...)
		}
		for i, t := range session.Tools {
			found = append(found, commandSecrets(itemPath("spec.workload.session.tools", i)+".command", t.Command)...)
		}
	}
	if evaluation := run.Spec.Evaluation; evaluation != nil {
		for i, s := range evaluation.Scorers {
			found = append(found, scorerSecrets(itemPath("spec.evaluation.scorers", i), s)...)
		}
	}
	if train := run.Spec.Train; train != nil {
		found = append(found, commandSecrets("spec.train.command", train.Command)...)
	}
	return append(found, hotSecrets(run.Spec.Sinks.HotMetrics)...)
}

func scorerSecrets(path string, s Scorer) []literalSecret {
	found := urlSecrets(path+".url", s.URL)
	for i := range found {
		found[i].advice = "use headers with {env: NAME}"
	}
	found = append(found, tableSecrets(path+".headers", s.Headers, harmlessName)...)
	return append(found, commandSecrets(path+".command", s.Command)...)
}

func harmlessName(name string) bool { return slices.Contains(harmlessNames, strings.ToLower(name)) }

func targetSecrets(path string, t *Target) []literalSecret {
	found := urlSecrets(path+".url", t.URL)
	for i, u := range t.URLs {
		found = append(found, urlSecrets(itemPath(path+".urls", i), u)...)
	}
	for _, s := range urlSecrets(path+".proxy", t.Proxy) {
		s.advice = "name a proxy that needs no credentials"
		found = append(found, s)
	}
	for i, u := range t.Metrics.URLs {
		found = append(found, urlSecrets(itemPath(path+".metrics.urls", i), u)...)
	}
	found = append(found, tableSecrets(path+".headers", t.Headers, harmlessName)...)
	found = append(found, tableSecrets(path+".query", t.Query, harmlessName)...)
	found = append(found, bodySecrets(path+".extraBody", t.ExtraBody, false)...)
	if t.Server != nil {
		// A server has many harmless variables, so there the name decides.
		found = append(found, tableSecrets(path+".server.env", t.Server.Env,
			func(name string) bool { return !secret.Named(name) })...)
		found = append(found, commandSecrets(path+".server.command", t.Server.Command)...)
	}
	return found
}

// MarshalJSON writes the variables of a server as they are: two servers are told apart by
// them. Those with a secret's name are hidden.
func (s Server) MarshalJSON() ([]byte, error) {
	type plain Server // without this method
	env := make(map[string]any, len(s.Env))
	for name, value := range s.Env {
		env[name] = value
		if value.IsLiteral() && !secret.Named(name) {
			env[name] = value.literal
		}
	}
	return json.Marshal(struct {
		plain
		Env map[string]any `json:"env,omitempty"`
	}{plain(s), env})
}

// urlSecrets finds user info and query values. It goes by the text alone, so
// that an address that does not parse is not shown either.
func urlSecrets(path, text string) []literalSecret {
	var values []string
	text, _, _ = strings.Cut(text, "#")
	address, query, _ := strings.Cut(text, "?")
	_, rest, _ := strings.Cut(address, "//")
	authority, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at > 0 && authority[:at] != Redacted {
		values = append(values, secret.UserInfo(authority[:at])...)
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && value != Redacted && !slices.Contains(harmlessNames, strings.ToLower(name)) {
			values = append(values, secret.Parts(value)...)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return []literalSecret{{path, "use target.auth, target.headers or target.query with {env: NAME}", values}}
}

// bodySecrets finds the values below v that stand under a secret's name: every
// one of them, where named says that v itself does.
func bodySecrets(path string, v any, named bool) (found []literalSecret) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			found = append(found, bodySecrets(joinPath(path, name), v[name], named || secret.Named(name))...)
		}
	case []any:
		for i, item := range v {
			found = append(found, bodySecrets(itemPath(path, i), item, named)...)
		}
	case float64:
		return bodySecrets(path, strconv.FormatFloat(v, 'f', -1, 64), named) // as it was written, not as 1e+09
	case string, int64:
		const advice = "send it by target.headers or target.query with {env: NAME}"
		if text := fmt.Sprint(v); named && len(text) >= shortestInBody && text != Redacted {
			return []literalSecret{{path, advice, secret.Parts(text)}}
		}
	}
	return found
}

// withoutSecrets is v, a part of a body, with the values that bodySecrets finds
// replaced.
func withoutSecrets(v any, named bool) any {
	switch v := v.(type) {
	case map[string]any:
		clean := map[string]any{}
		for name, value := range v {
			clean[name] = withoutSecrets(value, named || secret.Named(name))
		}
		return clean
	case []any:
		var clean []any
		for _, item := range v {
			clean = append(clean, withoutSecrets(item, named))
		}
		return clean
	}
	if len(bodySecrets("", v, named)) > 0 {
		return Redacted
	}
	return v
}

// shortestInBody keeps "auto" under a name that only sounds secret from being
// blotted out of every report.
const shortestInBody = 6

// commandSecrets finds what follows a flag with a secret's name, as --api-key KEY
// or --api-key=KEY, and assignments such as API_KEY=KEY.
func commandSecrets(path string, words []string) (found []literalSecret) {
	after := "" // the flag before
	for i, word := range words {
		name, value, assigned := strings.Cut(word, "=")
		flag := strings.HasPrefix(word, "-")
		switch {
		case !flag && secret.Named(after):
			value = word
		case assigned && secret.Named(name) && !strings.ContainsAny(name, " \t\n"):
		default:
			value = ""
		}
		after = ""
		if flag && !assigned {
			after = word
		}
		if len(value) >= shortestInBody && value != Redacted && !strings.HasPrefix(value, "$") {
			found = append(found, literalSecret{itemPath(path, i), "pass it by an environment variable", secret.Parts(value)})
		}
	}
	return found
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
			found = append(found, literalSecret{joinPath(path, name), "use {env: NAME} or {file: PATH}", secret.Parts(value.literal)})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].path < found[j].path })
	return found
}
