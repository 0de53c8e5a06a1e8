package assay

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// A listing is a package whose values of one kind all stand in its table All.
type listing struct {
	dir  string
	kind string // the type of the values; a type with a method named so where byMethod is set

	// byMethod says that All holds values of several types, each of which has the
	// method kind or embeds one that has.
	byMethod bool
}

var listings = []listing{
	{dir: "metric", kind: "Metric"},
	{dir: "lint", kind: "Check"},
	{dir: "foreign", kind: "Tool"},
	{dir: "probe", kind: "Probe"},
	{dir: "telemetry", kind: "Source"},
	{dir: "telemetry/doctor", kind: "Check"},
	{dir: "target", kind: "Encode", byMethod: true}, // dialects
	{dir: "workload/arrival", kind: "Process"},
	{dir: "workload/dataset", kind: "Format"},
	{dir: "workload/trace", kind: "Format"},
	{dir: "analysis/playbook", kind: "Playbook"},
}

// TestComplete fails for a metric, a check … that is written and not listed: nothing
// else would notice, since every other test ranges over All.
func TestComplete(t *testing.T) {
	tree := thisTree(t)
	for _, l := range listings {
		report(t, l.forgotten(tree))
	}
}

// forgotten are the values of the package that All does not name.
func (l listing) forgotten(tree []source) []string {
	p := declarationsOf(tree, l.dir)
	all, there := p.values["All"]
	if !there {
		return []string{fmt.Sprintf("package %s has no table All", l.dir)}
	}
	declared := p.valuesOf(l.kind)
	if l.byMethod {
		declared = p.typesWith(l.kind)
	}
	if len(declared) == 0 {
		return []string{fmt.Sprintf("package %s has no value of kind %s: mend the line in complete_test.go", l.dir, l.kind)}
	}
	listed := map[string]bool{}
	p.collect(all, l.kind, listed)
	var faults []string
	for _, name := range declared {
		if !listed[name] {
			faults = append(faults, fmt.Sprintf("package %s: %s is not listed in All", l.dir, name))
		}
	}
	return faults
}

// declarations are what a package declares at its top.
type declarations struct {
	values  map[string]ast.Expr // of variables, what they are set to
	funcs   map[string]*ast.FuncDecl
	types   map[string]ast.Expr
	methods map[string][]string // of a type
}

func declarationsOf(tree []source, dir string) declarations {
	p := declarations{map[string]ast.Expr{}, map[string]*ast.FuncDecl{}, map[string]ast.Expr{}, map[string][]string{}}
	for _, s := range tree {
		if s.dir != dir || s.test {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.addFunc(d)
			case *ast.GenDecl:
				p.addSpecs(d.Specs)
			}
		}
	}
	return p
}

func (p declarations) addFunc(f *ast.FuncDecl) {
	if f.Recv == nil {
		p.funcs[f.Name.Name] = f
		return
	}
	receiver := typeName(f.Recv.List[0].Type)
	p.methods[receiver] = append(p.methods[receiver], f.Name.Name)
}

func (p declarations) addSpecs(specs []ast.Spec) {
	for _, s := range specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			p.types[s.Name.Name] = s.Type
		case *ast.ValueSpec:
			for i, name := range s.Names {
				if i < len(s.Values) && name.Name != "_" {
					p.values[name.Name] = s.Values[i]
				}
			}
		}
	}
}

// valuesOf names the variables of a type.
func (p declarations) valuesOf(kind string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if typeName(p.typeOf(p.values[name])) == kind {
			list = append(list, name)
		}
	}
	return list
}

// typesWith names the structs that have a method or embed one that has.
func (p declarations) typesWith(method string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.types)) {
		if p.has(name, method) {
			list = append(list, name)
		}
	}
	return list
}

func (p declarations) has(name, method string) bool {
	if slices.Contains(p.methods[name], method) {
		return true
	}
	body, ok := p.types[name].(*ast.StructType)
	return ok && slices.ContainsFunc(body.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 0 && p.has(typeName(f.Type), method)
	})
}

// typeOf is the type of a literal, or of what a function of the package returns
// first; nil means that it cannot be seen from here.
func (p declarations) typeOf(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e.Type
	case *ast.CallExpr:
		name, _ := e.Fun.(*ast.Ident)
		if name == nil || p.funcs[name.Name] == nil || p.funcs[name.Name].Type.Results == nil {
			return nil
		}
		return p.funcs[name.Name].Type.Results.List[0].Type
	}
	return nil
}

// collect notes every name in e, and in the lists that e is put together from. It
// does not look into single values: one that mentions another does not list it.
func (p declarations) collect(e ast.Node, kind string, listed map[string]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || listed[name.Name] {
			return true
		}
		listed[name.Name] = true
		if value, ok := p.values[name.Name]; ok && typeName(p.typeOf(value)) != kind {
			p.collect(value, kind, listed)
		}
		if f := p.funcs[name.Name]; f != nil && isList(f.Type.Results) {
			p.collect(f.Body, kind, listed)
		}
		return true
	})
}

func isList(results *ast.FieldList) bool {
	if results == nil {
		return false
	}
	_, ok := results.List[0].Type.(*ast.ArrayType)
	return ok
}

// typeName is the name of a type of the same package, with or without a star; empty
// for any other.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
