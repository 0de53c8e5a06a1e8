package assay

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A typedPackage is a package of the tree with what every name in it means.
type typedPackage struct {
	path  string
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// typedTree checks the types of every package of a module, tests left out. Its own
// packages are read from their files, so that the test cache sees when they change;
// those of others come compiled, by way of the go command. A room that is a module of its own
// is looked at without what it alone imports.
func typedTree(module string, tree []source) ([]*typedPackage, error) {
	read := &typedReader{
		module: module, fset: tree[0].fset,
		files: map[string][]source{}, done: map[string]*typedPackage{},
	}
	for _, s := range tree {
		matches, err := build.Default.MatchFile(s.dir, path.Base(s.path))
		if s.test || ours.apart(s) || err == nil && !matches { // a planted file is on no disk, and for every machine
			continue
		}
		dir := read.module + "/" + s.dir
		read.files[dir] = append(read.files[dir], s)
	}
	exported, err := exportedBy(read.foreign())
	if err != nil {
		return nil, err
	}
	read.others = importer.ForCompiler(read.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) })
	var all []*typedPackage
	for _, dir := range slices.Sorted(maps.Keys(read.files)) {
		if _, err := read.Import(dir); err != nil {
			return nil, err
		}
		all = append(all, read.done[dir])
	}
	return all, nil
}

// A typedReader imports packages of the tree from source and others compiled.
type typedReader struct {
	module string
	fset   *token.FileSet
	files  map[string][]source
	done   map[string]*typedPackage
	others types.Importer
}

// foreign lists what the tree imports from elsewhere.
func (r *typedReader) foreign() []string {
	seen := map[string]bool{}
	for _, files := range r.files {
		for _, s := range files {
			if s.module != "" {
				continue
			}
			for _, imported := range s.imports() {
				if !strings.HasPrefix(imported, r.module+"/") && imported != "C" && imported != "unsafe" {
					seen[imported] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// exportedBy finds the compiled form of packages and of all that they rest on.
func exportedBy(packages []string) (map[string]string, error) {
	exported := map[string]string{}
	if len(packages) == 0 {
		return exported, nil
	}
	list := exec.Command("go", append([]string{"list", "-deps", "-export", "-f", "{{.ImportPath}}={{.Export}}"}, packages...)...)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exported[name] = file
	}
	return exported, nil
}

func (r *typedReader) Import(path string) (*types.Package, error) {
	files, ours := r.files[path]
	if !ours {
		return r.others.Import(path)
	}
	if p := r.done[path]; p != nil {
		return p.types, nil
	}
	p := &typedPackage{path: path, info: &types.Info{
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	for _, s := range files {
		p.files = append(p.files, s.file)
	}
	config := types.Config{Importer: r, FakeImportC: true}
	apart := files[0].module != ""
	if apart {
		config.Error = func(error) {} // what it alone imports is not there
	}
	var err error
	p.types, err = config.Check(path, r.fset, p.files, p.info)
	r.done[path] = p
	if apart {
		return p.types, nil
	}
	return p.types, err
}

// typedOnce is the tree that the test stands in; checking it takes a few seconds.
var typedOnce = sync.OnceValues(func() ([]*typedPackage, error) {
	tree, err := parsed()
	if err != nil {
		return nil, err
	}
	return typedTree(moduleName(), tree)
})

func typedPackages(t *testing.T) []*typedPackage {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on the path: the types of other modules come from it")
	}
	packages, err := typedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}
