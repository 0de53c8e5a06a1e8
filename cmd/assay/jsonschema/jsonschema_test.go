package jsonschema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/stats"
)

type inner struct {
	Value float64 `json:"value"`
	Name  string  `json:"name"` // hidden by the outer one
}

type extra struct {
	More int `json:"more"`
}

type outer struct {
	inner
	*extra
	Name    int            `json:"name"`
	When    time.Time      `json:"when,omitzero"`
	Exact   int64          `json:"exact,string"`
	List    []string       `json:"list"`
	Filled  []string       `json:"filled,omitempty"`
	Pair    [2]bool        `json:"pair"`
	ByName  map[string]int `json:"byName,omitempty"`
	Between stats.Interval `json:"between"`
	Again   *outer         `json:"again,omitempty"`
	Any     any            `json:"any"`
	Left    string         `json:"-"`
}

// The schema says what encoding/json does with tags, embedding and null.
func TestOf(t *testing.T) {
	data, err := Of("outer", "words", reflect.TypeFor[outer]())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Ref  string `json:"$ref"`
		Defs map[string]struct {
			Required             []string
			Properties           map[string]json.RawMessage
			AdditionalProperties any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	def, ok := got.Defs["jsonschema.outer"]
	if got.Ref != "#/$defs/jsonschema.outer" || !ok || def.AdditionalProperties != false {
		t.Fatalf("want a closed object behind a reference:\n%s", data)
	}
	if got, want := strings.Join(def.Required, " "), "value name exact list pair between any"; got != want {
		t.Errorf("required %q, want %q", got, want)
	}
	for name, want := range map[string]string{
		"value": `{"type":"number"}`, "more": `{"type":"integer"}`, "name": `{"type":"integer"}`,
		"when": `{"type":"string","format":"date-time"}`, "exact": `{"type":"string"}`,
		"list":   `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`,
		"filled": `{"type":"array","items":{"type":"string"}}`,
		"pair":   `{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`,
		"byName": `{"type":"object","additionalProperties":{"type":"integer"}}`,
		"again":  `{"$ref":"#/$defs/jsonschema.outer"}`, "any": `{}`,
	} {
		if got := compact(t, def.Properties[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, ok := def.Properties["Left"]; ok || len(def.Properties) != 12 {
		t.Errorf("%d members, want 12 without Left", len(def.Properties))
	}
}

func compact(t *testing.T, data json.RawMessage) string {
	t.Helper()
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// One and Other have a member of the same name.
type One struct {
	Name string `json:"name"`
}

type Other struct {
	Name string `json:"name"`
}

type writesItself struct{}

func (writesItself) MarshalJSON() ([]byte, error) { return []byte("7"), nil }

// What cannot be described is an error, not a guess.
func TestOfRefuses(t *testing.T) {
	f := func(of reflect.Type, want string) {
		t.Helper()
		if _, err := Of("kind", "", of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", of, err, want)
		}
	}
	f(reflect.TypeFor[writesItself](), "writes itself")
	f(reflect.TypeFor[chan int](), "has no form in JSON")
	// Made here, because go vet would not let it be written down.
	f(reflect.StructOf([]reflect.StructField{
		{Name: "One", Type: reflect.TypeFor[One](), Anonymous: true},
		{Name: "Other", Type: reflect.TypeFor[Other](), Anonymous: true},
	}), "two members called name")
}
