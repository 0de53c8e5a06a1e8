package diff

import (
	"strings"
	"testing"

	"assay/spec"
)

// A field whose use is to be compared is compared: no rule leaves it out.
func TestComparedFields(t *testing.T) {
	for _, f := range spec.Fields(spec.KindBenchmarkRun) {
		if f.Use != spec.Compared {
			continue
		}
		if r, found := planRules.find(strings.ReplaceAll(f.Path, "[]", "[0]")); found && r.ignore {
			t.Errorf("%s is there to be compared, and a rule leaves it out: %s", f.Path, r.reason)
		}
	}
}
