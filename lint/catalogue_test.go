package lint

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/checks.md")

// The reference page is the one that the code makes.
func TestReference(t *testing.T) {
	const page = "../docs/reference/checks.md"
	if *update {
		if err := os.WriteFile(page, Reference(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, Reference()) {
		t.Errorf("%s is out of date (%v): go test ./lint -run TestReference -update", page, err)
	}
}

// Ids and codes are unique and have their form.
func TestCatalogue(t *testing.T) {
	id, code := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), regexp.MustCompile(`^([PHLG]-[0-9]{2})?$`)
	seen := map[string]bool{}
	for _, c := range Catalogue() {
		if !id.MatchString(c.ID) || !code.MatchString(c.Code) {
			t.Errorf("%s %s: want words with dashes, and a code such as P-01", c.ID, c.Code)
		}
		if seen[c.ID] || c.Code != "" && seen[c.Code] {
			t.Errorf("%s %s is there twice", c.ID, c.Code)
		}
		seen[c.ID], seen[c.Code] = true, true
	}
}
