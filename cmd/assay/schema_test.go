package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSchema(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, stdout, stderr := executeVerb(t, schemaCommand, "", args...)
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("schema %v: exit code %d, no %q: %s", args, code, want, stderr)
		}
	}
	f(`"$schema": "https://json-schema.org/draft/2020-12/schema"`)
	f(`"title": "WorkloadSpec"`, "jsonschema", "--kind", "WorkloadSpec")
	f("kind: CustomResourceDefinition", "crd")
	f("# BenchmarkRun", "docs")
	f(`"form": "crd"`, "crd", "--json")

	for _, args := range [][]string{{"xml"}, {"crd", "--kind", "workloadspec"}, {"--kind", "pod"}, {"crd", "docs"}, {"crd", "--write", "x"}} {
		if code, _, _ := executeVerb(t, schemaCommand, "", args...); code != exitUsage {
			t.Errorf("schema %v: exit code %d, want 2", args, code)
		}
	}
}

// --write makes the files of the source tree, as they are in it.
func TestSchemaWrite(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := executeVerb(t, schemaCommand, "", "--write", dir, "--json")
	var files []string
	if err := json.Unmarshal([]byte(stdout), &files); code != exitOK || err != nil || len(files) != 13+len(outputs) {
		t.Fatalf("exit code %d, files %v, %v: %s", code, files, err, stderr)
	}
	for _, file := range files {
		got, err1 := os.ReadFile(filepath.Join(dir, file))
		want, err2 := os.ReadFile(filepath.Join("../..", file))
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the tree (%v, %v): run make generate", file, err1, err2)
		}
	}
}
