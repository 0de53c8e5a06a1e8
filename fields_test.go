package assay

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// documents are the types of everything that people write and assay reads.
var documents = []string{
	"assay/spec.Run", "assay/spec.WorkloadSpec", "assay/spec.GatePolicy", "assay/spec.BenchmarkSchedule",
	"assay/lint.StatementFile", "assay/report/plot.Layout", "assay/analysis/gate.Delta", "assay/analysis/scaling.Study",
}

// Every field of every document is read by code that acts on it, or says in its tag
// what becomes of it; a tag on a field that is read is a lie. What a tag says is
// tested where it is done: spec.TestUses.
func TestFields(t *testing.T) {
	report(t, unlived(typedPackages(t), documents, "assay/spec", inWorkers(t)))
}

// Planted, both faults are found, and so is a field that only its own rules read.
func TestFieldsIsTested(t *testing.T) {
	tree := plant(t, `-- spec/a.go --
package spec
type Doc struct {
	Used     int
	Ruled    int
	Set      int
	Method   int
	Inner    Inner
	Recorded Inner `+"`use:\"recorded\"`"+`
	Wrong    int   `+"`use:\"recorded\"`"+`
	Worker   int   `+"`json:\"width\" use:\"worker\"`"+`
	Gone     int   `+"`json:\"gone\" use:\"worker\"`"+`
	Implies  int   `+"`use:\"implies\"`"+`
	Other    int   `+"`use:\"whatever\"`"+`
}
type Inner struct{ Deep, Lost int }
func Parse(d Doc) bool { return d.Ruled > 0 && d.Implies > 0 }
func (d Doc) Twice() int { return 2 * d.method() }
func (d Doc) method() int { return d.Method }
-- run/a.go --
package run
import "m/spec"
func Run(d *spec.Doc) int {
	d.Set = 4
	spec.Parse(*d)
	return d.Used + d.Twice() + d.Inner.Deep + d.Wrong
}
`)
	packages, err := typedTree("m", tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"m/spec.Doc.Ruled", "m/spec.Doc.Set", "m/spec.Doc.Inner.Lost", "m/spec.Doc.Wrong", "m/spec.Doc.Gone", "m/spec.Doc.Other",
	}
	got := unlived(packages, []string{"m/spec.Doc"}, "m/spec", func(name string) bool { return name == "width" })
	for i, fault := range got {
		got[i], _, _ = strings.Cut(fault, ":")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// inWorkers says whether a worker's source holds a name in quotes.
func inWorkers(t *testing.T) func(name string) bool {
	t.Helper()
	files, err := filepath.Glob("workers/assay_worker/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no worker found", err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return func(name string) bool { return strings.Contains(all.String(), `"`+name+`"`) }
}

// unlived lists the fields of documents that nothing acts on and no tag speaks of, and
// tags that do not hold. What the package of the documents does with a field while it
// reads and checks one does not count.
func unlived(packages []*typedPackage, documents []string, words string, inWorkers func(string) bool) []string {
	read := readFields(packages, words)
	j := fieldJudge{read: read, inWorkers: inWorkers, untagged: map[*types.Var]bool{}}
	for _, pass := range []bool{true, false} { // first which fields an untagged way leads to
		for _, name := range documents {
			dot := strings.LastIndex(name, ".")
			for _, p := range packages {
				if p.path == name[:dot] {
					j.walk(p.types.Scope().Lookup(name[dot+1:]).Type(), name, "", pass)
				}
			}
		}
	}
	return j.faults
}

// A fieldJudge walks the types of documents.
type fieldJudge struct {
	read      fieldReads
	inWorkers func(string) bool
	untagged  map[*types.Var]bool // fields that some way leads to without a tag
	faults    []string
}

func (j *fieldJudge) walk(t types.Type, path, section string, looking bool) {
	s := structIn(t)
	if s == nil {
		return
	}
	for i := range s.NumFields() {
		f, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		if !f.Exported() || tag.Get("json") == "-" {
			continue
		}
		use, own := tag.Get("use"), path+"."+f.Name()
		if looking && section == "" && use == "" {
			j.untagged[f] = true
		}
		if !looking {
			j.field(f, own, tag, section)
		}
		if use == "" {
			use = section
		}
		j.walk(f.Type(), own, use, looking)
	}
}

func (j *fieldJudge) field(f *types.Var, path string, tag reflect.StructTag, section string) {
	use := tag.Get("use")
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	fault := ""
	switch {
	case use == "" && section == "" && structIn(f.Type()) != nil: // its fields speak for it
	case use == "" && section == "" && !j.read.outside[f]:
		fault = "nothing outside of package spec reads it: act on it, refuse it, or say in a tag use what becomes of it"
	case use == "refused" && !j.read.outside[f]:
		fault = "nothing refuses it"
	case use == "refused":
	case use+section != "" && j.read.outside[f] && !j.untagged[f]:
		fault = "its tag says that nothing acts on it, and code reads it: take the tag away"
	case use == "worker" && !j.inWorkers(name):
		fault = "no worker reads " + name
	case use == "implies" && !j.read.inside[f]:
		fault = "no default follows from it"
	case use != "" && !slices.Contains([]string{"recorded", "refused", "checked", "implies", "worker"}, use):
		fault = fmt.Sprintf("use %q is none that package spec knows", use)
	}
	if fault != "" {
		j.faults = append(j.faults, path+": "+fault)
	}
}

// structIn is the struct of a field whose fields are fields of the document too.
func structIn(t types.Type) *types.Struct {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Exported() {
				return u
			}
		}
		return nil // a value of its own, such as a secret
	case interface{ Elem() types.Type }:
		return structIn(u.Elem())
	default:
		return nil
	}
}

// fieldReads are the fields that are read outside of the package of the documents, or
// in it by something that others call, and those that are read in it at all.
type fieldReads struct{ outside, inside map[*types.Var]bool }

// checking are the functions by which a document is read, checked, filled in and
// summed up: what they look at is not acted on yet.
var checking = []string{"Parse", "Check", "Resolve", "ResolveWorkload", "ResolvePolicy", "Summarise"}

func readFields(packages []*typedPackage, words string) fieldReads {
	r := fieldReads{outside: map[*types.Var]bool{}, inside: map[*types.Var]bool{}}
	called := map[*types.Func]bool{}
	var own *typedPackage
	for _, p := range packages {
		if p.path == words {
			own = p
			continue
		}
		for _, f := range p.files {
			gatherReads(p, f, r.outside)
		}
		for _, used := range p.info.Uses {
			if f, ok := used.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == words && !slices.Contains(checking, f.Name()) {
				called[f.Origin()] = true
			}
		}
	}
	for _, f := range own.files {
		gatherReads(own, f, r.inside)
	}
	gatherCalled(own, called, r.outside)
	return r
}

// gatherCalled adds what the functions of p read that are called from elsewhere, and
// those that they call.
func gatherCalled(p *typedPackage, called map[*types.Func]bool, reads map[*types.Var]bool) {
	bodies := map[*types.Func]*ast.FuncDecl{}
	for _, file := range p.files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				bodies[p.info.Defs[f.Name].(*types.Func)] = f
			}
		}
	}
	queue := slices.Collect(maps.Keys(called))
	for len(queue) > 0 {
		body := bodies[queue[0]]
		queue = queue[1:]
		if body == nil {
			continue
		}
		gatherReads(p, body, reads)
		ast.Inspect(body, func(n ast.Node) bool {
			name, _ := n.(*ast.Ident)
			if f, ok := p.info.Uses[name].(*types.Func); ok && bodies[f.Origin()] != nil && !called[f.Origin()] && !slices.Contains(checking, f.Name()) {
				called[f.Origin()] = true
				queue = append(queue, f.Origin())
			}
			return true
		})
	}
}

// gatherReads adds the fields that code selects, other than to set them.
func gatherReads(p *typedPackage, root ast.Node, reads map[*types.Var]bool) {
	set := map[ast.Expr]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				for {
					selector, ok := left.(*ast.SelectorExpr)
					if !ok {
						break
					}
					set[selector], left = true, selector.X
				}
			}
		case *ast.SelectorExpr:
			if s := p.info.Selections[n]; s != nil && s.Kind() == types.FieldVal && !set[n] {
				reads[s.Obj().(*types.Var).Origin()] = true
			}
		}
		return true
	})
}
