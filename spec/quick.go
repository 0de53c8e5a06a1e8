package spec

import (
	"bytes"
	"encoding/json"
	"slices"
)

// WithQuick returns the document data, which run was parsed from, with trials.quick set
// and every other byte as it was, comments included. A document in which there is no
// plain place for it is written anew.
func WithQuick(data []byte, run Run) ([]byte, error) {
	run.Spec.Trials.Quick = true
	if edited := insertQuick(data); sameRun(edited, run) {
		return edited, nil
	}
	return WriteYAML(run)
}

// sameRun reports whether data says what run does.
func sameRun(data []byte, run Run) bool {
	document, faults := Parse("", data)
	if !Valid(faults) || document.Run == nil {
		return false
	}
	got, errGot := Canonical(*document.Run)
	want, errWant := Canonical(run)
	return errGot == nil && errWant == nil && bytes.Equal(got, want)
}

// insertQuick sets the field where it is, or puts it before the first of its siblings.
func insertQuick(data []byte) []byte {
	root, err := read(data)
	if err != nil {
		return nil
	}
	spec := root.field("spec")
	trials := spec.field("trials")
	if quick := trials.field("quick"); quick != nil {
		start := offsetOf(data, quick.originLine, quick.originColumn)
		return slices.Concat(data[:start], []byte("true"), data[scalarEnd(data, start, quick.text):])
	}
	own, all := "quick: true", "trials: {quick: true}"
	if json.Valid(data) {
		own, all = `"quick": true`, `"trials": {"quick": true}`
	}
	if trials.is(mappingShape) && len(trials.fields) > 0 {
		return insertBefore(data, trials.fields[0], own)
	}
	if trials == nil && spec.is(mappingShape) && len(spec.fields) > 0 {
		return insertBefore(data, spec.fields[0], all)
	}
	return nil
}

// insertBefore puts a field before another of the same mapping. In a block it stands on
// a line of its own, above the comments that belong to the other.
func insertBefore(data []byte, f field, text string) []byte {
	at := offsetOf(data, f.line, f.column)
	line := bytes.LastIndexByte(data[:at], '\n') + 1
	indent := data[line:at]
	if len(bytes.TrimSpace(indent)) > 0 { // {a: 1} on one line
		return slices.Concat(data[:at], []byte(text+", "), data[at:])
	}
	for line > 0 {
		before := bytes.LastIndexByte(data[:line-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimSpace(data[before:line]), []byte("#")) {
			break
		}
		line = before
	}
	return slices.Concat(data[:line], indent, []byte(text+"\n"), data[line:])
}
