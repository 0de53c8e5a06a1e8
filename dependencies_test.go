package assay

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pages that are made from the code")

const (
	tableBegins = "<!-- made by go test . -update from homes_test.go and the imports -->\n"
	tableEnds   = "<!-- end -->\n"
)

// TestDependencies keeps the table of docs/dependencies.md equal to the homes and the
// imports, and the homes equal to what the modules require. With -update it writes the table and leaves
// the prose around it alone.
func TestDependencies(t *testing.T) {
	const path = "docs/dependencies.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", path, tableBegins, tableEnds)
	}
	want := before + tableBegins + dependencyTable(homes, importsByModule(thisTree(t), homes)) + tableEnds + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not what the imports give: run go test . -update", path)
	}
	compare(t, "direct modules of go.mod", directModules(t, "go.mod", "operator/go.mod"), moduleNames(homes))
}

func dependencyTable(homes []home, used map[string][]string) string {
	var b strings.Builder
	b.WriteString("| module | why | imported by |\n| --- | --- | --- |\n")
	for _, h := range homes {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", h.module, h.why, importers(used[h.module]))
	}
	return b.String()
}

// importers names the folders that import a module; folders of which only the tests
// do are named apart, and say so where nobody else does.
func importers(dirs []string) string {
	inside := outsideTests(dirs)
	var tests []string
	for _, dir := range dirs {
		name, isTest := strings.CutSuffix(dir, testMark)
		if isTest && !slices.Contains(inside, name) {
			tests = append(tests, name)
		}
	}
	switch {
	case len(inside) == 0:
		return "tests of " + quoted(tests) + "; not in the binary"
	case len(tests) == 0:
		return quoted(inside)
	}
	return quoted(inside) + "; tests of " + quoted(tests)
}

func quoted(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// directModules lists what the files require directly of others, each once.
func directModules(t *testing.T, paths ...string) []string {
	t.Helper()
	var list []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) == 2 && strings.HasPrefix(fields[1], "v") && fields[0] != ours.module { // an indirect one has a comment
				list = append(list, fields[0])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func moduleNames(homes []home) []string {
	var list []string
	for _, h := range homes {
		list = append(list, h.module)
	}
	return list
}
