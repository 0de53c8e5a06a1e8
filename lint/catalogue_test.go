package lint

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/checks.md")

// The reference page is the one that the code makes.
func TestReference(t *testing.T) {
	const page = "../docs/reference/checks.md"
	want := reference(t)
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test ./lint -run TestReference -update", page, err)
	}
}

// reference is the page docs/reference/checks.md.
func reference(t *testing.T) []byte {
	t.Helper()
	cures := cures(t)
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Checks

The %d checks of `+"`assay lint`"+`. A *void* finding forbids a claim, a *caution* is printed
with every claim, a *note* is for information; the column shows the worst that a check can
find. A check whose evidence is missing is *not checked*, which is not a pass. The cure is
the first one that a check offers; a finding has the one that fits.

Codes are those of the catalogue of pitfalls: P for any benchmark, H for the rules of
Hoefler and Belli (SC 2015), L for load and serving, G for comparisons and gates.
*Statements* are what somebody says about a run (`+"`--statements`"+`); *a pair* is two bundles
(`+"`--baseline`"+`). Terms and methods: [METHODOLOGY.md](../../METHODOLOGY.md).

This page is made from the code: `+"`go test ./lint -run TestReference -update`"+`.

| check | worst | pitfall | fires when | cure |
| --- | --- | --- | --- | --- |
`, len(All))
	for _, c := range All {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", strings.TrimSpace("`"+c.ID+"` "+c.Code), c.Severity, c.Doc, c.When, cmp.Or(cures[c.ID], "–"))
	}
	return b.Bytes()
}

// cures reads the first cure that each check offers out of its source: a finding
// is put together while a check runs, its cure is written down there.
func cures(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := ""
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			switch key, _ := pair.Key.(*ast.Ident); {
			case key == nil:
			case key.Name == "ID":
				check = words(pair.Value)
			case key.Name == "Fix" && found[check] == "" && words(pair.Value) != "…":
				found[check] = words(pair.Value)
			}
			return true
		})
	}
	return found
}

// words are the literal parts of a text.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			return ""
		}
		return text
	case *ast.BinaryExpr:
		return words(e.X) + words(e.Y)
	case *ast.Ident:
		return "…"
	}
	return ""
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

// Every check says when it fires: the reference page is the only place that does.
func TestWhen(t *testing.T) {
	for _, c := range All {
		if c.When == "" || strings.Contains(c.When, "|") {
			t.Errorf("%s: When is %q, want what makes it fire, fit for a table", c.ID, c.When)
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
