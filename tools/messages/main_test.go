package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated keeps what make generate writes equal to what it is written from.
func TestGenerated(t *testing.T) {
	files, err := filepath.Glob("../../*/*/*.proto")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d protobuf files, %v; want at least one", len(files), err)
	}
	for _, path := range files {
		want, err := generate(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(output(path)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what %s gives (%v): run make generate", output(path), path, err)
		}
	}
}

// TestFaultyFile wants the place of a fault, since nobody reads a stack trace to find
// a missing semicolon.
func TestFaultyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.proto")
	if err := os.WriteFile(path, []byte("edition = \"2023\";\nmessage M { string s = 1 }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t.Context(), path); err == nil || !strings.Contains(err.Error(), "x.proto:2:") {
		t.Errorf("error %v, want one that names the line without a semicolon", err)
	}
}
