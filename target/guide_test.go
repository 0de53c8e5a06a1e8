package target

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The guide names every dialect, every cloud and every case, with tests that
// exist.
func TestGuideIsComplete(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "guides", "targets.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(data)
	for _, named := range All {
		if !strings.Contains(guide, "| `"+named.Name+"` | `"+named.Dialect.Path()+"`") {
			t.Errorf("the guide lacks a row for %s at %s", named.Name, named.Dialect.Path())
		}
	}
	for _, cloud := range Clouds {
		if !strings.Contains(guide, "| `"+cloud.Name+"` |") {
			t.Errorf("the guide lacks the credentials of %s", cloud.Name)
		}
	}
	var tests strings.Builder
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(source)
	}
	for number := 1; number <= 52; number++ {
		_, row, found := strings.Cut(guide, fmt.Sprintf("| case %d | ", number))
		if !found {
			t.Errorf("the guide lacks case %d", number)
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		for _, word := range strings.FieldsFunc(row, func(r rune) bool { return strings.ContainsRune(" ,|/", r) }) {
			if strings.HasPrefix(word, "Test") && !strings.Contains(tests.String(), "func "+word+"(") {
				t.Errorf("case %d names %s, which does not exist", number, word)
			}
		}
	}
}
