package diff

import (
	"fmt"
	"strings"

	"assay/bundle"
)

// sources compares who measured. Two tools mean different things by the same
// words, so that another tool makes every comparison exploratory; and what neither
// of two imports tells about its machines nobody can hold equal.
func sources(a, b bundle.Manifest) []Change {
	if a.Source == nil && b.Source == nil {
		return nil
	}
	var list []Change
	if x, y := measuredBy(a), measuredBy(b); x != y {
		list = append(list, Change{Path: "source", A: x, B: y, Kind: Instrument})
	}
	if a.Unknown(bundle.GapHost) || b.Unknown(bundle.GapHost) {
		list = append(list, Change{Path: "environment", A: described(a), B: described(b), Kind: Environment})
	}
	return list
}

// described says how much is known about the machines of a side.
func described(m bundle.Manifest) string {
	if m.Unknown(bundle.GapHost) {
		return "not known"
	}
	return fmt.Sprintf("%d facts", len(m.Environment))
}

// untold reports whether a fact is missing because the source of its side tells
// nothing of the kind: one line about the environment stands for all of them.
func untold(m bundle.Manifest, recorded bool) bool { return !recorded && m.Unknown(bundle.GapHost) }

// measuredBy names the tool that measured.
func measuredBy(m bundle.Manifest) string {
	if m.Source == nil {
		return "assay"
	}
	return strings.TrimSpace(m.Source.Tool + " " + m.Source.Version)
}
