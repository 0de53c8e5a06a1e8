package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/plan"
	"assay/spec"
)

// commandPath is the server's command line, whose flags are compared one by one.
const commandPath = "spec.target.server.command"

// envPath is before the names of what the server's environment is given.
const envPath = "spec.target.server.env."

// plans compares two resolved plans. Points, launches and seeds follow from the
// documents and would say everything twice.
func plans(a, b Side) []Change {
	flatA, flatB := flatPlan(a.Plan), flatPlan(b.Plan)
	start := startOf(a, b, flatA[commandPath], flatB[commandPath])
	if a.Plan.Decided().SeedDrawn && b.Plan.Decided().SeedDrawn {
		delete(flatA, "spec.seed") // one question, asked with other words each time
		delete(flatB, "spec.seed")
	}
	var list []Change
	for _, path := range union(flatA, flatB) {
		x, y := flatA[path], flatB[path]
		if x == y {
			continue
		}
		r, known := planRules.find(path)
		if r.address {
			r.along = isPlace(x) && isPlace(y)
			r.named = !r.along
		}
		if known && r.ignore || r.named && (x == spec.Redacted || y == spec.Redacted) {
			continue // plans once hid every value of server.env: nobody can say that it differs
		}
		c := Change{Path: path, A: shown(x), B: shown(y), Kind: Plan, Variable: r.variable, Along: r.along}
		switch {
		case r.named:
			c.Variable = strings.TrimPrefix(path, "spec.target.")
		case strings.HasPrefix(path, commandPath) && c.Variable == runtime:
			c.Variable = start.variable(path)
		}
		list = append(list, c)
	}
	return list
}

// flatPlan is every leaf of the resolved document by its path.
func flatPlan(p plan.Plan) map[string]string {
	data, err := spec.Canonical(p.Run)
	if err != nil {
		return map[string]string{"spec": "cannot be read: " + err.Error()}
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return map[string]string{"spec": "cannot be read: " + err.Error()}
	}
	flat := map[string]string{}
	flatten(flat, "", tree)
	declareSystem(flat, p.Run)
	return flat
}

// flatten writes every leaf below path into flat. A list of plain values is one
// leaf, in its order; a command line is a leaf for each flag.
func flatten(flat map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			flatten(flat, join(path, key), below)
		}
	case []any:
		if path == commandPath {
			flattenCommand(flat, v)
			return
		}
		if !slices.ContainsFunc(v, isObject) {
			flat[path] = text(v)
			return
		}
		for i, below := range v {
			flatten(flat, fmt.Sprintf("%s[%d]", path, i), below)
		}
	case nil:
	default:
		flat[path] = text(v)
	}
}

// flattenCommand takes a command apart: the program and its plain arguments are
// one leaf, each flag with its value another.
func flattenCommand(flat map[string]string, words []any) {
	var plain []string
	for i := 0; i < len(words); i++ {
		word := fmt.Sprint(words[i])
		if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
			plain = append(plain, word)
			continue
		}
		name, value, given := strings.Cut(word, "=")
		if !given && i+1 < len(words) {
			if next := fmt.Sprint(words[i+1]); !strings.HasPrefix(next, "-") {
				value = next
				i++
			}
		}
		if value == "" {
			value = "set"
		}
		path := commandPath + " " + name
		if old, twice := flat[path]; twice {
			value = old + " " + value
		}
		flat[path] = value
	}
	flat[commandPath] = strings.Join(plain, " ")
}

func isObject(v any) bool {
	_, is := v.(map[string]any)
	return is
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func text(v any) string {
	if s, is := v.(string); is {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// notGiven stands for a path that one side does not have.
const notGiven = "not given"

func shown(value string) string {
	if value == "" {
		return notGiven
	}
	return value
}

// union lists the keys of both in order.
func union[V any](a, b map[string]V) []string {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
