// Package bench turns the options of assay bench into a spec: from flags to the
// document that a person would write, so that people can grow from one to the
// other. It takes every option of genai-bench's benchmark by its name and with
// its meaning, and says where assay differs.
//
// It runs nothing and reads no more than the files and variables that options
// name. It asks a server two things: which models it has, and whether it counts
// tokens.
//
// To add an option, add a line to its table here, use it in the file of what it
// becomes, and run go test ./cmd/assay/bench -run TestGuide -update.
package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Fate is what becomes of an option.
type Fate int

// The fates of options.
const (
	Used    Fate = iota // it becomes part of the spec
	Noted               // it does nothing here; whoever gives it is told why
	Refused             // to ignore it would change what is asked
)

// A Kind is the form of an option's values.
type Kind int

// The kinds of options.
const (
	Text   Kind = iota
	List        // given once for each value
	Switch      // given without a value
)

// An Option is one flag of assay bench.
type Option struct {
	Name  string
	Group string
	Kind  Kind
	Fate  Fate

	// Env is the variable that stands in for the flag; empty for none.
	Env string

	// Alias is the option that this one is another name of; empty for none.
	Alias string

	// Secret values never reach a document: they stay in variables of this process.
	Secret bool

	// Doc says what the option says, Becomes what that is here: a field of the spec
	// or, where it does nothing or is refused, why.
	Doc, Becomes string
}

// The groups of options.
const (
	groupAPI        = "API"
	groupKeys       = "Credentials"
	groupServer     = "Server labels"
	groupExperiment = "Experiment"
	groupPrompts    = "Prompts"
	groupWorkers    = "Workers"
	groupUpload     = "Upload"
	groupOurs       = "assay's own"
)

// Options lists every option: genai-bench's in the order of its manual, then
// assay's own.
var Options = slices.Concat(apiOptions, keyOptions, experimentOptions, promptOptions, idleOptions, uploadOptions, ownOptions)

// Find is the option called name.
func Find(name string) (Option, bool) {
	i := slices.IndexFunc(Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return Options[i], true
}

// Usage is the option in a line of help.
func (o Option) Usage() string {
	text := o.Doc
	switch o.Fate {
	case Noted:
		text += " (does nothing here: " + o.Becomes + ")"
	case Refused:
		text += " (refused: " + o.Becomes + ")"
	}
	if o.Env != "" {
		text += " [" + o.Env + "]"
	}
	return text
}

// Values are the options that were given.
type Values struct {
	Given  map[string][]string                  // by name; a switch has "true"
	Lookup func(string) (value string, ok bool) // as os.LookupEnv

	// NewSeed draws the seed of a run that is given none; nil leaves it to the spec.
	NewSeed func() int64

	// Patience is how long a server that refuses connections is given to come up.
	Patience time.Duration
}

// resolved are the same values, each under the name that its alias stands for.
func (v Values) resolved() Values {
	given := maps.Clone(v.Given)
	for _, o := range Options {
		if o.Alias != "" && len(given[o.Name]) > 0 {
			given[o.Alias] = append(slices.Clone(given[o.Alias]), given[o.Name]...)
		}
	}
	v.Given = given
	return v
}

// list are the values of a flag, without its variable.
func (v Values) list(name string) []string {
	if _, ok := Find(name); !ok {
		panic("bench: no option --" + name) // a bug in our own tables
	}
	return v.Given[name]
}

// flag is the value of a flag; empty when it was not given.
func (v Values) flag(name string) string {
	if list := v.list(name); len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// text is the value of a flag or else of its variable.
func (v Values) text(name string) string {
	if value := v.flag(name); value != "" {
		return value
	}
	o, _ := Find(name)
	if value, ok := v.Lookup(o.Env); ok && o.Env != "" {
		return value
	}
	return ""
}

// fates notes options that do nothing and refuses those that cannot be ignored.
func (m *maker) fates() {
	for _, o := range Options {
		if len(m.v.Given[o.Name]) == 0 {
			continue
		}
		switch o.Fate {
		case Noted:
			m.note("--%s does nothing here: %s", o.Name, o.Becomes)
		case Refused:
			m.fail("--%s: %s", o.Name, o.Becomes)
		}
	}
}

// oneOf refuses a value that is none of words; an empty one is fine.
func (m *maker) oneOf(name string, words ...string) string {
	value := m.v.text(name)
	if value != "" && !slices.Contains(words, value) {
		m.fail("--%s: got %q, want %s", name, value, strings.Join(words, ", "))
		return ""
	}
	return value
}

func (m *maker) chose(format string, args ...any) {
	m.choices = append(m.choices, fmt.Sprintf(format, args...))
}
func (m *maker) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}
func (m *maker) fail(format string, args ...any) {
	m.errs = append(m.errs, fmt.Errorf(format, args...))
}
