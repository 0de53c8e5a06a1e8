package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assay/telemetry/doctor"
)

// runDoctor runs the command and returns what it printed and its exit code.
func runDoctor(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: os.Environ}
	cmd := doctorCommand(env)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // nil would mean the test's own arguments
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	err := cmd.ExecuteContext(context.Background())
	var exit *exitError
	switch {
	case err == nil:
		return out.String(), exitOK
	case errors.As(err, &exit):
		return out.String() + exit.Error(), exit.code
	default:
		return out.String() + err.Error(), exitFailed
	}
}

// hostWith makes a folder with one meminfo in it.
func hostWith(t *testing.T, meminfo string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "proc", "meminfo"), []byte(meminfo), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestDoctor(t *testing.T) {
	swapping := hostWith(t, "MemTotal: 100 kB\nSwapTotal: 2048 kB\nSwapFree: 2048 kB\n")
	fit := hostWith(t, "MemTotal: 100 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"fit", []string{"--root", fit}, exitOK, "fit to measure as far as checked: 0 void"},
		{"swap", []string{"--root", swapping}, exitVerdict, "not fit to measure: 1 void"},
		{"swap in words", []string{"--root", swapping}, exitVerdict, "2.00 MiB of swap is on"},
		{"no such folder", []string{"--root", fit + "/none"}, exitUsage, "want a folder that holds proc"},
		{"no proc in it", []string{"--root", t.TempDir()}, exitUsage, "want a folder that holds proc"},
		{"argument", []string{"now"}, exitUsage, "now"},
		{"flag", []string{"--rot", "/"}, exitUsage, "rot"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, code := runDoctor(t, tt.args...)
			if code != tt.code || !strings.Contains(got, tt.want) {
				t.Errorf("assay doctor %v: exit %d, want %d, with %q in:\n%s", tt.args, code, tt.code, tt.want, got)
			}
		})
	}
}

// The host itself is tried: the line says that programs are held here, or what is
// missing.
func TestDoctorTriesTheSandbox(t *testing.T) {
	got, _ := runDoctor(t)
	want := "ok           sandbox              can generated programs be held in a sandbox: yes"
	if err := holdPrograms(t.Context()); err != nil {
		want = "NOTE         sandbox              " + err.Error()
	}
	if !strings.Contains(got, want) {
		t.Errorf("want %q in:\n%s", want, got)
	}
}

func TestDoctorJSON(t *testing.T) {
	swapping := hostWith(t, "MemTotal: 100 kB\nSwapTotal: 2048 kB\nSwapFree: 2048 kB\n")
	got, code := runDoctor(t, "--json", "--root", swapping)
	var report struct {
		Fit    bool `json:"fit"`
		Checks []struct {
			Check, Asks, Status, Reason string
			Finding                     *struct{ Check, Severity, Message, Why, Fix string }
		} `json:"checks"`
	}
	d := json.NewDecoder(strings.NewReader(got))
	if err := d.Decode(&report); err != nil || code != exitVerdict {
		t.Fatalf("exit %d, %v; want %d and JSON", code, err, exitVerdict)
	}
	if report.Fit || len(report.Checks) != len(doctor.All) {
		t.Errorf("fit %v with %d checks, want unfit with %d", report.Fit, len(report.Checks), len(doctor.All))
	}
	first := report.Checks[1] // after the one about the system itself
	if first.Check != "swap" || first.Status != "finding" || first.Finding == nil || first.Finding.Severity != "void" || first.Finding.Fix == "" {
		t.Errorf("first check is %+v, want the finding of swap", first)
	}
}

// This machine, whatever it is, must be examined without an error.
func TestDoctorHere(t *testing.T) {
	got, code := runDoctor(t)
	if code != exitOK && code != exitVerdict {
		t.Errorf("exit %d, want %d or %d:\n%s", code, exitOK, exitVerdict, got)
	}
	t.Log("\n" + got)
}
