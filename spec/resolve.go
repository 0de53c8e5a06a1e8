package spec

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// A Default is one value that was filled in because the document did not say.
type Default struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	Doc   string `json:"doc"`
}

// Resolve returns run with every documented default filled in, and what was
// filled in. It changes nothing that is written, and resolving twice is the
// same as resolving once.
func Resolve(run Run) (Run, []Default) {
	f := &defaultFiller{docs: docComments()}
	resolved := copyValue(reflect.ValueOf(run)).Interface().(Run)
	// What kind of run it is comes first: other defaults follow from it.
	f.fill(reflect.ValueOf(&resolved.Spec.Intent).Elem(), "spec.intent")
	deriveMix(&resolved.Spec, func(path string, value any) { f.note(path, value, "the mean of the scenario") })
	deriveTokenizer(&resolved.Spec.Workload, func(path string, value any) { f.note(path, value, "a path names a file") })
	f.fill(reflect.ValueOf(&resolved.Spec.Workload).Elem(), "spec.workload")
	for _, d := range derivations {
		d.derive(&resolved.Spec, func(path string, value any) { f.note(path, value, d.doc) })
	}
	f.fill(reflect.ValueOf(&resolved).Elem(), "")
	return resolved, f.defaults
}

// ResolveWorkload is Resolve for a WorkloadSpec.
func ResolveWorkload(w WorkloadSpec) (WorkloadSpec, []Default) {
	return resolve(w)
}

// resolve fills the defaults of a document in which none follows from another.
func resolve[T any](doc T) (T, []Default) {
	f := &defaultFiller{docs: docComments()}
	resolved := copyValue(reflect.ValueOf(doc)).Interface().(T)
	f.fill(reflect.ValueOf(&resolved).Elem(), "")
	return resolved, f.defaults
}

// A defaultFiller writes the defaults of tags into zero fields.
type defaultFiller struct {
	docs     map[string]string
	defaults []Default
}

func (f *defaultFiller) note(path string, value any, doc string) {
	f.defaults = append(f.defaults, Default{Path: path, Value: value, Doc: doc})
}

func (f *defaultFiller) fill(v reflect.Value, path string) {
	for _, m := range membersOf(v.Type()) {
		child := v.Field(m.index)
		childPath := memberPath(path, m.name)
		if m.def != "" && child.IsZero() {
			child.Set(copyValue(allDefaults()[m.typ][m.def]))
			f.note(childPath, child.Interface(), f.docs[v.Type().Name()+"."+m.goName])
		}
		f.descend(child, childPath)
	}
}

// descend fills the structs inside a field: by value, behind a pointer, or in a
// list.
func (f *defaultFiller) descend(v reflect.Value, path string) {
	switch {
	case structOf(v.Type()) == nil:
	case v.Kind() == reflect.Struct:
		f.fill(v, path)
	case v.Kind() == reflect.Pointer && !v.IsNil():
		f.fill(v.Elem(), path)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			f.fill(v.Index(i), itemPath(path, i))
		}
	}
}

// allDefaults holds the decoded defaults by type and text. They are decoded
// once: reading YAML is most of the cost of resolving otherwise.
var allDefaults = sync.OnceValue(func() map[reflect.Type]map[string]reflect.Value {
	table := map[reflect.Type]map[string]reflect.Value{}
	for _, members := range allMembers() {
		for _, m := range members {
			if m.def == "" {
				continue
			}
			if table[m.typ] == nil {
				table[m.typ] = map[string]reflect.Value{}
			}
			v := reflect.New(m.typ).Elem()
			setDefault(v, m)
			table[m.typ][m.def] = v
		}
	}
	return table
})

// setDefault decodes the default of m, written as YAML in its tag.
func setDefault(v reflect.Value, m member) {
	n, err := read([]byte(m.def))
	if err != nil {
		panic(fmt.Sprintf("spec: default of %s: %v", m.name, err)) // a bug in our own tags; TestTypes finds it
	}
	var d decoder
	d.value(n, v, m, m.name)
	if len(d.faults) > 0 {
		panic(fmt.Sprintf("spec: default of %s: %v", m.name, d.faults[0])) // as above
	}
}

// copyValue copies v so deeply that no change to the copy shows in v.
func copyValue(v reflect.Value) reflect.Value {
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	switch {
	case v.Type() == secretType:
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			copied.Field(i).Set(copyValue(v.Field(i)))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(copyValue(v.Elem()))
		copied.Set(p)
	case v.Kind() == reflect.Interface && !v.IsNil():
		copied.Set(copyValue(v.Elem()))
	case v.Kind() == reflect.Slice && !v.IsNil():
		copied.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			copied.Index(i).Set(copyValue(v.Index(i)))
		}
	case v.Kind() == reflect.Map && !v.IsNil():
		copied.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for _, key := range v.MapKeys() {
			copied.SetMapIndex(key, copyValue(v.MapIndex(key)))
		}
	}
	return copied
}

// trains and serves say which kinds of work a run has.
func (s *RunSpec) trains() bool {
	return slices.Contains([]string{Training, Mixed}, s.Intent.WorkloadType)
}

func (s *RunSpec) serves() bool {
	return slices.Contains([]string{Inference, Mixed}, s.Intent.WorkloadType)
}
