package packing

import (
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
)

// A State says how an input of one run stands on another machine.
type State string

// The states.
const (
	Same      State = "same"
	Different State = "different"
	Missing   State = "missing"
	Unknown   State = "unknown" // nobody wrote its digest down
)

// A Verdict is what became of one input.
type Verdict struct {
	Input string `json:"input"` // what it is, and by which field of the spec
	Kind  string `json:"kind"`
	State State  `json:"state"`
	Was   string `json:"was,omitempty"` // digest or version then
	Is    string `json:"is,omitempty"`  // the same now
	Note  string `json:"note,omitempty"`

	// Decides says that a run without the same input is another run, or none. Programs and
	// packages may differ from machine to machine; data, code and plan may not.
	Decides bool `json:"decides"`
}

// Passes reports whether the input is the same, or what has become of it does not stop
// a run.
func (v Verdict) Passes() bool { return v.State == Same || !v.Decides }

// Compare says of each input of a run whether it is the same now.
func Compare(was, is bundle.Package) []Verdict {
	list := []Verdict{
		settle(Verdict{Input: "assay", Kind: bundle.PackedProgram, Was: toolText(was.Tool), Is: toolText(is.Tool)}),
		settle(Verdict{Input: "seed", Kind: "seed", Was: was.Seed, Is: is.Seed, Decides: true}),
	}
	if was.Workers != "" || is.Workers != "" {
		list = append(list, settle(Verdict{Input: "torch workers of assay", Kind: bundle.PackedCode, Was: was.Workers, Is: is.Workers}))
	}
	for _, f := range was.Files {
		v := Verdict{Input: f.Path + " (" + f.Field + ")", Kind: f.Kind, Was: f.Digest, Decides: f.Kind != bundle.PackedProgram}
		i := slices.IndexFunc(is.Files, func(o bundle.PackedFile) bool { return o.Path == f.Path && o.Kind == f.Kind })
		if i >= 0 {
			v.Is, v.Note = is.Files[i].Digest, is.Files[i].Unavailable
		}
		v.Decides = v.Decides || v.Was != "" && v.Is == "" // a program that is not there cannot be started
		list = append(list, settle(v))
	}
	for i, p := range was.Pythons {
		v := Verdict{Input: "packages of " + p.Path, Kind: "python", Was: p.Digest}
		if i < len(is.Pythons) {
			v.Is, v.Note = is.Pythons[i].Digest, differing(p, is.Pythons[i])
		}
		list = append(list, settle(v))
	}
	return list
}

func toolText(t bundle.Tool) string {
	if t.SHA256 == "" {
		return t.Version
	}
	return t.Version + " sha256:" + t.SHA256
}

// settle says how two texts stand to each other.
func settle(v Verdict) Verdict {
	switch {
	case v.Was == "":
		v.State = Unknown
	case v.Is == "":
		v.State = Missing
	case v.Is == v.Was:
		v.State = Same
	default:
		v.State = Different
	}
	return v
}

// mostNamed bounds the packages that a verdict names.
const mostNamed = 8

// differing names the packages that two interpreters do not share.
func differing(was, is bundle.PackedPython) string {
	if is.Unavailable != "" {
		return is.Unavailable
	}
	var list []string
	if was.Version != is.Version {
		list = append(list, fmt.Sprintf("Python %s, was %s", is.Version, was.Version))
	}
	now := map[string]string{}
	for _, p := range is.Packages {
		name, version, _ := strings.Cut(p, "==")
		now[name] = version
	}
	for _, p := range was.Packages {
		name, version, _ := strings.Cut(p, "==")
		if got, ok := now[name]; !ok {
			list = append(list, name+" is missing, was "+version)
		} else if got != version {
			list = append(list, fmt.Sprintf("%s %s, was %s", name, got, version))
		}
	}
	if more := len(list) - mostNamed; more > 0 {
		list = append(list[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}
