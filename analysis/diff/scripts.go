package diff

import (
	"path"
	"slices"
	"strings"

	"assay/bundle"
)

// scriptVariable is what a change of the script that starts a server is called. Such a
// script may set anything before it starts the server, so that it is no mere version.
const scriptVariable = "server.script"

// startsScript reports whether a command without its flags hands a server's start to a
// shell script.
func startsScript(command string) bool {
	return slices.ContainsFunc(strings.Fields(command), func(word string) bool { return path.Ext(word) == ".sh" })
}

// scripts compares the content of the scripts that both commands name. Those of other
// languages are the server itself.
func scripts(a, b Side) []Change {
	digestsA, digestsB := a.scripts(), b.scripts()
	var list []Change
	for _, name := range union(digestsA, digestsB) {
		x, y := digestsA[name], digestsB[name]
		if x == "" || y == "" || x == y {
			continue // what one alone names, its command says
		}
		c := Change{Path: "inputs.files." + name, A: x, B: y, Kind: Input, Variable: runtime}
		if startsScript(name) || a.byShell() || a.isScript(name) && b.isScript(name) {
			c.Variable = scriptVariable
		}
		list = append(list, c)
	}
	return list
}

// scripts are the digests of what the side's server is started with, by their paths.
func (s Side) scripts() map[string]string {
	t := s.Plan.Target()
	if t == nil || t.Server == nil {
		return nil
	}
	digests := map[string]string{}
	for _, f := range s.Files {
		if (f.Kind == bundle.PackedCode || f.Kind == bundle.PackedProgram && f.Bytes <= largestScript) && slices.Contains(t.Server.Command, f.Path) {
			digests[f.Path] = f.Digest
		}
	}
	return digests
}

// largestScript is more than any script that starts a server has, and less than programs that
// were compiled.
const largestScript = 64 << 10

// byShell reports whether a shell starts the side's server: what it is given is a script
// however it is called.
func (s Side) byShell() bool {
	t := s.Plan.Target()
	return t != nil && t.Server != nil && len(t.Server.Command) > 0 && slices.Contains(shells, path.Base(t.Server.Command[0]))
}

// isScript reports whether what a side starts is a small program, which is a script.
func (s Side) isScript(name string) bool {
	return slices.ContainsFunc(s.Files, func(f bundle.PackedFile) bool {
		return f.Path == name && f.Kind == bundle.PackedProgram && f.Bytes <= largestScript
	})
}
