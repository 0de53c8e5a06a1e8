package foreign

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the table of formats into docs/guides/import.md")

// The guide lists every tool, in the words of the table of tools.
func TestGuide(t *testing.T) {
	const page = "../docs/guides/import.md"
	begin, end := []byte("<!-- formats: go test ./foreign -run TestGuide -update -->\n"), []byte("<!-- end of formats -->")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := bytes.Cut(text, begin)
	_, after, closed := bytes.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the formats", page)
	}
	var table bytes.Buffer
	fmt.Fprint(&table, "| tool | what to pass |\n| --- | --- |\n")
	for _, tool := range All {
		fmt.Fprintf(&table, "| `%s` | %s |\n", tool.Name, tool.Doc)
	}
	want := bytes.Join([][]byte{before, begin, table.Bytes(), end, after}, nil)
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s does not list the tools of All: go test ./foreign -run TestGuide -update", page)
	}
}
