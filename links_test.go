package assay

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	docLinks    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHeadings = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// Every link between pages leads to a file and, where it names one, to a heading.
func TestLinks(t *testing.T) {
	for page, text := range markdown(t) {
		for _, link := range docLinks.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(link[1], "http") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: %v", page, link[1], err)
				continue
			}
			if anchor != "" && strings.HasSuffix(target, ".md") && !anchors(t, target)[anchor] {
				t.Errorf("%s: link to %s: the page has no such heading", page, link[1])
			}
		}
	}
}

// The map names every guide and every page of evidence, and METHODOLOGY.md, which
// links to the details, stays short enough to be read.
func TestMap(t *testing.T) {
	pages := markdown(t)
	for page := range pages {
		folder := filepath.Dir(page)
		listed := folder == "docs/guides" || folder == "docs/evidence"
		if name, _ := filepath.Rel("docs", page); listed && !strings.Contains(pages["docs/README.md"], "("+name) {
			t.Errorf("docs/README.md does not link to %s", page)
		}
		if folder == "docs/reference" && !linked(pages, filepath.Base(page)) {
			t.Errorf("neither docs/README.md nor METHODOLOGY.md nor a reference page links to %s", page)
		}
	}
	if lines := bytes.Count([]byte(pages["METHODOLOGY.md"]), []byte("\n")); lines > 500 {
		t.Errorf("METHODOLOGY.md has %d lines, want at most 500: details belong in docs/reference", lines)
	}
}

// linked says whether the pages that people start from, or a reference page, lead
// to a page of docs/reference.
func linked(pages map[string]string, name string) bool {
	for page, text := range pages {
		start := page == "docs/README.md" || page == "METHODOLOGY.md" || filepath.Dir(page) == "docs/reference"
		if start && filepath.Base(page) != name && strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// markdown holds the text of every page at the root and below docs.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// anchors are the names that GitHub gives the headings of a page.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, heading := range docHeadings.FindAllStringSubmatch(string(text), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading[1]))
		found[name] = true
	}
	return found
}
