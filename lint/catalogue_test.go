package lint

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
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

// METHODOLOGY.md says what each of these checks finds.
func TestMethodology(t *testing.T) {
	text, err := os.ReadFile("../METHODOLOGY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(core, rules) {
		if !bytes.Contains(text, []byte("`"+c.ID+"` "+c.Code)) {
			t.Errorf("METHODOLOGY.md does not say what %s %s finds", c.ID, c.Code)
		}
	}
}

// The example of the guide is a file of statements.
func TestGuideStatements(t *testing.T) {
	text, err := os.ReadFile("../docs/guides/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	if example == nil {
		t.Fatal("the guide shows no file of statements")
	}
	if _, err := ParseStatements("lint.md", example[1]); err != nil {
		t.Error(err)
	}
	for _, word := range Aggregations {
		if !bytes.Contains(text, []byte("`"+word+"`")) {
			t.Errorf("the guide does not name the aggregation %s", word)
		}
	}
}
