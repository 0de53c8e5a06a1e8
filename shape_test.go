package assay

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 70
)

// badNames are folders that say nothing about what they hold.
var badNames = []string{"util", "utils", "common", "helpers", "internal", "pkg", "misc", "base", "types"}

// longFunctions may be longer than others, for the reason given.
var longFunctions = map[string]string{}

func TestShape(t *testing.T) {
	tree := thisTree(t)
	report(t, fileFaults(tree))
	report(t, functionFaults(tree, longFunctions))
	report(t, commentFaults(tree))
}

// fileFaults are files too long to hold one idea, and folders whose names say
// nothing. Nobody reads a file from end to end that a program wrote.
func fileFaults(tree []source) []string {
	var faults []string
	for _, s := range tree {
		if s.lines > maxFileLines && !ast.IsGenerated(s.file) {
			faults = append(faults, fmt.Sprintf("%s has %d lines, want at most %d: is there a second idea in it?", s.path, s.lines, maxFileLines))
		}
		for _, name := range strings.Split(s.dir, "/") {
			if slices.Contains(badNames, name) {
				faults = append(faults, fmt.Sprintf("%s: a folder called %s says nothing; name what it holds", s.path, name))
			}
		}
	}
	return faults
}

// functionFaults are functions longer than a screen without a reason, and reasons
// that nothing needs any more. Tests are left out: a long one is mostly its table.
func functionFaults(tree []source, reasons map[string]string) []string {
	var faults []string
	unused := maps.Clone(reasons)
	for _, s := range tree {
		if s.test {
			continue
		}
		for _, f := range functions(s) {
			if f.lines <= maxFunctionLines {
				continue
			}
			name := s.path + " " + f.name
			if delete(unused, name); reasons[name] == "" {
				faults = append(faults, fmt.Sprintf("%s has %d lines, want at most %d", name, f.lines, maxFunctionLines))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		faults = append(faults, fmt.Sprintf("longFunctions excuses %s, which is not long", name))
	}
	return faults
}

type function struct {
	name  string
	lines int
}

func functions(s source) []function {
	var list []function
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			from, to := s.fset.Position(f.Pos()).Line, s.fset.Position(f.End()).Line
			list = append(list, function{f.Name.Name, to - from + 1})
		}
	}
	return list
}

// commentFaults are packages without exactly one comment that says what they are,
// beginning as godoc expects it.
func commentFaults(tree []source) []string {
	var faults []string
	comments := map[string]int{}
	for _, s := range tree {
		if s.test {
			continue
		}
		if s.file.Doc == nil {
			comments[s.dir] += 0 // it is there, and has to have one
			continue
		}
		comments[s.dir]++
		want := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			want = "Command "
		}
		if !strings.HasPrefix(s.file.Doc.Text(), want) {
			faults = append(faults, fmt.Sprintf("%s: the package comment does not begin with %q", s.path, want))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		if comments[dir] != 1 {
			faults = append(faults, fmt.Sprintf("package %s has %d package comments, want one", dir, comments[dir]))
		}
	}
	return faults
}
