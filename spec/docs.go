package spec

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// sources are the files that declare the document types: the doc comment of a
// field is its description in every schema and page.
//
//go:embed session.go trace.go
//go:embed search.go mlperf.go
//go:embed run.go workload.go target.go load.go train.go probe.go evaluation.go scorer.go comparison.go
//go:embed observe.go sinks.go trials.go slo.go workloadspec.go execution.go schedule.go status.go
//go:embed task.go tokenizer.go
//go:embed serverside.go system.go
//go:embed candidate.go loadprobe.go pin.go slurm.go
//go:embed economics.go kubernetes.go
//go:embed gatepolicy.go intake.go alerting.go hot_metrics.go
var sources embed.FS

// docComments holds the comment of every type by name and of every field by
// Type.Field, on one line.
var docComments = sync.OnceValue(func() map[string]string {
	docs := map[string]string{}
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic("spec: embedded sources: " + err.Error()) // a bug in the build
	}
	for _, entry := range entries {
		text, err := sources.ReadFile(entry.Name())
		if err != nil {
			panic("spec: embedded sources: " + err.Error()) // as above
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), text, parser.ParseComments)
		if err != nil {
			panic("spec: embedded sources: " + err.Error()) // cannot be: it was compiled
		}
		for _, decl := range file.Decls {
			collectDocs(decl, docs)
		}
	}
	return docs
})

func collectDocs(decl ast.Decl, docs map[string]string) {
	general, ok := decl.(*ast.GenDecl)
	if !ok || general.Tok != token.TYPE {
		return
	}
	for _, s := range general.Specs {
		t := s.(*ast.TypeSpec) // a type declaration holds nothing else
		docs[t.Name.Name] = oneLine(general.Doc.Text())
		structure, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range structure.Fields.List {
			for _, name := range f.Names {
				docs[t.Name.Name+"."+name.Name] = oneLine(f.Doc.Text())
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
