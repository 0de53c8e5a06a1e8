package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a new user does: reads the first section of the README at an ordinary pace
// and types what it says.
const (
	wordsPerMinute = 200
	keysPerMinute  = 150
	patience       = 5 * time.Minute
)

var bashBlocks = regexp.MustCompile("(?ms)^```bash\n(.*?)^```$")

// The first section of the README, followed to the letter in a copy of the
// repository, ends with a page and a workbook; reading and typing it takes less
// than five minutes.
func TestFirstReport(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## ")
	section, _, _ := strings.Cut(rest, "\n## ")
	blocks := bashBlocks.FindAllStringSubmatch(section, -1)
	if len(blocks) == 0 {
		t.Fatalf("the README's first section has nothing to type:\n%s", section)
	}
	var typed strings.Builder
	for _, block := range blocks {
		typed.WriteString(block[1])
	}
	reading := time.Duration(len(strings.Fields(section))) * time.Minute / wordsPerMinute
	typing := time.Duration(typed.Len()) * time.Minute / keysPerMinute
	t.Logf("reading %s and typing %s", reading.Round(time.Second), typing.Round(time.Second))
	if reading+typing > patience {
		t.Errorf("reading takes %s and typing %s, want less than %s together", reading, typing, patience)
	}

	dir := filepath.Join(t.TempDir(), "clone")
	copyRepository(t, dir)
	script := "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + typed.String()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = dir
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n--- the script was\n%s", err, out, script)
	}
	t.Logf("the commands took %s", time.Since(begun).Round(time.Second))
	for _, name := range []string{"report.html", "report.xlsx"} {
		found, err := filepath.Glob(filepath.Join(dir, "runs/*/report", name))
		if err != nil || len(found) != 1 {
			t.Errorf("found %v (%v), want one %s", found, err, name)
		}
	}
}

// copyRepository copies what a clone would hold.
func copyRepository(t *testing.T, to string) {
	t.Helper()
	root := os.DirFS("../..")
	left := []string{".git", ".venv", ".venv-peers", ".venv-genai", "bin", "runs", "node_modules"}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(left, d.Name()) && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
