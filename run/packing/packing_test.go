package packing

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
)

// decide is the plan of a run of sessions whose tool is a script, with more of spec.
func decide(t *testing.T, more string) plan.Plan {
	t.Helper()
	text := `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: tools}, spec: {
workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}], session: {tools: [{name: search, command: [sh, tools/search.sh, --key, private.pem]}]}},
target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1]}` + more + `}}`
	doc, faults := spec.Parse("tools.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func script(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tools", "search.sh"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func find(p bundle.Package, kind string) bundle.PackedFile {
	for _, f := range p.Files {
		if f.Kind == kind {
			return f
		}
	}
	return bundle.PackedFile{}
}

// Scripts are copied where they are short and hold no secret; programs and other
// arguments never are.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "echo found\n")
	if err := os.WriteFile(filepath.Join(dir, "private.pem"), []byte("a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	redactor := bundle.NewRedactor([]string{"sesame-open-wide"}, nil)
	f := func(name, more, want string) {
		t.Helper()
		p, copies := Packer{Plan: decide(t, more), Dir: dir, Harmless: redactor.Harmless}.Look(t.Context())
		code := find(p, bundle.PackedCode)
		switch {
		case !strings.HasPrefix(code.Digest, "sha256:"):
			t.Errorf("%s: %+v, want a digest", name, code)
		case want == "" && (code.Copy == "" || len(copies) != 1):
			t.Errorf("%s: %+v was not copied", name, code)
		case want != "" && (code.Copy != "" || len(copies) > 0 || !strings.Contains(code.NoWhy, want)):
			t.Errorf("%s: %+v, want no copy because %q", name, code, want)
		}
		if sh := find(p, bundle.PackedProgram); sh.Path != "sh" || sh.Digest == "" || sh.Copy != "" {
			t.Errorf("%s: the program is %+v", name, sh)
		}
		if len(p.Files) != 2 {
			t.Errorf("%s: %d files, want the program and its script: %+v", name, len(p.Files), p.Files)
		}
	}
	f("a script", "", "")
	f("code is not wanted", ", provenance: {inputs: {code: false}}", "is false")
	f("it does not fit", ", provenance: {inputs: {most: 4B}}", "does not fit")
	script(t, dir, "curl -H 'key: sesame-open-wide'\n")
	f("it holds a secret", "", "secret")
	script(t, dir, strings.Repeat("#", mostScript+1))
	f("it is no script", "", "larger")
}

// What was copied is unpacked where the spec looks for it, and nowhere else.
func TestCompareAndUnpack(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	script(t, here, "echo found\n")
	p := decide(t, "")
	was, copies := Packer{Plan: p, Dir: here, Harmless: func([]byte) bool { return true }}.Look(t.Context())
	outside := bundle.PackedFile{Field: "x", Path: "../escaped", Kind: bundle.PackedData, Digest: "sha256:1", Copy: find(was, bundle.PackedCode).Copy}
	was.Files = append(was.Files, outside)
	b := sealed(t, was, copies)
	state := func() (states []State) {
		is, _ := Packer{Plan: p, Dir: there}.Look(t.Context())
		for _, v := range Compare(was, is) {
			if v.Kind == bundle.PackedCode || v.Kind == bundle.PackedData {
				states = append(states, v.State)
			}
		}
		return states
	}
	if got := state(); got[0] != Missing {
		t.Errorf("before: %v", got)
	}
	listed, ok, err := b.Package()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := Unpack(b, listed, there, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if got := state(); got[0] != Same || got[1] != Missing {
		t.Errorf("after: %v, want the script and nothing outside", got)
	}
	if _, err := os.Stat(filepath.Join(there, "..", "escaped")); err == nil {
		t.Error("a bundle wrote outside of its folder")
	}
	script(t, there, "echo other\n")
	if got := state(); got[0] != Different {
		t.Errorf("another script: %v", got)
	}
}

// sealed is a bundle with a package.
func sealed(t *testing.T, p bundle.Package, copies map[string][]byte) *bundle.Bundle {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	w, err := bundle.Create(dir, bundle.Header{RunID: "run-1", Spec: []byte("kind: BenchmarkRun\n"), Plan: []byte("{}")})
	if err == nil {
		err = w.WritePackage(p, copies)
	}
	if err == nil {
		_, err = w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.OpenVerified(dir, bundle.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Another program is a note; none at all ends a run before it begins.
func TestPrograms(t *testing.T) {
	of := func(digest string) bundle.Package {
		return bundle.Package{Files: []bundle.PackedFile{{Field: "spec.train.command", Path: "train", Kind: bundle.PackedProgram, Digest: digest}}}
	}
	for _, c := range []struct {
		was, is string
		passes  bool
	}{{"sha256:1", "sha256:1", true}, {"sha256:1", "sha256:2", true}, {"sha256:1", "", false}, {"", "", true}} {
		list := Compare(of(c.was), of(c.is))
		if v := list[len(list)-1]; v.Passes() != c.passes {
			t.Errorf("a program %q that is %q now: %+v", c.was, c.is, v)
		}
	}
}

// Files of the kernel, pipes and folders that a stranger names are not waited for.
func TestEndlessFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skipf("mkfifo is missing: %v", err)
	}
	for path, want := range map[string]string{pipe: "it is a pipe", "/dev/zero": "it is a device"} {
		if _, _, err := digest(path); err == nil || reason(err) != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if text, _, err := digest("/proc/kmsg"); err == nil && text != "sha256:"+hex.EncodeToString(sha256.New().Sum(nil)) {
		t.Errorf("of /proc/kmsg something was read: %s", text)
	}
}
