// Package diff says in what two measurements differ besides their results: the
// resolved plans, the environments, the inputs and the topology, path by path.
//
// A comparison is controlled when everything that differs belongs to the one
// variable it declares. This package decides that and nothing else: it reads no
// record and knows no statistics. What may differ without meaning anything stands
// in tables with the reason of each line (rules_plan.go, rules_environment.go);
// what no table knows counts as a difference.
//
// To excuse a path, or to say which variable it belongs to, add one line to a
// table.
package diff

import (
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// The kinds of changes: where a difference was found.
const (
	Plan        = "plan"
	Environment = "environment"
	Input       = "input"
	Topology    = "topology"
	Instrument  = "instrument"
)

// A Change is one thing that differs between two sides.
type Change struct {
	Path string `json:"path"` // as people write it: spec.workload.precision, gpu.driver
	A    string `json:"a"`
	B    string `json:"b"`
	Kind string `json:"kind"` // instrument, plan, environment, input or topology

	// Variable is which of the variables of comparison.variableUnderTest the
	// change belongs to; empty when to none. A setting of the server's environment
	// is one of its own, server.env.NAME, and so are the script that starts it and its
	// command, where that is no other version of one program.
	Variable string `json:"variable,omitempty"`

	// Along says that the change goes along with any variable: another system
	// has another address.
	Along bool `json:"along,omitempty"`
}

// String is the change as a sentence's part: gpu.driver: 570.86 → 575.51.
func (c Change) String() string { return fmt.Sprintf("%s: %s → %s", c.Path, c.A, c.B) }

// A Side is one system under test as its run describes it.
type Side struct {
	Name     string // the side of a run with candidates; empty in a run of one
	Plan     plan.Plan
	Manifest bundle.Manifest
	Files    []bundle.PackedFile // what the run was made from; empty in bundles that do not list it
}

// Open reads the side called name of b; an empty name means the only one.
func Open(b *bundle.Bundle, name string) (Side, error) {
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		return Side{}, err
	}
	p, err := plan.Decode(data)
	if err != nil {
		return Side{}, err
	}
	made, _, err := b.Package()
	if err != nil {
		return Side{}, err
	}
	return Side{Plan: p, Manifest: b.Manifest, Files: made.Files}.Of(name)
}

// Of is the side called name of a run with candidates, as a run of its own: its
// target is spec.target, there are no candidates, and what the servers said of
// themselves is what its own said.
func (s Side) Of(name string) (Side, error) {
	sides := s.Plan.Sides()
	if name == "" && len(sides) < 2 {
		return s, nil
	}
	var names []string
	for _, side := range sides {
		names = append(names, side.Name)
		if side.Name != name {
			continue
		}
		s.Name = name
		s.Plan = s.Plan.Alone(side.Target)
		s.Manifest.Environment = environmentOf(s.Manifest.Environment, name)
		return s, nil
	}
	if len(sides) < 2 {
		return Side{}, fmt.Errorf("side %q of run %s: it has one side, which has no name", name, s.Manifest.RunID)
	}
	return Side{}, fmt.Errorf("side %q of run %s: want one of %s", name, s.Manifest.RunID, strings.Join(names, ", "))
}

// environmentOf keeps, of what servers said of themselves, what the side called
// name said. The baseline's stands without a prefix.
func environmentOf(env record.Environment, name string) record.Environment {
	own := "side." + name + "."
	out := record.Environment{}
	for path, fact := range env {
		switch rest, mine := strings.CutPrefix(path, own); {
		case mine:
			out[rest] = fact
		case strings.HasPrefix(path, "side."):
		case strings.HasPrefix(path, "server.") && name != spec.BaselineSide:
		default:
			out[path] = fact
		}
	}
	return out
}

// Bundles lists everything that differs between a and b and may matter, in the
// order of paths: who measured first, then plans, inputs, topology and environment.
func Bundles(a, b Side) []Change {
	var list []Change
	list = append(list, sources(a.Manifest, b.Manifest)...)
	list = append(list, plans(a, b)...)
	list = append(list, systems(a, b)...)
	list = append(list, scripts(a, b)...)
	list = append(list, inputs(a.Manifest.Inputs, b.Manifest.Inputs)...)
	list = append(list, environments(a.Manifest, b.Manifest, metric.Here(a.Plan.Target()) && metric.Here(b.Plan.Target()))...)
	slices.SortStableFunc(list, func(x, y Change) int {
		if x.Kind != y.Kind {
			return slices.Index(kinds, x.Kind) - slices.Index(kinds, y.Kind)
		}
		return strings.Compare(x.Path, y.Path)
	})
	return list
}

// kinds in the order of lists.
var kinds = []string{Instrument, Plan, Input, Topology, Environment}

// Controlled reports whether changes are exactly those of the one declared
// variable. Variable is the one that moved: declared, or empty when nothing
// differs at all, which is a comparison of a system with itself. Where nothing but one
// setting, the command or the start script differs, that is the one that moved, whatever was declared.
// Rest is what makes the comparison exploratory.
func Controlled(changes []Change, declared string) (variable string, rest []Change, ok bool) {
	for _, c := range changes {
		if !c.Along && (c.Variable != declared || declared == "") {
			rest = append(rest, c)
		}
	}
	if len(changes) > len(rest) {
		variable = declared
	}
	moved := func(c Change) bool { return !c.Along && c.Variable == declared }
	if len(rest) > 0 && rest[0].own() && !slices.ContainsFunc(changes, moved) &&
		!slices.ContainsFunc(rest, func(c Change) bool { return c.Variable != rest[0].Variable }) {
		return rest[0].Variable, nil, true
	}
	return variable, rest, len(rest) == 0
}

// own reports whether the change is a variable of its own, which no document declares.
func (c Change) own() bool {
	return c.Variable != "" && !slices.Contains(spec.Vocabularies["variables"], c.Variable)
}
