package assay

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A source is one Go file of a tree. The checks look at parsed files and never ask
// the go command, whose answers the test cache would keep green over a fault.
type source struct {
	path   string
	dir    string
	test   bool   // its name ends in _test.go
	module string // the folder below the root whose module it belongs to; none for the root's
	lines  int
	file   *ast.File
	fset   *token.FileSet
}

// room is the top-level folder of the file, which is what floors list.
func (s source) room() string { return roomOf(s.dir) }

func roomOf(dir string) string {
	room, _, _ := strings.Cut(dir, "/")
	return room
}

// imports lists what the file imports.
func (s source) imports() []string {
	var list []string
	for _, spec := range s.file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, imported)
	}
	return list
}

// skippedAnywhere holds no Go code of ours wherever it stands; skippedAtRoot are
// folders that make and the program write, and a package of that name elsewhere is
// looked at like any other.
var (
	skippedAnywhere = []string{"testdata", "node_modules"}
	skippedAtRoot   = []string{"runs", "bin"}
)

// readTree parses every Go file of fsys.
func readTree(fsys fs.FS) ([]source, error) {
	var tree []source
	var nested []string
	places := token.NewFileSet() // one for all: types are checked across files
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(name):
			return fs.SkipDir
		case d.IsDir():
			if _, err := fs.Stat(fsys, path.Join(name, "go.mod")); err == nil && name != "." {
				nested = append(nested, name)
			}
			return nil
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		one, err := readSource(fsys, name, places)
		if i := slices.IndexFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir+"/") }); i >= 0 {
			one.module = nested[i]
		}
		tree = append(tree, one)
		return err
	})
	return tree, err
}

func skipped(dir string) bool {
	base := path.Base(dir)
	return strings.HasPrefix(base, ".") && dir != "." ||
		slices.Contains(skippedAnywhere, base) || slices.Contains(skippedAtRoot, dir)
}

func readSource(fsys fs.FS, name string, places *token.FileSet) (source, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return source{}, err
	}
	one := source{
		path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(string(data), "\n"), fset: places,
	}
	one.file, err = parser.ParseFile(one.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	return one, err
}

// parsed is the tree that the test stands in; parsing it takes a second.
var parsed = sync.OnceValues(func() ([]source, error) { return readTree(os.DirFS(".")) })

func thisTree(t *testing.T) []source {
	t.Helper()
	tree, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// moduleName is the path of the module, of which go.mod is the only keeper.
func moduleName() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err) // the test runs in the folder of its package
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
}

// report turns faults into failures.
func report(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}
