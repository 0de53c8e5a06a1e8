package assay

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// watchedTests finds the tests that make test leaves out under the race detector, where
// everything else runs, also what takes long.
var watchedTests = regexp.MustCompile(`(?m)^\t(?:GOGC=\d+ )?ASSAY_TESTS=all .*\$\(WATCHED\).* -race .* -skip '\^\((.*)\)\$\$'`)

// What is left out under the race detector must run without it: a test that no command
// of make test reaches guards nothing.
func TestWhatTakesLongRuns(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := watchedTests.FindStringSubmatch(string(makefile))
	if found == nil || !strings.Contains(string(makefile), "$(filter-out $(TWICE),$(WATCHED))") || !strings.Contains(string(makefile), "TWICE := $(addprefix $(MODULE)/,bundle ") {
		t.Fatal("the Makefile does not say which tests the race detector leaves out, or no longer runs bundle in both ways: mend this test with it")
	}
	for name := range strings.SplitSeq(found[1], "|") {
		for _, s := range thisTree(t) {
			if s.test && s.dir != "bundle" && declares(t, s.path, name) {
				t.Errorf("make test runs %s of %s under the race detector alone, and leaves it out there", name, s.dir)
			}
		}
	}
}

// A test that does less under the race detector does all of it without, in make test too.
func TestWatchedRunTwice(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	twice := regexp.MustCompile(`(?m)^TWICE := \$\(addprefix \$\(MODULE\)/,(.*)\)$`).FindStringSubmatch(string(makefile))
	if twice == nil {
		t.Fatal("the Makefile does not say which packages run twice: mend this test with it")
	}
	asking := 0
	for _, s := range thisTree(t) {
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if !s.test || s.dir == "." || !strings.Contains(string(text), "whole.Watched") {
			continue
		}
		asking++
		if !slices.Contains(strings.Fields(twice[1]), s.dir) {
			t.Errorf("%s does less under the race detector, and make test does not run it without", s.path)
		}
	}
	if asking == 0 {
		t.Error("no test asks whether the race detector watches")
	}
}

// declares reports whether a file has a test of this name.
func declares(t *testing.T, path, name string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), "\nfunc "+name+"(")
}

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
