package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/spec"
)

// Follows returns an error where the plan is not what its document, spec.yaml, asks for. Every
// value that the author gave must stand in the plan, and the plan may hold no other that it
// does not call a default; its points and launches must be those that come of it. Defaults are
// left out: another version of assay may have had others.
func (p Plan) Follows(source []byte) error {
	document, _ := spec.Parse("spec.yaml", source) // of another version it may have faults
	if document == nil || document.Run == nil {
		return fmt.Errorf("spec.yaml holds no run")
	}
	asked, defaults := spec.Resolve(*document.Run)
	given, err := leaves(asked)
	if err != nil {
		return err
	}
	kept, err := leaves(p.Run)
	if err != nil {
		return err
	}
	both := maps.Clone(given)
	maps.Copy(both, kept)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		x, asked := given[path]
		y, planned := kept[path]
		same := x == y || hidden(x) || hidden(y)
		if !same && (asked && !isDefault(defaults, path) || planned && !isDefault(p.Defaults, path)) {
			return fmt.Errorf("%s is %s in spec.yaml and %s in the plan", path, orNothing(x), orNothing(y))
		}
	}
	return p.derived()
}

// derived holds points and launches against those that come of the document in the plan.
func (p Plan) derived() error {
	again, err := New(p.Run)
	if err != nil {
		return err
	}
	if p.Part != nil {
		if again, err = again.Shard(p.Part.Index, p.Part.Count); err != nil {
			return err
		}
	}
	if len(p.Points) != len(again.Points) || len(p.Launches) != len(again.Launches) {
		return fmt.Errorf("%d points and %d launches are planned, and the document asks for %d and %d",
			len(p.Points), len(p.Launches), len(again.Points), len(again.Launches))
	}
	for i, l := range p.Launches {
		want := again.Launches[i]
		if l.Index != want.Index || l.Side != want.Side || l.Block != want.Block || l.Set != want.Set {
			return fmt.Errorf("launch %d is planned as number %d of side %q in block %d, and the document asks for number %d of side %q in block %d",
				i+1, l.Index+1, l.Side, l.Block+1, want.Index+1, want.Side, want.Block+1)
		}
	}
	planned, err := leaves(p.Points)
	if err != nil {
		return err
	}
	wanted, err := leaves(again.Points)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(planned)) { // what another version adds to a point is in one of them alone
		if want, known := wanted[path]; known && want != planned[path] && !hidden(planned[path]) {
			return fmt.Errorf("points%s is planned as %s, and the document asks for %s", path, planned[path], want)
		}
	}
	return nil
}

// leaves are the values of v that are not empty, in canonical form, by their paths.
func leaves(v any) (map[string]string, error) {
	data, err := spec.Canonical(v)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	flat := map[string]string{}
	var walk func(path string, v any) error
	walk = func(path string, v any) error {
		switch v := v.(type) {
		case map[string]any:
			for name, below := range v {
				if err := walk(strings.TrimPrefix(path+"."+name, "."), below); err != nil {
					return err
				}
			}
			return nil
		case []any:
			for i, below := range v {
				if err := walk(fmt.Sprintf("%s[%d]", path, i), below); err != nil {
					return err
				}
			}
			return nil
		case nil:
			return nil
		case bool, float64, string:
			if v == false || v == 0.0 || v == "" || v == "0s" {
				return nil
			}
		}
		text, err := spec.Canonical(v)
		flat[path] = string(text)
		return err
	}
	return flat, walk("", tree)
}

// isDefault says whether a value was filled in, by itself or as a part of another.
func isDefault(list []spec.Default, path string) bool {
	return slices.ContainsFunc(list, func(d spec.Default) bool {
		rest, below := strings.CutPrefix(path, d.Path)
		return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// hidden says whether a secret was taken out of a value, so that nothing is known of it.
func hidden(text string) bool { return strings.Contains(text, strings.TrimSuffix(spec.Redacted, "]")) }

func orNothing(text string) string {
	if text == "" {
		return "not given"
	}
	return text
}
