package lint

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/spec"
)

// DeclaredSystem fires when a server calls itself something else than the document does.
var DeclaredSystem = Check{
	ID: "declared-system", Severity: finding.Caution,
	Doc:  "What is declared about the target is not what the target says of itself.",
	When: "target.system names another engine or version than the server, and neither name is part of the other",
	Applies: func(f *Facts) bool {
		for _, side := range f.sides() {
			if f.system(side) != (spec.System{}) {
				return true
			}
		}
		return false
	},
	Run: declaredSystem,
}

// system is what the document declares about the target of a side.
func (f *Facts) system(side string) spec.System {
	t := f.target(side)
	return f.Plan.Run.SystemOf(&t)
}

func declaredSystem(f *Facts) Answer {
	var list []finding.Finding
	for _, side := range f.sides() {
		s := f.system(side)
		for _, one := range []struct{ name, declared, fact string }{
			{"engine", s.Engine, "server.engine"}, {"version", s.Version, "server.version"},
		} {
			seen, known := f.factOf(side, one.fact)
			if one.declared == "" || !known || sameName(one.declared, seen) {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("target.system.%s of %s is %q, and the server calls itself %q", one.name, targetOf(side), one.declared, seen),
				Why:      "runs are compared by what they declare where nothing can be seen, and here something can",
				Fix:      "declare what is there, or leave the field out: what the server says is recorded anyway",
			})
		}
	}
	return found(list...)
}

// factOf is a fact that the server of a side reported; that of the baseline stands without
// a prefix.
func (f *Facts) factOf(side, name string) (string, bool) {
	if side != "" && side != spec.BaselineSide {
		name = "side." + side + "." + name
	}
	return f.fact(name)
}

// sameName allows for what people leave out of names and versions: vLLM is vllm, and
// v0.6.0 is 0.6.
func sameName(a, b string) bool {
	plain := func(s string) string { return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "v") }
	a, b = plain(a), plain(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
