package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/record"
)

// try runs one command by its constructor and returns its output and exit code.
func try(t *testing.T, command func(Env) *cobra.Command, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := command(Env{Stdout: &out, Stderr: &errs, Environ: os.Environ})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	err := cmd.ExecuteContext(t.Context())
	return out.String() + errs.String(), errorText(err), exitCode(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	return codeOf(err)
}

// smallRun leaves a bundle with one launch, sealed or as a kill leaves it.
func smallRun(t *testing.T, seal bool, signer bundle.Signer) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	w, err := bundle.Create(dir, bundle.Header{RunID: "run-1", Spec: []byte("kind: BenchmarkRun\n"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{})
	if err == nil {
		err = l.Events.Append(record.Event{Name: "ready"})
	}
	if err == nil {
		err = l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted})
	}
	if err == nil && seal {
		_, err = w.Seal(context.Background(), bundle.Completed, bundle.SealOptions{Signer: signer})
	} else if err == nil {
		err = w.Abandon()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestKeygen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	out, _, code := try(t, keygenCommand, "--out", path, "--json")
	var answer struct{ KeyID, Private, Public string }
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != exitOK || answer.Public != path+".pub" {
		t.Fatalf("keygen = %d, %s, %v; want the files as JSON", code, out, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("private key: mode %v, %v; want 0600", info.Mode(), err)
	}
	signer, err := loadSigner(path)
	if err != nil || signer.Public().ID != answer.KeyID {
		t.Errorf("loadSigner: %v, want the key %s", err, answer.KeyID)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, text, code := try(t, keygenCommand, "--out", path); code != exitFailed || !strings.Contains(text, "never overwritten") {
		t.Errorf("keygen over a key: exit %d, %q; want a refusal", code, text)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key was changed (%v)", err)
	}
}

func TestVerify(t *testing.T) {
	key := filepath.Join(t.TempDir(), "k")
	if _, err := newKeyPair(key); err != nil {
		t.Fatal(err)
	}
	signer, err := loadSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	id := signer.Public().ID
	signed, unsigned, killed, changed := smallRun(t, true, signer), smallRun(t, true, nil), smallRun(t, false, nil), smallRun(t, true, signer)
	if err := os.WriteFile(filepath.Join(changed, bundle.SpecFile), []byte("kind: BenchmarkRUN\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"signed, key given", []string{signed, "--key", key + ".pub"}, exitOK, "signed by " + id},
		{"signed, no key given", []string{signed}, exitOK, "signed by " + id + ", key not trusted: pass --key"},
		{"unsigned", []string{unsigned}, exitOK, "UNSIGNED"},
		{"unsigned, key given", []string{unsigned, "--key", key + ".pub"}, exitUnverified, "NOT VERIFIED"},
		{"changed spec", []string{changed}, exitUnverified, "FAILED  files      spec.yaml: changed after sealing"},
		{"not sealed", []string{killed}, exitUnverified, "assay recover"},
		{"not a bundle", []string{t.TempDir()}, exitUsage, "is not a bundle"},
		{"private key", []string{signed, "--key", key}, exitUsage, "not a public key"},
		{"no such key", []string{signed, "--key", "nowhere"}, exitUsage, "nowhere"},
		{"no bundle given", nil, exitUsage, "missing argument: a bundle"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, text, code := try(t, verifyCommand, tt.args...)
			if code != tt.code || !strings.Contains(out+text, tt.want) {
				t.Errorf("exit %d, %s%s; want exit %d and %q", code, out, text, tt.code, tt.want)
			}
		})
	}
	out, _, code := try(t, verifyCommand, changed, "--json")
	var r bundle.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitUnverified || r.Verified || len(r.Failures()) != 1 {
		t.Errorf("--json: exit %d, %v, %s; want exit %d and one failure", code, err, out, exitUnverified)
	}
}

func TestRecoverCommand(t *testing.T) {
	dir := smallRun(t, false, nil)
	out, text, code := try(t, recoverCommand, dir)
	if code != exitOK || !strings.Contains(out, "sealed run run-1 as partial: 1 launches") || !strings.Contains(out, "UNSIGNED") {
		t.Fatalf("exit %d, %s%s; want it sealed as partial", code, out, text)
	}
	if out, _, code := try(t, verifyCommand, dir); code != exitOK || !strings.Contains(out, "(partial)") {
		t.Errorf("verify after recover: exit %d, %s; want a verified partial run", code, out)
	}
	if out, _, code := try(t, recoverCommand, dir); code != exitOK || !strings.Contains(out, "was sealed already") {
		t.Errorf("recover again: exit %d, %s; want it left alone", code, out)
	}
	if _, _, code := try(t, recoverCommand, t.TempDir()); code != exitUsage {
		t.Errorf("recover of no bundle: exit %d, want %d", code, exitUsage)
	}
}
