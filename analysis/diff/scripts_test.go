package diff

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
)

// A setting of the server's environment and its start script are called by their names,
// alone and beside a version; where a server listens is no setting.
func TestSettingsHaveNames(t *testing.T) {
	command := `[engine, serve, --port, "8101", --itl, 5ms, --eager]`
	env := func(settings string) []string { return []string{command, command + ", env: {" + settings + "}"} }
	starts := func(words string) []string { return []string{command, words} }
	tests := []struct {
		name     string
		a, b     []string
		variable string
		rest     []string
	}{
		{"nothing", env("A: '1'"), env("A: '1'"), "", []string{}},
		{"one setting", env("DELAY: '0'"), env("DELAY: '40'"), "server.env.DELAY", []string{}},
		{"a setting that one side has", nil, env("DELAY: '40'"), "server.env.DELAY", []string{}},
		{"two settings", env("A: '0', B: '0'"), env("A: '1', B: '1'"), "", []string{envPath + "A", envPath + "B"}},
		{"a setting and a flag", env("A: '0'"), []string{command, strings.Replace(command, "5ms", "4ms", 1) + ", env: {A: '1'}"}, "runtime_version", []string{envPath + "A"}},
		{"a secret", env("API_KEY: '0'"), env("API_KEY: '1'"), "", []string{}},
		{"a plan that hid it", env("A: '[redacted]'"), env("A: '1'"), "", []string{}},
		{"where it listens", env("ENGINE_PORT: '1'"), env("ENGINE_PORT: '2'"), "runtime_version", []string{}},
		{"another script", starts("[sh, fast.sh]"), starts("[sh, slow.sh]"), "server.script", []string{}},
	}
	for _, tt := range tests {
		variable, rest, ok := Controlled(Bundles(side(t, nil, tt.a...), side(t, nil, tt.b...)), "runtime_version")
		if got := paths(rest); variable != tt.variable || !slices.Equal(got, tt.rest) || ok != (len(tt.rest) == 0) {
			t.Errorf("%s: controlled %q %v %v, want %q and %v", tt.name, variable, got, ok, tt.variable, tt.rest)
		}
	}
}

// A script that was edited between two runs is another one, whatever it is called.
func TestScriptsByContent(t *testing.T) {
	run := func(script, digest string) Side {
		s := side(t, nil, `[engine, serve, --port, "8101", --itl, 5ms, --eager]`, "[sh, "+script+"]")
		s.Files = []bundle.PackedFile{{Field: "spec.target.server.command", Path: script, Kind: bundle.PackedCode, Digest: digest}}
		return s
	}
	tests := []struct {
		name, script, a, b, variable string
	}{
		{"the same", "start.sh", "sha256:1", "sha256:1", ""},
		{"edited", "start.sh", "sha256:1", "sha256:2", "server.script"},
		{"the server itself", "server.py", "sha256:1", "sha256:2", "runtime_version"},
		{"not read on one side", "start.sh", "", "sha256:2", ""},
	}
	for _, tt := range tests {
		if variable, rest, ok := Controlled(Bundles(run(tt.script, tt.a), run(tt.script, tt.b)), "runtime_version"); variable != tt.variable || !ok {
			t.Errorf("%s: controlled %q, besides %v, %v; want %q", tt.name, variable, rest, ok, tt.variable)
		}
	}
}
