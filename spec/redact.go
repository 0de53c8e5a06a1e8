package spec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
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
	r := redactor{data: data, own: own, long: long, edits: map[int]edit{}}
	r.walk(root)
	redacted := r.apply()
	for _, value := range long { // what is left stands in comments
		for _, spelling := range spellings(value) {
			redacted = bytes.ReplaceAll(redacted, []byte(spelling), []byte(Redacted))
		}
	}
	return redacted
}

// A redactor gathers the edits of one document.
type redactor struct {
	data  []byte
	own   map[*node][]string // the secrets of a field
	long  []string           // the secrets looked for in every scalar
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
	if !n.is(stringShape) {
		return
	}
	hidden := n.text
	for _, value := range append(slices.Clone(r.own[n]), r.long...) {
		hidden = strings.ReplaceAll(hidden, value, Redacted)
	}
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
		text := source
		for _, value := range append(slices.Clone(r.own[n]), r.long...) {
			for _, spelling := range spellings(value) {
				text = bytes.ReplaceAll(text, []byte(spelling), []byte(Redacted))
			}
		}
		if bytes.Count(text, []byte(Redacted)) == strings.Count(hidden, Redacted) {
			return text
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
