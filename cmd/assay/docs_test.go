package main

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/tests/whole"
)

// shellBlocks are the fenced blocks of a page that are marked sh: examples that
// a reader may paste. Commands that a test cannot run (those that install or
// test everything) stand in blocks marked console.
var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

var loopbackPorts = regexp.MustCompile(`(?:127\.0\.0\.1|localhost):(\d{4,5})\b`)

// ownPorts gives every fixed port that the texts listen on or ask a free one of its
// own, the same in all of them, so that pages run side by side and beside whatever
// else the machine serves.
func ownPorts(t *testing.T, texts map[string]string) {
	t.Helper()
	own := map[string]string{}
	for _, text := range texts {
		for _, match := range loopbackPorts.FindAllStringSubmatch(text, -1) {
			if own[match[1]] == "" {
				_, port, err := net.SplitHostPort(freeAddress(t))
				if err != nil {
					t.Fatal(err)
				}
				own[match[1]] = port
			}
		}
	}
	numbers := regexp.MustCompile(`:\d{4,5}\b`)
	for name, text := range texts {
		texts[name] = numbers.ReplaceAllStringFunc(text, func(port string) string {
			if free := own[port[1:]]; free != "" {
				return ":" + free
			}
			return port
		})
	}
}

// examplesAnd are the files below examples, by their names in the tree, and the script.
func examplesAnd(t *testing.T, script string) map[string]string {
	t.Helper()
	texts := map[string]string{"script": script}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, "examples", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
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
			texts := examplesAnd(t, script.String())
			ownPorts(t, texts)
			dir := t.TempDir()
			for name, text := range texts {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", "script")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n--- the script was\n%s", err, out, texts["script"])
			}
		})
	}
}
