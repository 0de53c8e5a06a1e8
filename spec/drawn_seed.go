package spec

import (
	"encoding/json"
	"fmt"
)

// DrawsSeed reports whether each run of the document draws a seed of its own: it asks a
// server, whose cache would know the prompts of the run before, and states none. Training
// keeps the default, so that two runs begin with the same weights and data.
func (r Run) DrawsSeed() bool { return r.Spec.Target != nil && r.Spec.Seed == 0 }

// WithSeed returns the document data, which run was parsed from, with the seed that was
// drawn for it and every other byte as it was.
func WithSeed(data []byte, run Run, seed int64) ([]byte, error) {
	run.Spec.Seed, run.Spec.SeedDrawn = seed, true
	edited := insertFirst(insertFirst(data, "seedDrawn", "true"), "seed", fmt.Sprint(seed))
	if sameRun(edited, run) {
		return edited, nil
	}
	return WriteYAML(run)
}

// insertFirst puts a field before all others of the spec; nil where that has none.
func insertFirst(data []byte, name, value string) []byte {
	root, err := read(data)
	if err != nil {
		return nil
	}
	spec := root.field("spec")
	if !spec.is(mappingShape) || len(spec.fields) == 0 {
		return nil
	}
	if json.Valid(data) {
		name = `"` + name + `"`
	}
	return insertBefore(data, spec.fields[0], name+": "+value)
}
