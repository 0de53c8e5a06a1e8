package dataset

import (
	"os"
	"strings"
	"testing"
)

// The guide lists every format of text with its extensions.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/workloads.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range All {
		row := "| `" + f.Name + "` | " + strings.Join(f.Extensions, ", ")
		if !f.Folder && !strings.Contains(string(page), row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
	for _, field := range Fields {
		if !strings.Contains(string(page), "`"+field+"`") {
			t.Errorf("the guide does not name the field %s", field)
		}
	}
}
