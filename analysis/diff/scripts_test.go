package diff

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
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
		{"what is no place to listen", env("SLOW_PORT: '400000'"), env("SLOW_PORT: '0.5'"), "server.env.SLOW_PORT", []string{}},
		{"other processors", starts("[engine, serve]"), starts("[taskset, -c, '0', engine, serve]"), "server.command", []string{}},
		{"fewer processors", starts("[taskset, -c, 0-7, engine, serve]"), starts("[taskset, -c, '0', engine, serve]"), "server.command", []string{}},
		{"less time", starts("[engine, serve]"), starts("[nice, -n, '19', engine, serve]"), "server.command", []string{}},
		{"a line of shell", starts("[sh, -c, exec engine serve]"), starts("[sh, -c, sleep 1; exec engine serve]"), "server.command", []string{}},
		{"a script without an ending", starts("[./fast, serve]"), starts("[./slow, serve]"), "server.command", []string{}},
		{"one that a shell is given", starts("[bash, fast]"), starts("[bash, slow]"), "server.command", []string{}},
		{"a variable before the program", starts("[engine, serve]"), starts("[env, DELAY=40, engine, serve]"), "server.command", []string{}},
		{"another folder", starts("[/opt/a/bin/engine, serve]"), starts("[/opt/b/bin/engine, serve]"), "runtime_version", []string{}},
		{"another version", starts("[/opt/engine-0.11/engine-0.11, serve]"), starts("[/opt/engine-0.12/engine-0.12.1, serve]"), "runtime_version", []string{}},
		{"another version on the same processors", starts("[taskset, -c, '0', engine-1, serve]"), starts("[taskset, -c, '0', engine-2, serve]"), "runtime_version", []string{}},
		{"a flag of the server in a wrapper", starts("[nice, engine, serve, --itl, 5ms]"), starts("[nice, engine, serve, --itl, 4ms]"), "runtime_version", []string{}},
		{"another script", starts("[sh, fast.sh]"), starts("[sh, slow.sh]"), "server.script", []string{}},
	}
	for _, tt := range tests {
		variable, rest, ok := Controlled(Bundles(side(t, nil, tt.a...), side(t, nil, tt.b...)), "runtime_version")
		if got := paths(rest); variable != tt.variable || !slices.Equal(got, tt.rest) || ok != (len(tt.rest) == 0) {
			t.Errorf("%s: controlled %q %v %v, want %q and %v", tt.name, variable, got, ok, tt.variable, tt.rest)
		}
	}
}

// Two engines have nothing in common in their commands, and are one difference.
func TestOtherEngines(t *testing.T) {
	const command = `[engine, serve, --port, "8101", --itl, 5ms, --eager]`
	a, b := side(t, nil, command, "[vllm, serve]"), side(t, nil, command, "[python3, launch_server]")
	for s, name := range map[*Side]string{&a: "vllm", &b: "sglang"} {
		s.Manifest.Environment = record.Environment{"server.engine": {Value: name}}
	}
	if variable, rest, ok := Controlled(Bundles(a, b), "runtime_version"); variable != "runtime_version" || !ok {
		t.Errorf("controlled %q, besides %v", variable, paths(rest))
	}
}

// A script that was edited between two runs is another one, whatever it is called.
func TestScriptsByContent(t *testing.T) {
	run := func(script, digest string) Side {
		shell := "sh, "
		if strings.HasSuffix(script, ".py") {
			shell = "python3, "
		}
		s := side(t, nil, `[engine, serve, --port, "8101", --itl, 5ms, --eager]`, "["+shell+script+"]")
		s.Files = []bundle.PackedFile{{Field: "spec.target.server.command", Path: script, Kind: bundle.PackedCode, Digest: digest}}
		return s
	}
	tests := []struct {
		name, script, a, b, variable string
	}{
		{"the same", "start.sh", "sha256:1", "sha256:1", ""},
		{"edited", "start.sh", "sha256:1", "sha256:2", "server.script"},
		{"edited, without an ending", "start", "sha256:1", "sha256:2", "server.script"},
		{"the server itself", "server.py", "sha256:1", "sha256:2", "runtime_version"},
		{"not read on one side", "start.sh", "", "sha256:2", ""},
	}
	for _, tt := range tests {
		if variable, rest, ok := Controlled(Bundles(run(tt.script, tt.a), run(tt.script, tt.b)), "runtime_version"); variable != tt.variable || !ok {
			t.Errorf("%s: controlled %q, besides %v, %v; want %q", tt.name, variable, rest, ok, tt.variable)
		}
	}
}
