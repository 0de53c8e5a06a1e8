package spec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// examples reads every shipped example by file name.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("found %d examples, %v; want at least 8", len(files), err)
	}
	found := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(file)] = data
	}
	return found
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parseExample(t testing.TB, name string) Run {
	t.Helper()
	doc, faults := Parse(name, example(t, name))
	if !Valid(faults) {
		t.Fatalf("%s is not valid: %v", name, faults)
	}
	return *doc.Run
}

// A patch changes one value of a document; remove takes it out.
type patch struct {
	path  string
	value any
}

type remove struct{}

// patched applies patches to an example and returns it as JSON.
func patched(t testing.TB, data []byte, patches ...patch) []byte {
	t.Helper()
	var document any
	if err := yaml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		document = applyPatch(t, document, slices.Collect(pathParts(p.path)), p.value)
	}
	out, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func applyPatch(t testing.TB, document any, path []string, value any) any {
	t.Helper()
	if len(path) == 0 {
		return value
	}
	switch d := document.(type) {
	case map[string]any:
		child := applyPatch(t, d[path[0]], path[1:], value)
		if _, gone := child.(remove); gone {
			delete(d, path[0])
			return d
		}
		d[path[0]] = child
		return d
	case []any:
		var i int
		if err := json.Unmarshal([]byte(path[0]), &i); err != nil || i > len(d) {
			t.Fatalf("patch: no item %s", path[0])
		}
		if i == len(d) {
			return append(d, value)
		}
		d[i] = applyPatch(t, d[i], path[1:], value)
		return d
	case nil:
		return applyPatch(t, map[string]any{}, path, value)
	}
	t.Fatalf("patch: %v has no %s", document, strings.Join(path, "."))
	return nil
}

// lines prints faults one per line.
func lines(faults []Fault) string {
	var b strings.Builder
	for _, f := range faults {
		b.WriteString("\n\t" + f.Rule + " " + f.Error())
	}
	return b.String()
}
