package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/tests/whole"
)

// What a new user does: reads the first section of the README at an ordinary pace
// and types what it says.
const (
	wordsPerMinute = 200
	keysPerMinute  = 150
	patience       = 5 * time.Minute
)

var bashBlocks = regexp.MustCompile("(?ms)^```bash\n(.*?)^```$")

// The first section of the README, followed to the letter, ends with a page and a
// workbook; reading and typing it takes less than five minutes.
func TestFirstReport(t *testing.T) {
	whole.Only(t)
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

	// The binary is built where everything is compiled already.
	const build = "go build -o assay ./cmd/assay\n"
	dir, root := t.TempDir(), filepath.Join("..", "..")
	commands := strings.Replace(typed.String(), build, "", 1)
	if commands == typed.String() {
		t.Fatalf("the README's first section does not build assay with %q", build)
	}
	built := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "assay"), "./cmd/assay")
	built.Dir = root
	if out, err := built.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + commands
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
