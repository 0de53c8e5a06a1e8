package server

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/openapi.json anew")

// The description in the tree is that of the table, and every reference in it leads
// somewhere.
func TestOpenAPI(t *testing.T) {
	const file = "../docs/reference/openapi.json"
	data, err := json.MarshalIndent(describe(new(Server).interfaceRoutes(), "1"), "", " ")
	must(t, err)
	data = append(data, '\n')
	if *update {
		must(t, os.WriteFile(file, data, 0o644))
	}
	kept, err := os.ReadFile(file)
	must(t, err)
	if string(kept) != string(data) {
		t.Errorf("%s is not what the routes say: go test ./server -run TestOpenAPI -update", file)
	}
	var d struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Scope       string `json:"x-assay-scope"`
			Security    []any
			Responses   map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	must(t, json.Unmarshal(data, &d))
	seen := map[string]bool{}
	for path, operations := range d.Paths {
		for method, op := range operations {
			if seen[op.OperationID] || op.OperationID == "" {
				t.Errorf("%s %s: operation %q is there twice", method, path, op.OperationID)
			}
			seen[op.OperationID] = true
			if (op.Scope != "") != (len(op.Security) == 2) || len(op.Responses) == 0 {
				t.Errorf("%s %s: scope %q, security %v", method, path, op.Scope, op.Security)
			}
			if op.Scope == "" && path != "/healthz" {
				t.Errorf("%s %s is open to everybody", method, path)
			}
		}
	}
	for _, part := range strings.Split(string(data), `"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if d.Components.Schemas[name] == nil {
			t.Errorf("%s is referred to and not described", name)
		}
	}
	if d.OpenAPI != "3.1.0" || len(seen) < 15 {
		t.Errorf("version %s with %d operations", d.OpenAPI, len(seen))
	}
}

// Whatever changes something needs a scope that allows it, and a body has a limit.
func TestTable(t *testing.T) {
	for _, r := range new(Server).table() {
		name := r.Method + " " + r.Path
		open := slices.Contains([]string{"/login", "/login/{issuer}", "/login/{issuer}/callback", "/logout", "/healthz"}, r.Path) || strings.HasPrefix(r.Path, "/assets/")
		switch {
		case r.About == "" || r.Kind == "" || r.Handle == nil:
			t.Errorf("%s lacks a sentence, a kind or a handler", name)
		case r.Scope == "" && !open:
			t.Errorf("%s is open to everybody", name)
		case r.Method != "GET" && r.Scope == "read" && r.Path != "/api/v1/query":
			t.Errorf("%s changes something, and a reader may", name)
		case r.Most > mostChunk:
			t.Errorf("%s takes %d bytes", name, r.Most)
		}
	}
}
