package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assay/accuracy/sandbox"
	"assay/tests/whole"
)

// asProgram makes the test binary behave as assay itself, so that tests can
// start, kill and limit a real process.
const asProgram = "ASSAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if status, entered := sandbox.Enter(os.Args); entered {
		os.Exit(status)
	}
	// A process that a server starts has few variables of its own: a verb tells it apart too.
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	// The demo starts its own binary as a server.
	if err := os.Setenv(asProgram, "1"); err != nil {
		panic(err)
	}
	whole.AtOnce(8)
	code := m.Run()
	os.RemoveAll(demoOut())
	os.Exit(code)
}

// program prepares assay as a process of its own.
func program(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.WaitDelay = 0
	return cmd
}

// environ is the environment of a run inside the test. Tests beside it allocate too, so
// the collector is left as it is.
func environ() []string { return append(os.Environ(), "GOGC=100") }

// call runs assay inside the test and returns what it printed and its exit code.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ})
	return out.String(), errs.String(), code
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"help", []string{"--help"}, exitOK, ""},
		{"version", []string{"--version"}, exitOK, ""},
		{"version in short", []string{"-v"}, exitOK, ""},
		{"unknown command", []string{"frobnicate"}, exitUsage, "frobnicate"},
		{"unknown flag", []string{"plan", "--frobnicate"}, exitUsage, "frobnicate"},
		{"no argument", []string{"plan"}, exitUsage, "missing argument: a spec file"},
		{"missing file", []string{"run", "does-not-exist.yaml"}, exitUsage, "does-not-exist.yaml"},
		{"not a bundle", []string{"report", "."}, exitUsage, "not a bundle"},
		{"bad format", []string{"report", "--format", "pdf", "."}, exitUsage, "pdf"},
		{"bad key", []string{"run", "--key", "main.go", "../../examples/minimal.yaml"}, exitUsage, "private key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr, code := call(t, tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, stderr %q; want exit %d and %q", code, stderr, tt.code, tt.stderr)
			}
		})
	}
}

// Every command explains itself.
func TestHelp(t *testing.T) {
	root := &cobra.Command{}
	addCommands(root, Env{Stdout: io.Discard, Stderr: io.Discard, Environ: os.Environ})
	for _, cmd := range root.Commands() {
		if cmd.Short == "" || cmd.Long == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: want a short line without a full stop and a long text, got %q, %q", cmd.Name(), cmd.Short, cmd.Long)
		}
	}
}

// A reader that has seen enough is not a failure.
func TestBrokenPipe(t *testing.T) {
	cmd := program(t.Context(), "plan", "../../examples/minimal.yaml")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Errorf("%v after a closed pipe, want success", err)
	}
}
