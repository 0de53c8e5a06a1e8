package spec

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schemaURL names the schema of a kind.
func schemaURL(kind string) string {
	return "https://assay.dev/schema/v1alpha1/" + schemaFile(kind)
}

// WriteYAML writes a document as readable YAML: fields in the order of the
// types, a comment above each section, and a first line that names its schema
// for editors. v is a Run or a WorkloadSpec.
func WriteYAML(v any) ([]byte, error) {
	root := toNode(v)
	kind := root.field("kind").str()
	tree := yamlNode(root)
	commentSections(tree, kind)
	var out bytes.Buffer
	file := schemaFile(kind)
	fmt.Fprintf(&out, "# yaml-language-server: $schema=%s\n# The schema for editors: assay schema --kind %s > %s\n", file, strings.ToLower(kind), file)
	if err := encodeYAML(&out, tree); err != nil {
		return nil, fmt.Errorf("encode document: %w", err)
	}
	return out.Bytes(), nil
}

func encodeYAML(out io.Writer, tree *yaml.Node) error {
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	if err := encoder.Encode(tree); err != nil {
		return err
	}
	return encoder.Close()
}

var yamlTags = map[shape]string{
	stringShape: "!!str", integerShape: "!!int", numberShape: "!!float", boolShape: "!!bool", nullShape: "!!null",
}

func yamlNode(n *node) *yaml.Node {
	switch n.shape {
	case mappingShape:
		y := &yaml.Node{Kind: yaml.MappingNode, Style: flowIfShort(n)}
		for _, f := range n.fields {
			y.Content = append(y.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.name}, yamlNode(f.value))
		}
		return y
	case listShape:
		y := &yaml.Node{Kind: yaml.SequenceNode, Style: flowIfShort(n)}
		for _, item := range n.items {
			y.Content = append(y.Content, yamlNode(item))
		}
		return y
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yamlTags[n.shape], Value: n.text}
	}
}

// flowIfShort keeps a short list of scalars, and anything empty, on one line.
func flowIfShort(n *node) yaml.Style {
	const lineWidth = 80
	width := 0
	for _, item := range n.items {
		if item.is(listShape, mappingShape) {
			return 0
		}
		width += len(item.text) + 2
	}
	if len(n.fields) > 0 || width > lineWidth {
		return 0
	}
	return yaml.FlowStyle
}

// commentSections puts the first sentence about each section above it.
func commentSections(tree *yaml.Node, kind string) {
	docs, t, sections := docComments(), roots[kind], tree
	if kind == KindBenchmarkRun {
		t, sections = reflect.TypeFor[RunSpec](), yamlField(tree, "spec")
	}
	if t == nil || sections == nil {
		return
	}
	for _, m := range membersOf(t) {
		for i := 0; i+1 < len(sections.Content); i += 2 {
			if sections.Content[i].Value == m.name && structOf(m.typ) != nil {
				sections.Content[i].HeadComment = "# " + firstSentence(docs[t.Name()+"."+m.goName])
			}
		}
	}
}

func yamlField(y *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(y.Content); i += 2 {
		if y.Content[i].Value == name {
			return y.Content[i+1]
		}
	}
	return nil
}
