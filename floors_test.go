// Package assay guards the architecture of the tree around it. It holds no code
// of its own: see floors_test.go.
package assay

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors lists every package from the ground up. A package may import only
// floors below its own; folders below a package share its floor and may import
// each other. Moving a line here is an architecture decision and is reviewed
// as one.
var floors = [][]string{
	{"unit", "door", "secret", "visible"},
	{"record", "spec", "stats", "finding", "intake"},
	{"plan"},
	{"bundle"},
	{"workload", "target", "sim", "worker", "workers", "launch", "collective", "telemetry", "foreign", "metric", "search"},
	{"load", "train", "probe", "accuracy", "analysis"},
	{"lint"},
	{"run", "claim"},
	{"judge"},
	{"report", "live", "warehouse"},
	{"schedule", "suite"},
	{"server", "operator"},
	{"cmd"},
	{"tests"},
}

// makers produce bundles and readers judge them. Neither may know the other:
// what they share is on disk.
var (
	makers = []string{
		"door", "workload", "target", "sim", "worker", "workers", "launch", "collective", "telemetry", "foreign",
		"load", "train", "probe", "run",
	}
	readers = []string{"metric", "accuracy", "analysis", "lint", "claim", "judge"}
)

// badNames are folders that say nothing about what they hold.
var badNames = []string{"util", "utils", "common", "helpers", "internal", "pkg", "misc", "base", "types"}

const maxLines = 500

// TestFloors opens the files itself: asking the go command would let the test
// cache keep it green over a fault.
func TestFloors(t *testing.T) {
	documented := map[string]bool{}
	for path := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		room, _, _ := strings.Cut(dir, "/")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Split(dir, "/") {
			if slices.Contains(badNames, name) {
				t.Errorf("%s: a folder called %s says nothing; name what it holds", path, name)
			}
		}
		if !strings.HasSuffix(path, "_test.go") {
			documented[dir] = documented[dir] || file.Doc != nil
		}
		if dir == "." {
			continue
		}
		if floorOf(room) < 0 {
			t.Errorf("%s: package %s has no floor; give it one in floors_test.go", path, room)
			continue
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if rest, ours := strings.CutPrefix(imported, "assay/"); ours {
				checkImport(t, path, room, rest)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

func checkImport(t *testing.T, path, room, imported string) {
	other, _, _ := strings.Cut(imported, "/")
	if other == room {
		return
	}
	// Tests may look sideways and up: a client is tested against the simulator.
	if strings.HasSuffix(path, "_test.go") {
		return
	}
	if from, to := floorOf(room), floorOf(other); to >= from {
		t.Errorf("%s: %s (floor %d) imports %s (floor %d); imports go down", path, room, from, other, to)
	}
	if slices.Contains(makers, room) && slices.Contains(readers, other) ||
		slices.Contains(readers, room) && slices.Contains(makers, other) {
		t.Errorf("%s: %s imports %s; makers and readers meet only in a bundle", path, room, other)
	}
}

// homes names the one package that may import a heavy module. Tests may look into what
// another wrote.
var homes = map[string]string{
	"github.com/xuri/excelize": "report/workbook",
	"gonum.org/v1/plot":        "report/plot",
}

func TestHomes(t *testing.T) {
	for path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			for module, home := range homes {
				if imported, _ := strconv.Unquote(spec.Path.Value); strings.HasPrefix(imported, module) && filepath.ToSlash(filepath.Dir(path)) != home {
					t.Errorf("%s imports %s, whose home is %s", path, imported, home)
				}
			}
		}
	}
}

func TestFileLength(t *testing.T) {
	for path := range goFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, want at most %d: is there a second idea in it?", path, n, maxLines)
		}
	}
}

func floorOf(room string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, room) })
}

// goFiles yields every Go file of the repository.
func goFiles(t *testing.T) func(yield func(string) bool) {
	t.Helper()
	return func(yield func(string) bool) {
		err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			hidden := d.Name() != "." && strings.HasPrefix(d.Name(), ".")
			if d.IsDir() && (hidden || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "runs") {
				return filepath.SkipDir
			}
			if strings.HasSuffix(path, ".go") && !yield(path) {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
