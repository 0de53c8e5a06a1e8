package main

import (
	"assay/tests/whole"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// shellBlocks are the fenced blocks of a page that are marked sh: examples that
// a reader may paste. Commands that a test cannot run (those that install or
// test everything) stand in blocks marked console.
var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

var (
	portNumbers   = regexp.MustCompile(`\b(?:127\.0\.0\.1|localhost):(\d+)`)
	namedExamples = regexp.MustCompile(`examples/[\w./-]+\.yaml`)
	ports         sync.Map // of port to *sync.Mutex
)

// holdPorts waits until no other page uses a port of the script or of an example
// in it; the returned function lets go of them.
func holdPorts(t *testing.T, script string) func() {
	t.Helper()
	text := script
	for _, name := range namedExamples.FindAllString(script, -1) {
		if example, err := os.ReadFile(filepath.Join("../..", name)); err == nil { // the page may make its own
			text += string(example)
		}
	}
	var numbers []string
	for _, match := range portNumbers.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, match[1])
	}
	slices.Sort(numbers) // one order for all, so that no two wait for each other
	var held []*sync.Mutex
	for _, number := range slices.Compact(numbers) {
		lock, _ := ports.LoadOrStore(number, &sync.Mutex{})
		lock.(*sync.Mutex).Lock()
		held = append(held, lock.(*sync.Mutex))
	}
	return func() {
		for _, lock := range held {
			lock.Unlock()
		}
	}
}

// TestDocs runs every example of the README and the guides, page by page, as one
// script each, with assay on the path.
func TestDocs(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	guides, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := append([]string{"../../README.md"}, guides...)
	bin := t.TempDir()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "assay")); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := shellBlocks.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue // its examples are tested beside the code that they show
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel() // pages mostly wait for what they measure
			var script strings.Builder
			// Servers started with & end with the page.
			script.WriteString("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n")
			for _, block := range blocks {
				script.WriteString(block[1])
			}
			defer holdPorts(t, script.String())()
			dir := t.TempDir()
			if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n--- the script was\n%s", err, out, script.String())
			}
		})
	}
}
