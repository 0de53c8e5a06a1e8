package spec

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/unit"
)

// A member is one field of a document type, as its tags describe it. Parsing,
// defaults, schemas and the reference all read members and nothing else.
type member struct {
	name     string // in the document
	goName   string
	index    int
	typ      reflect.Type
	required bool
	def      string         // the default as YAML, or ""
	enum     []string       // the accepted words, or nil
	or       *regexp.Regexp // what is accepted beside the words of enum, or nil
	rule     string         // the id of the rule that guards the field, or ""
	pattern  *regexp.Regexp // or nil
	form     string         // the same in words
	example  string
	items    int // the least number of items
	use      Use // "" is acted on

	min, max, above, below string
}

// The types that are values of their own, not structs to walk into.
var (
	durationType = reflect.TypeFor[unit.Duration]()
	bytesType    = reflect.TypeFor[unit.Bytes]()
	secretType   = reflect.TypeFor[Secret]()
	freeType     = reflect.TypeFor[map[string]any]()
)

var (
	statusType         = reflect.TypeFor[Status]()
	scheduleStatusType = reflect.TypeFor[ScheduleStatus]()
)

// roots are the document types by kind.
var roots = map[string]reflect.Type{
	KindBenchmarkRun: reflect.TypeFor[Run](),
	KindWorkloadSpec: reflect.TypeFor[WorkloadSpec](),
	KindGatePolicy:   reflect.TypeFor[GatePolicy](),

	KindBenchmarkSchedule: reflect.TypeFor[BenchmarkSchedule](),
	KindPerformanceIntake: reflect.TypeFor[PerformanceIntake](),
}

// kindNames lists the kinds of documents.
func kindNames() string { return strings.Join(slices.Sorted(maps.Keys(roots)), ", ") }

// allMembers holds the members of every struct a document can hold. It is
// computed once because parsing asks for it at every mapping.
var allMembers = sync.OnceValue(func() map[reflect.Type][]member {
	table := map[reflect.Type][]member{}
	for _, root := range roots {
		collectMembers(root, table)
	}
	collectMembers(statusType, table)
	collectMembers(scheduleStatusType, table)
	return table
})

func collectMembers(t reflect.Type, table map[reflect.Type][]member) {
	t = structOf(t)
	if t == nil || table[t] != nil {
		return
	}
	var members []member
	for i := range t.NumField() {
		members = append(members, newMember(t.Field(i), i))
	}
	table[t] = members
	for _, m := range members {
		collectMembers(m.typ, table)
	}
}

func newMember(f reflect.StructField, index int) member {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	items, _ := strconv.Atoi(f.Tag.Get("items")) // absent means none needed
	m := member{
		name: name, goName: f.Name, index: index, typ: f.Type,
		required: f.Tag.Get("required") == "true",
		def:      f.Tag.Get("default"),
		enum:     Vocabularies[f.Tag.Get("enum")],
		rule:     f.Tag.Get("rule"),
		example:  f.Tag.Get("example"),
		form:     f.Tag.Get("form"),
		items:    items,
		use:      Use(f.Tag.Get("use")),
		min:      f.Tag.Get("min"), max: f.Tag.Get("max"),
		above: f.Tag.Get("above"), below: f.Tag.Get("below"),
	}
	if or := f.Tag.Get("or"); or != "" {
		m.or = regexp.MustCompile(or)
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		m.pattern = regexp.MustCompile(pattern) // a bug in our own tags shows at once
	}
	return m
}

// ruleOr is the rule of m's own, or the given one of its kind of fault.
func (m member) ruleOr(rule string) string {
	if m.rule != "" {
		return m.rule
	}
	return rule
}

// useIn is the use of m in a section: its own, or else the section's.
func (m member) useIn(section Use) Use {
	if m.use != "" {
		return m.use
	}
	return section
}

// membersOf lists the members of a struct type in order.
func membersOf(t reflect.Type) []member { return allMembers()[t] }

// structOf is the struct inside t (behind pointers, lists and maps), or nil
// where there is none.
func structOf(t reflect.Type) reflect.Type {
	for {
		if slices.Contains([]reflect.Type{durationType, bytesType, secretType, freeType}, t) {
			return nil
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			return t
		default:
			return nil
		}
	}
}
