package spec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"assay/secret"
)

// everywhere is the length from which a secret is replaced wherever it stands,
// in comments too. A shorter one could be part of an innocent word, and is
// replaced in its own field only.
const everywhere = 8

// RedactSource returns the document data, which run was parsed from, with every
// literal secret replaced by [redacted] and every other byte as it was. The
// result still reads as a document: a bare value is replaced by a quoted one.
// Data that cannot be read holds no known secret and comes back as it is.
func RedactSource(data []byte, run Run) []byte {
	found := literalSecrets(run)
	root, err := read(data)
	if err != nil || len(found) == 0 {
		return data
	}
	own := map[*node][]string{}
	for _, s := range found {
		if n := root.at(s.path); n != nil {
			own[n] = s.values
		}
	}
	long := slices.DeleteFunc(Secrets(run), func(value string) bool { return len(value) < everywhere })
	r := redactor{data: data, own: own, known: secret.NewFinder(long), edits: map[int]edit{}}
	r.walk(root)
	return []byte(r.known.Hide(string(r.apply()))) // what is left stands in comments
}

// hider replaces every one of values, the longest first: one secret may begin
// another.
func hider(values []string) *strings.Replacer {
	sorted := slices.SortedFunc(slices.Values(values), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, value := range sorted {
		pairs = append(pairs, value, Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// A redactor gathers the edits of one document.
type redactor struct {
	data  []byte
	own   map[*node][]string // the secrets of a field
	known *secret.Finder     // of the secrets looked for in every scalar
	edits map[int]edit       // by start: aliases of one anchor are one edit
}

// An edit replaces data[start:end].
type edit struct {
	end  int
	text []byte
}

func (r *redactor) walk(n *node) {
	for _, f := range n.fields {
		r.walk(f.value)
	}
	for _, item := range n.items {
		r.walk(item)
	}
	if len(n.fields)+len(n.items) > 0 {
		return
	}
	hidden := r.known.Hide(hider(r.own[n]).Replace(n.text))
	if hidden == n.text {
		return
	}
	start := offsetOf(r.data, n.originLine, n.originColumn)
	end := scalarEnd(r.data, start, n.text)
	r.edits[start] = edit{end, r.scalar(r.data[start:end], n, hidden)}
}

// scalar is the source text of n with its secrets hidden. A quoted scalar keeps
// its own spelling as far as it can; any other is written anew.
func (r *redactor) scalar(source []byte, n *node, hidden string) []byte {
	if len(source) > 0 && (source[0] == '"' || source[0] == '\'') {
		text := r.known.Hide(hider(spellings(r.own[n]...)).Replace(string(source)))
		if strings.Count(text, Redacted) == strings.Count(hidden, Redacted) {
			return []byte(text)
		}
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(hidden); err != nil {
		return []byte(`"` + Redacted + `"`) // cannot be: text always encodes
	}
	return bytes.TrimSpace(quoted.Bytes())
}

// apply makes the edits from the last to the first, so that places stay right.
func (r *redactor) apply() []byte {
	var starts []int
	for start := range r.edits {
		starts = append(starts, start)
	}
	slices.Sort(starts)
	slices.Reverse(starts)
	out := slices.Clone(r.data)
	for _, start := range starts {
		out = slices.Concat(out[:start], r.edits[start].text, out[r.edits[start].end:])
	}
	return out
}

// spellings are the ways a source may write values: as they are, escaped as
// JSON, with single quotes doubled.
func spellings(values ...string) []string {
	var all []string
	for _, value := range values {
		all = append(all, value, strings.ReplaceAll(value, "'", "''"))
		if quoted, err := json.Marshal(value); err == nil {
			all = append(all, strings.TrimSuffix(strings.TrimPrefix(string(quoted), `"`), `"`))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
