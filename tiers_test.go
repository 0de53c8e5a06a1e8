package assay

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	longTest  = regexp.MustCompile(`func (Test\w+)\(t \*testing\.T\) \{\n\t(?:whole|tiers)\.Only`)
	namedTest = regexp.MustCompile(`\bTest\w+`)
)

// A target of the Makefile that names a test that takes long must ask for it, or it
// says ok and has run nothing.
func TestTargetsRunWhatTheyName(t *testing.T) {
	long := map[string]bool{}
	for _, s := range thisTree(t) {
		if !s.test {
			continue
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range longTest.FindAllStringSubmatch(string(text), -1) {
			long[match[1]] = true
		}
	}
	if !long["TestKilled"] {
		t.Fatal("TestKilled is not among the tests that take long: has their first line changed?")
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(makefile)) {
		for _, name := range namedTest.FindAllString(line, -1) {
			if long[name] && !strings.Contains(line, "ASSAY_TESTS=") {
				t.Errorf("the Makefile runs %s without ASSAY_TESTS, so it is skipped: %s", name, strings.TrimSpace(line))
			}
		}
	}
}
