package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGuide keeps the list of checks in the guide equal to All. With -update it
// rewrites the list and leaves the prose above it alone.
func TestGuide(t *testing.T) {
	const path, heading = "../../docs/guides/doctor.md", "## The checks\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no %q", path, heading)
	}
	golden(t, path, prose+heading+"\n"+guideTable())
}

func guideTable() string {
	var b strings.Builder
	b.WriteString("| check | asks | at worst | why it matters | what to do |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range All {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.ID, c.Asks, c.Worst, c.Why, c.Fix)
	}
	return b.String()
}
