package spec

import (
	"reflect"
	"slices"
	"strings"
)

// A Use is what becomes of a field whose value no code of a run, a judgement or a
// report reads. It stands in the field's tag; a field without one is acted on, and a
// test at the root of the tree reads the source to keep both true. A section's use is
// that of everything in it.
type Use string

// The uses.
const (
	// Recorded fields are kept in the bundle and nothing else is done about them.
	Recorded Use = "recorded"

	// Refused fields can be planned, and a run that states them is refused.
	Refused Use = "refused"

	// Checked fields have one value that a document may hold; another is refused
	// when it is read.
	Checked Use = "checked"

	// Implied fields say nothing themselves: defaults of other fields follow from them.
	Implied Use = "implies"

	// Worker fields are handed to the worker processes as they are.
	Worker Use = "worker"
)

// useWords say each use to people, in the reference.
var useWords = map[Use]string{
	Recorded: "recorded, not acted on",
	Refused:  "refused by `assay run`",
	Checked:  "checked when read",
	Implied:  "sets other defaults",
	Worker:   "read by workers",
}

// Unacted is what a document states and no run does: the paths of fields or whole
// sections, in reading order.
type Unacted struct {
	Recorded []string `json:"recorded,omitempty"` // kept, not acted on
	Refused  []string `json:"refused,omitempty"`  // assay run refuses a document with them
}

// Unacted lists what d states that no run acts on.
func (d *Document) Unacted() Unacted {
	switch {
	case d.Run != nil:
		return UnactedIn(*d.Run, nil)
	case d.Workload != nil:
		return unactedIn(d.Workload, nil)
	case d.Schedule != nil:
		return unactedIn(d.Schedule, nil)
	case d.Intake != nil:
		return unactedIn(d.Intake, nil)
	default:
		return unactedIn(d.Policy, nil)
	}
}

// UnactedIn is Unacted for a run whose defaults have been filled in.
func UnactedIn(run Run, defaults []Default) Unacted { return unactedIn(&run, defaults) }

func unactedIn(document any, defaults []Default) Unacted {
	filled := map[string]bool{}
	for _, d := range defaults {
		filled[d.Path] = true
	}
	var u Unacted
	u.gather(reflect.ValueOf(document).Elem(), "", filled)
	return u
}

// gather looks through a struct for stated fields that have such a use.
func (u *Unacted) gather(v reflect.Value, path string, filled map[string]bool) {
	for _, m := range membersOf(v.Type()) {
		child, childPath := v.Field(m.index), memberPath(path, m.name)
		switch {
		case !stated(child, childPath, filled):
		case m.use == Recorded:
			u.Recorded = append(u.Recorded, childPath)
		case m.use == Refused:
			u.Refused = append(u.Refused, childPath)
		case structOf(m.typ) != nil && m.use == "":
			eachStruct(child, childPath, func(inner reflect.Value, innerPath string) { u.gather(inner, innerPath, filled) })
		}
	}
}

// stated reports whether somebody wrote the value at path, or part of it.
func stated(v reflect.Value, path string, filled map[string]bool) bool {
	if v.IsZero() || filled[path] {
		return false
	}
	if structOf(v.Type()) == nil {
		return true
	}
	any, empty := false, true
	eachStruct(v, path, func(inner reflect.Value, innerPath string) {
		empty = false
		for _, m := range membersOf(inner.Type()) {
			any = any || stated(inner.Field(m.index), memberPath(innerPath, m.name), filled)
		}
	})
	return any || empty && v.Kind() == reflect.Slice
}

// eachStruct calls body for the structs of a field: its own, behind a pointer, or in
// a list or mapping.
func eachStruct(v reflect.Value, path string, body func(reflect.Value, string)) {
	switch v.Kind() {
	case reflect.Struct:
		body(v, path)
	case reflect.Pointer:
		if !v.IsNil() {
			body(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachStruct(v.Index(i), itemPath(path, i), body)
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			eachStruct(v.MapIndex(key), joinPath(path, key.String()), body)
		}
	}
}
