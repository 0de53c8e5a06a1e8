package exam

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/spec"
)

// shared is the path of a file that is no part of the repository.
func shared(t *testing.T, name ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared"}, name...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("want shared/%s beside the repository", filepath.Join(name...))
	}
	return path
}

// A spec may name every family that is here, and no other.
func TestFamiliesAgree(t *testing.T) {
	got, want := slices.Sorted(slices.Values(Names())), slices.Sorted(slices.Values(spec.Vocabularies["evaluationFamilies"]))
	if !slices.Equal(got, want) {
		t.Errorf("the families are %v, and those of package spec %v", got, want)
	}
}

// Every family and style is known to package spec under the same name and in the same
// order, with graders.
func TestStylesAgree(t *testing.T) {
	for _, f := range All {
		styles := spec.TaskStyles(f.Name)
		if len(styles) != len(f.Styles) {
			t.Errorf("%s has %d styles here and %d in package spec", f.Name, len(f.Styles), len(styles))
			continue
		}
		for i, s := range f.Styles {
			if styles[i].Name != s.Name || len(styles[i].Graders) == 0 {
				t.Errorf("%s, style %d is %s here and %s in package spec, graded by %v", f.Name, i, s.Name, styles[i].Name, styles[i].Graders)
			}
		}
	}
}

// The prompts of MMLU are those of the harnesses that the styles are named after, to the
// last byte, for each of a thousand questions.
func TestMMLUPrompts(t *testing.T) {
	var want struct {
		Subjects map[string]struct {
			Items [][4]any
		}
	}
	data, err := os.ReadFile(shared(t, "golden", "accuracy", "mmlu_redux.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, subject := range want.Subjects {
		items, err := mmluRedux.read(shared(t, "data", "mmlu_redux", name), spec.Task{})
		if err != nil {
			t.Fatal(err)
		}
		if len(items) != len(subject.Items) {
			t.Fatalf("%s has %d items, want %d", name, len(items), len(subject.Items))
		}
		for i, item := range items {
			row := subject.Items[i]
			if float64(*item.Key.Target) != row[0] || item.Key.Note != row[1] {
				t.Errorf("%s %d: target %d (%s), want %v (%v)", name, i, *item.Key.Target, item.Key.Note, row[0], row[1])
			}
			if got := short(putChoices(item, nil)); got != row[2] {
				t.Errorf("%s %d: prompt of lm-eval has hash %s, want %v", name, i, got, row[2])
			}
			if got := short(putHendrycks(item, nil)); got != row[3] {
				t.Errorf("%s %d: prompt of hendrycks has hash %s, want %v", name, i, got, row[3])
			}
		}
	}
}

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
