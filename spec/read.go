package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits that keep a hostile document from costing more than a few seconds. A
// full publication document is about 8 kB, 400 nodes and 7 levels deep.
const (
	// MaxDocumentBytes is the largest document that Parse reads.
	MaxDocumentBytes = 1 << 20

	maxDocumentNodes = 10_000
	maxDocumentDepth = 64
)

// A readError is a document that cannot be read at all.
type readError struct {
	line, column int
	got, want    string
}

func (e *readError) Error() string { return fmt.Sprintf("got %s, want %s", e.got, e.want) }

// read turns bytes into nodes, with places. It refuses what two readers could
// understand differently.
func read(data []byte) (*node, *readError) {
	if len(data) > MaxDocumentBytes {
		return nil, &readError{1, 1, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("a document of at most %d bytes", MaxDocumentBytes)}
	}
	if !utf8.Valid(data) {
		line, column := invalidUTF8(data)
		return nil, &readError{line, column, "a byte that is not UTF-8", "a document in UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// JSON is read as JSON: YAML readers stumble over tabs and surrogate pairs.
	if json.Valid(data) {
		return readJSON(data)
	}
	return readYAML(data)
}

func invalidUTF8(data []byte) (line, column int) {
	line, column = 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
		data = data[size:]
	}
	return line, column
}

func readYAML(data []byte) (*node, *readError) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := nextYAML(decoder)
	if errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0 {
		return nil, &readError{1, 1, "an empty document", "a mapping with apiVersion, kind, metadata and spec"}
	}
	if err != nil {
		return nil, syntaxError(err)
	}
	second, err := nextYAML(decoder)
	switch {
	case err == nil:
		return nil, &readError{second.Line, 1, "a second document", "one document per file"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(err)
	}
	builder := yamlBuilder{budget: maxDocumentNodes}
	return builder.build(root.Content[0], 0)
}

// nextYAML reads one document. The YAML reader panics on some malformed input
// and recovers from most of that itself; the rest is a syntax error to us.
func nextYAML(decoder *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	document = new(yaml.Node)
	return document, decoder.Decode(document)
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

func syntaxError(err error) *readError {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		line, _ = strconv.Atoi(text[m[2]:m[3]]) // the pattern admits digits only
		text = text[:m[0]] + text[m[1]:]
	}
	return &readError{line, 1, "a syntax error (" + text + ")", "YAML or JSON"}
}

// A yamlBuilder copies YAML nodes and follows aliases while its budget lasts.
type yamlBuilder struct{ budget int }

func (b *yamlBuilder) build(y *yaml.Node, depth int) (*node, *readError) {
	if b.budget--; b.budget < 0 || depth > maxDocumentDepth {
		return nil, &readError{y.Line, y.Column, "a document that unfolds without end",
			fmt.Sprintf("at most %d values, %d levels deep, aliases included", maxDocumentNodes, maxDocumentDepth)}
	}
	switch y.Kind {
	case yaml.AliasNode:
		n, err := b.build(y.Alias, depth+1)
		if n != nil {
			n.line, n.column = y.Line, y.Column
		}
		return n, err
	case yaml.MappingNode:
		return b.mapping(y, depth)
	case yaml.SequenceNode:
		n := &node{shape: listShape, line: y.Line, column: y.Column}
		for _, item := range y.Content {
			value, err := b.build(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, value)
		}
		return n, nil
	default:
		return scalar(y)
	}
}

func (b *yamlBuilder) mapping(y *yaml.Node, depth int) (*node, *readError) {
	n := &node{shape: mappingShape, line: y.Line, column: y.Column}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, &readError{key.Line, key.Column, "a key that is not text", "a field name"}
		}
		if key.ShortTag() == "!!merge" {
			return nil, &readError{key.Line, key.Column, "a merge key <<", "the fields written out"}
		}
		value, err := b.build(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		// A block below its key is found by the key.
		if value.is(mappingShape, listShape) && value.line > y.Content[i].Line {
			value.line, value.column = y.Content[i].Line, y.Content[i].Column
		}
		n.fields = append(n.fields, field{key.Value, y.Content[i].Line, y.Content[i].Column, value})
	}
	return n, nil
}

// yamlShapes are the tags a document may use. A date is text: no field is one.
var yamlShapes = map[string]shape{
	"!!str": stringShape, "!!timestamp": stringShape, "!!int": integerShape,
	"!!float": numberShape, "!!bool": boolShape, "!!null": nullShape,
}

func scalar(y *yaml.Node) (*node, *readError) {
	s, ok := yamlShapes[y.ShortTag()]
	if !ok {
		return nil, &readError{y.Line, y.Column, "the YAML tag " + quote(y.ShortTag()), "a plain string, number, boolean, list or mapping"}
	}
	// An integer beyond 64 bits is tagged a float; it is still an integer, and
	// is refused as one.
	if s == numberShape && isDigits(y.Value) {
		s = integerShape
	}
	return &node{shape: s, line: y.Line, column: y.Column, originLine: y.Line, originColumn: y.Column, text: y.Value}, nil
}

func isDigits(text string) bool {
	text = strings.TrimLeft(text, "+-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}
