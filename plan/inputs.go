package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/spec"
)

// An InputKind says what a file is for.
type InputKind string

// The kinds of input files.
const (
	InputData      InputKind = "data"
	InputTokenizer InputKind = "tokenizer"
	InputCode      InputKind = "code"    // a script of a command
	InputProgram   InputKind = "program" // what a command starts
)

// An InputFile is a file or folder that the run reads or starts.
type InputFile struct {
	Field string // of the spec
	Path  string
	Kind  InputKind
}

// InputFiles lists what the run reads or starts, in the order of the document. Files of
// credentials are not among them.
func (p Plan) InputFiles() []InputFile {
	s := p.Run.Spec
	var list inputList
	list.add("spec.workload.tokenizer.path", s.Workload.Tokenizer.Path, InputTokenizer)
	if d := s.Workload.Prompt.Dataset; d != nil {
		list.add("spec.workload.prompt.dataset.path", d.Path, InputData)
	}
	if l := s.Load; l != nil && l.Trace != nil && l.Trace.Path != "" {
		list.add("spec.load.trace.path", l.Trace.Path, InputData)
	} else if l != nil && !strings.Contains(l.TraceRef, "sha256:") {
		list.add("spec.load.traceRef", l.TraceRef, InputData)
	}
	if session := s.Workload.Session; session != nil {
		for _, t := range session.AllTools() {
			list.command("spec.workload.session, tool "+t.Name, t.Command)
		}
	}
	for _, side := range s.Sides() {
		if side.Target != nil && side.Target.Server != nil {
			list.command(sideField(side.Name, "target.server.command"), side.Target.Server.Command)
		}
	}
	if e := s.Evaluation; e != nil {
		for i, t := range e.Tasks {
			list.add(fmt.Sprintf("spec.evaluation.tasks[%d].path", i), t.Path, InputData)
			list.add(fmt.Sprintf("spec.evaluation.tasks[%d].fewShotPath", i), t.FewShotPath, InputData)
		}
		for i, scorer := range e.Scorers {
			list.command(fmt.Sprintf("spec.evaluation.scorers[%d].command", i), scorer.Command)
		}
	}
	if s.Train != nil {
		list.command("spec.train.command", s.Train.Command)
		list.add("spec.train.python", s.Train.Python, InputProgram)
	}
	if s.Collectives != nil {
		list.add("spec.collectives.python", s.Collectives.Python, InputProgram)
	}
	return list
}

func sideField(name, field string) string {
	if name == "" {
		return "spec." + field
	}
	return "spec (" + name + ")." + field
}

// Packs says which of the input files are copied into the bundle, and how many bytes of
// them at most.
func (p Plan) Packs() spec.PackedInputs { return p.Run.Spec.Provenance.Inputs }

type inputList []InputFile

func (l *inputList) add(field, path string, kind InputKind) {
	if path != "" && !slices.ContainsFunc(*l, func(f InputFile) bool { return f.Path == path && f.Kind == kind }) {
		*l = append(*l, InputFile{field, path, kind})
	}
}

// scripts are how files of code end. Other arguments may name anything, a private key
// included, so nobody looks at them.
var scripts = []string{".py", ".sh", ".js", ".mjs", ".ts", ".rb", ".pl", ".lua", ".jl", ".r"}

// command lists the program of a command and its scripts.
func (l *inputList) command(field string, args []string) {
	for i, arg := range args {
		switch {
		case slices.Contains(scripts, strings.ToLower(filepath.Ext(arg))) && !strings.HasPrefix(arg, "-"):
			l.add(field, arg, InputCode)
		case i == 0:
			l.add(field, arg, InputProgram)
		}
	}
}
