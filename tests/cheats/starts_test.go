package cheats

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/whole"
)

// TestSlowStarts measures a baseline that is made slow by how it is started. The comparison
// calls what differs by its name; another version of the program is the runtime's.
func TestSlowStarts(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		noError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		noError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
		return path
	}
	slow := "export " + programWait + "=12\n"
	fast, slower := script("fast", "exec "+os.Args[0]), script("slow", slow+"exec "+os.Args[0])
	wrapper := script("nice", slow+`exec "$@"`)
	older, newer := script("engine-0.11.0/engine", "exec "+os.Args[0]), script("engine-0.12.0/engine", "exec "+os.Args[0])
	tests := []struct {
		name                string
		baseline, candidate string // what is started
		env                 string // of the baseline
		variable            string
	}{
		{"by a variable", os.Args[0], os.Args[0], ", " + programWait + ": '12'", "server.env." + programWait},
		{"by a script without an ending", slower, fast, "", "server.command"},
		{"by a script that a shell is given", "sh, " + slower, "sh, " + fast, "", "server.command"},
		{"by a line of shell", "sh, -c, " + slower, "sh, -c, " + fast, "", "server.command"},
		{"by a wrapper", wrapper + ", " + os.Args[0], os.Args[0], "", "server.command"},
		{"by another folder of the same program", older, newer, "", "runtime_version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made := func(command, env string) string {
				return measureAt(t, "", []string{
					fmt.Sprintf("  target: {model: words, api: command, server: {command: [%s], env: {%s: '1'%s}, ready: {timeout: 1m}}}", command, programSpeed, env), "  seed: 7",
				})
			}
			got := program.Run(t, "", "compare", made(tt.baseline, tt.env), made(tt.candidate, ""))
			if want := "CONTROLLED, only " + tt.variable + " differs"; !strings.Contains(got.Stdout, want) {
				t.Errorf("want %q\n%.3000s", want, got.Text())
			}
		})
	}
}
