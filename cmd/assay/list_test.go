package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assay/spec"
)

// Every table is listed, each line says something, and names are distinguished.
func TestList(t *testing.T) {
	for _, l := range listings {
		stdout, stderr, code := call(t, "list", l.name, "--json")
		var rows []listed
		if err := json.Unmarshal([]byte(stdout), &rows); code != exitOK || err != nil {
			t.Fatalf("list %s: exit code %d, %v\n%s", l.name, code, err, stderr)
		}
		if len(rows) < 3 {
			t.Errorf("list %s has %d lines, want at least 3", l.name, len(rows))
		}
		seen := map[listed]bool{}
		for _, row := range rows {
			key := listed{Name: row.Name, Kind: row.Kind}
			if row.Name == "" || row.Doc == "" || seen[key] {
				t.Errorf("list %s: %+v says nothing, or says it twice", l.name, row)
			}
			seen[key] = true
		}
	}
}

// What documents may name as an API is what is listed.
func TestListedTargets(t *testing.T) {
	stdout, _, _ := call(t, "list", "targets")
	for _, api := range spec.Vocabularies["apis"] {
		if !strings.Contains("\n"+stdout, "\n"+api+" ") {
			t.Errorf("assay list targets lacks %s", api)
		}
	}
}

func TestListRefuses(t *testing.T) {
	if _, stderr, code := call(t, "list", "everything"); code != exitUsage || !strings.Contains(stderr, "want one of targets") {
		t.Errorf("exit code %d, want 2 and what may be listed:\n%s", code, stderr)
	}
}

// Every verb has a manual page, and completion knows every verb.
func TestManualAndCompletion(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, code := call(t, "man", dir); code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	known, _, code := call(t, "__complete", "")
	if code != exitOK {
		t.Fatalf("completion: exit code %d", code)
	}
	root := &cobra.Command{}
	addCommands(root, Env{})
	for _, verb := range root.Commands() {
		if verb.Hidden {
			continue // help does not show it either
		}
		name := verb.Name()
		page, err := os.ReadFile(filepath.Join(dir, "assay-"+name+".1"))
		if err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("assay %s has no manual page: %v", name, err)
		}
		if !strings.Contains(known, name+"\t") {
			t.Errorf("completion does not know %s", name)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script, _, code := call(t, "completion", shell); code != exitOK || !strings.Contains(script, "assay") {
			t.Errorf("completion %s: exit code %d, %d bytes", shell, code, len(script))
		}
	}
}
