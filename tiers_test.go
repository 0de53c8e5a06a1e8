package assay

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// watchedLine lists the packages that make test runs under the race detector, without
// what takes long.
var watchedLine = regexp.MustCompile(`(?m)^WATCHED := \$\(addprefix \$\(MODULE\)/,(.*)\)$`)

// What takes long is skipped under the race detector, so its package must run without
// it too: a test that no command of make test reaches guards nothing.
func TestWhatTakesLongRuns(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := watchedLine.FindStringSubmatch(string(makefile))
	if found == nil || !strings.Contains(string(makefile), "$(filter-out %/bundle,$(WATCHED))") {
		t.Fatal("the Makefile does not say which packages run under the race detector, or no longer runs bundle in both ways: mend this test with it")
	}
	watched := strings.Fields(found[1])
	long := 0
	for _, s := range thisTree(t) {
		if !s.test || !slices.Contains(s.imports(), moduleName()+"/tests/whole") {
			continue
		}
		long++
		if slices.Contains(watched, s.dir) && s.dir != "bundle" {
			t.Errorf("%s has a test that takes long, and make test runs %s under the race detector alone", s.path, s.dir)
		}
	}
	if long == 0 {
		t.Error("no test takes long: has the import of tests/whole changed?")
	}
}

var (
	longTest  = regexp.MustCompile(`func (Test\w+)\(t \*testing\.T\) \{\n\twhole\.Only`)
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
