package spec

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
)

// A shape is the form of a node.
type shape int

const (
	mappingShape shape = iota + 1
	listShape
	stringShape
	integerShape
	numberShape
	boolShape
	nullShape
)

// A node is one value of a document with its place. YAML and JSON are read into
// the same nodes, so that every later step sees one form.
type node struct {
	shape  shape
	line   int
	column int

	// Where the text itself stands: an alias is elsewhere than its anchor.
	originLine, originColumn int

	text   string  // of a scalar, as written
	fields []field // of a mapping, in order, duplicates included
	items  []*node // of a list
}

// A field is one entry of a mapping; line and column are its key's.
type field struct {
	name         string
	line, column int
	value        *node
}

// field returns the value of name, or nil. The first of duplicates counts.
func (n *node) field(name string) *node {
	if n == nil || n.shape != mappingShape {
		return nil
	}
	for _, f := range n.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// is reports whether n exists and has one of the shapes.
func (n *node) is(shapes ...shape) bool {
	if n == nil {
		return false
	}
	for _, s := range shapes {
		if n.shape == s {
			return true
		}
	}
	return false
}

// flag is the value of a boolean node; ok is false for anything else.
func (n *node) flag() (value, ok bool) {
	if !n.is(boolShape) {
		return false, false
	}
	return strings.EqualFold(n.text, "true"), true
}

// integer is the value of an integer node within the safe range; a boolean is
// not an integer.
func (n *node) integer() (int64, bool) {
	if !n.is(integerShape) {
		return 0, false
	}
	v, err := parseInteger(n.text)
	return v, err == nil
}

// number is the value of a finite number node.
func (n *node) number() (float64, bool) {
	if !n.is(integerShape, numberShape) {
		return 0, false
	}
	v, err := parseNumber(n.text)
	return v, err == nil
}

// str is the text of a string node, or "".
func (n *node) str() string {
	if !n.is(stringShape) {
		return ""
	}
	return n.text
}

// strings lists the string items of a list node.
func (n *node) strings() []string {
	var words []string
	if n.is(listShape) {
		for _, item := range n.items {
			if item.is(stringShape) {
				words = append(words, item.text)
			}
		}
	}
	return words
}

// got describes n for a fault.
func (n *node) got() string {
	switch {
	case n == nil:
		return ""
	case n.shape == mappingShape:
		return "a mapping"
	case n.shape == listShape && len(n.items) == 0:
		return "an empty list"
	case n.shape == listShape:
		return "a list"
	case n.shape == stringShape:
		return quote(n.text)
	case n.shape == nullShape:
		return "nothing"
	default:
		return shorten(n.text)
	}
}

func quote(text string) string { return strconv.Quote(shorten(text)) }

// shorten keeps a value in a message readable.
func shorten(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

// locate finds the place of path, or of its nearest existing parent. The place
// of a value is its own; the place of a missing one is its parent's key.
func (n *node) locate(path string) (line, column int) {
	line, column = n.line, n.column
	for part := range pathParts(path) {
		next, l, c := n.step(part)
		if next == nil {
			return line, column
		}
		n, line, column = next, l, c
	}
	return n.line, n.column
}

// step goes one part of a path down and returns the place of the key (or item).
func (n *node) step(part string) (next *node, line, column int) {
	switch n.shape {
	case mappingShape:
		for _, f := range n.fields {
			if f.name == part {
				return f.value, f.line, f.column
			}
		}
	case listShape:
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.items) {
			return n.items[i], n.items[i].line, n.items[i].column
		}
	}
	return nil, 0, 0
}

// at returns the node at path, or nil.
func (n *node) at(path string) *node {
	for part := range pathParts(path) {
		if n == nil {
			return nil
		}
		n, _, _ = n.step(part)
	}
	return n
}

// joinPath adds a key to a path; an odd key is quoted.
func joinPath(path, key string) string {
	switch {
	case key == "" || strings.ContainsFunc(key, isOdd):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

// memberPath adds a field of a type to a path; such names are never odd.
func memberPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// isOdd reports whether a key with r in it must be quoted in a path.
func isOdd(r rune) bool {
	return r != '_' && r != '-' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

func itemPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// pathParts undoes joinPath and itemPath, part by part.
func pathParts(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for path != "" {
			var part string
			part, path = cutPath(strings.TrimPrefix(path, "."))
			if !yield(part) {
				return
			}
		}
	}
}

// cutPath takes the first part off a path.
func cutPath(path string) (part, rest string) {
	if !strings.HasPrefix(path, "[") {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return path, ""
		}
		return path[:end], path[end:]
	}
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
		key, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		return key, path[len(quoted)+2:]
	}
	end := strings.IndexByte(path, ']')
	return path[1:end], path[end+1:]
}
