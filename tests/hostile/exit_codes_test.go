package hostile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/whole"
)

// One fault has one exit code, whichever verb meets it. What lies in the place of
// single files is in TestFiles.
func TestExitCodes(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	other := aBundle(t, "other")
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	writeText(t, rules, policy)
	faults := []struct {
		name string
		code int
		make func(t *testing.T, dir string) // of a whole bundle
	}{
		{"missing path", 2, func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) }},
		{"empty folder", 2, func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
		}},
		{"file instead of a folder", 2, func(t *testing.T, dir string) {
			must(t, os.RemoveAll(dir))
			writeText(t, dir, "text")
		}},
		{"no manifest", 4, func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "manifest.json"))) }},
		{"empty manifest", 4, func(t *testing.T, dir string) { writeText(t, filepath.Join(dir, "manifest.json"), "") }},
		{"garbage as manifest", 4, func(t *testing.T, dir string) { writeText(t, filepath.Join(dir, "manifest.json"), "\x00\xff garbage") }},
		{"half a manifest", 4, func(t *testing.T, dir string) { halve(t, filepath.Join(dir, "manifest.json")) }},
	}
	verbs := append(slices.Clone(bundleReaders), "recover BUNDLE")
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range verbs {
				t.Run(verb, func(t *testing.T) {
					dir := aBundle(t, "broken")
					fault.make(t, dir)
					names := map[int]string{2: dir, 4: "manifest.json"}[fault.code]
					refused(t, callOn(t, verb, dir, other, rules), fault.code, names)
				})
			}
		})
	}
}

// A flag that there is not is the caller's mistake everywhere.
func TestExitCodesOfFlags(t *testing.T) {
	t.Parallel()
	for _, verb := range strings.Fields(`demo init validate plan schema bench run comm train report import plot export claim fleet scale
		suite cluster diagnose trace mllog compare gate lint verify recover keygen probe net doctor calibrate sim list`) {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			refused(t, program.Run(t, "", verb, "--no-such-flag"), 2, "no-such-flag")
		})
	}
}

// halve cuts a file in the middle.
func halve(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()/2))
}
