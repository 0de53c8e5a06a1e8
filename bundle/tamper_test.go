package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/tests/whole"
)

// Whatever byte of whatever file is changed, Verify fails and names the file: one in
// seven here, every one with make exhaustive.
func TestEveryByte(t *testing.T) {
	whole.Only(t)
	t.Run("signed", func(t *testing.T) {
		t.Parallel()
		key := newKey(t)
		flipAll(t, tiny(t, key), whole.Stride(7), key.Public())
	})
	t.Run("unsigned", func(t *testing.T) {
		t.Parallel()
		flipAll(t, tiny(t, nil), whole.Stride(7))
	})
	t.Run("larger, sampled", func(t *testing.T) {
		t.Parallel()
		key := newKey(t)
		flipAll(t, sealed(t, 20_000, key), 20_011, key.Public())
	})
	t.Run("every table, sampled", func(t *testing.T) {
		t.Parallel()
		flipAll(t, sealed(t, 1, nil), 29)
	})
}

// tiny makes a bundle with a file of every role and as few bytes as may be: each
// of them costs a call of Verify.
func tiny(t *testing.T, signer Signer) string {
	w := create(t, header())
	l := startLaunch(t, w, 0)
	check(t, l.Events.Append(record.Event{Name: "ready"}))
	log, err := l.Log("a.log")
	check(t, err)
	_, err = log.Write([]byte("up\n"))
	check(t, err)
	check(t, l.Attach("a.txt", []byte("1")))
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	check(t, w.WriteDerived("v1", "estimates.json", []byte("{}")))
	check(t, w.WriteReport("r.md", []byte("#")))
	_, err = w.Seal(context.Background(), Completed, SealOptions{Signer: signer})
	check(t, err)
	return w.Dir()
}

// flipAll flips a bit of every step-th byte of every file, one at a time.
func flipAll(t *testing.T, dir string, step int, keys ...PublicKey) {
	if r := verify(t, dir, keys...); !r.Verified {
		t.Fatalf("untouched bundle: %+v", r.Failures())
	}
	for _, name := range allFiles(t, dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		whole := readAll(t, path)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		check(t, err)
		for i := 0; i < len(whole); i += step {
			flipped := []byte{whole[i] ^ 1<<(i%8)}
			_, err := f.WriteAt(flipped, int64(i))
			check(t, err)
			if r := verify(t, dir, keys...); r.Verified || !names(r, name) {
				t.Errorf("%s byte %d of %d: got %+v, want a failure that names the file", name, i, len(whole), r.Failures())
			}
			_, err = f.WriteAt(whole[i:i+1], int64(i))
			check(t, err)
		}
		check(t, f.Close())
	}
	if r := verify(t, dir, keys...); !r.Verified {
		t.Fatalf("bundle put back: %+v", r.Failures())
	}
}

func names(r Report, file string) bool {
	for _, c := range r.Failures() {
		if c.File == file {
			return true
		}
	}
	return false
}

func TestTampering(t *testing.T) {
	key, other := newKey(t), newKey(t)
	dir := sealed(t, 5, key)
	const raw = "raw/launch-00/events-00000.parquet"
	tests := []struct {
		name   string
		change func(dir string) error
		file   string // that must be named
		detail string
	}{
		{"truncated table", func(d string) error { return os.Truncate(filepath.Join(d, raw), 10) }, raw, "has 10 bytes"},
		{"missing table", func(d string) error { return os.Remove(filepath.Join(d, raw)) }, raw, "missing"},
		{"missing spec", func(d string) error { return os.Remove(filepath.Join(d, SpecFile)) }, SpecFile, "missing"},
		{"missing estimates", func(d string) error { return os.Remove(filepath.Join(d, "derived/v1/estimates.json")) }, "derived/v1/estimates.json", "missing"},
		{"added raw file", func(d string) error { return os.WriteFile(filepath.Join(d, "raw/launch-00/more.txt"), nil, 0o644) }, "raw/launch-00/more.txt", "not in the manifest"},
		{"added file at the top", func(d string) error { return os.WriteFile(filepath.Join(d, "x"), nil, 0o644) }, "x", "not in the manifest"},
		{"renamed table", func(d string) error {
			return os.Rename(filepath.Join(d, raw), filepath.Join(d, "raw/launch-00/events-00001.parquet"))
		}, "raw/launch-00/events-00001.parquet", "not in the manifest"},
		{"link instead of a file", func(d string) error {
			path := filepath.Join(d, SpecFile)
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(SpecFile+".real", path))
		}, SpecFile, "want the plain file"},
		{"signature removed", func(d string) error { return os.Remove(filepath.Join(d, AttestationFile)) }, AttestationFile, "missing"},
		{"one statement removed", func(d string) error {
			return rewrite(d, AttestationFile, func(text []byte) []byte { return text[:bytes.IndexByte(text, '\n')+1] })
		}, AttestationFile, "has 1 lines, want 2"},
		{"statements swapped", func(d string) error {
			return rewrite(d, AttestationFile, func(text []byte) []byte {
				first, second, _ := bytes.Cut(text, []byte("\n"))
				return append(bytes.Clone(second), append(first, '\n')...)
			})
		}, AttestationFile, "the manifest names"},
		{"signature of another bundle", func(d string) error {
			other := readAll(t, filepath.Join(sealed(t, 1, key), AttestationFile))
			return rewrite(d, AttestationFile, func([]byte) []byte { return other })
		}, AttestationFile, "is about another manifest"},
		{"manifest removed", func(d string) error { return os.Remove(filepath.Join(d, ManifestFile)) }, ManifestFile, "taken away after sealing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := copyBundle(t, dir)
			check(t, tt.change(d))
			r, err := Verify(d, key.Public())
			if err != nil {
				r.fail("open", "", "%v", err)
			}
			if r.Verified || !fails(r, tt.file, tt.detail) {
				t.Errorf("got %+v, want a failure of %q with %q", r.Failures(), tt.file, tt.detail)
			}
		})
	}
	t.Run("another key", func(t *testing.T) {
		if r := verify(t, dir, other.Public()); r.Verified || !fails(r, AttestationFile, "none of the 1 keys") {
			t.Errorf("got %+v, want a failure", r.Failures())
		}
	})
}

func rewrite(dir, name string, change func([]byte) []byte) error {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(text), 0o644)
}

func fails(r Report, file, detail string) bool {
	for _, c := range r.Failures() {
		if c.File == file && strings.Contains(c.Detail, detail) {
			return true
		}
	}
	return false
}

func TestSignatureStates(t *testing.T) {
	key := newKey(t)
	signed, unsigned := sealed(t, 1, key), sealed(t, 1, nil)
	f := func(dir string, keys []PublicKey, state string, verified bool) {
		t.Helper()
		r := verify(t, dir, keys...)
		if r.Signature.State != state || r.Verified != verified {
			t.Errorf("got %s, verified %v (%+v); want %s, %v", r.Signature.State, r.Verified, r.Failures(), state, verified)
		}
	}
	f(signed, []PublicKey{key.Public()}, SignatureTrusted, true)
	f(signed, []PublicKey{newKey(t).Public(), key.Public()}, SignatureTrusted, true)
	f(signed, nil, SignatureUntrusted, true)
	f(signed, []PublicKey{newKey(t).Public()}, SignatureUntrusted, false)
	f(unsigned, nil, SignatureNone, true)
	f(unsigned, []PublicKey{key.Public()}, SignatureNone, false)
}

// Later readings of a sealed bundle are noted, and cannot change what is there.
func TestAddedAfterSealing(t *testing.T) {
	dir := sealed(t, 1, nil)
	b, err := Open(dir)
	check(t, err)
	check(t, os.MkdirAll(filepath.Join(dir, "derived", "v2"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "derived", "v2", "estimates.json"), []byte("{}"), 0o644))
	check(t, b.WriteReport(nil, "more.html", []byte("<p>")))
	check(t, b.WriteReport(nil, "more.html", []byte("<p>")))
	if err := b.WriteReport(nil, "more.html", []byte("<b>")); err == nil {
		t.Error("changing a report that is there: got no error")
	}
	r := verify(t, dir)
	if !r.Verified || len(r.Added) != 2 || len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "derived/v2/estimates.json was added after sealing") {
		t.Errorf("got verified %v, notes %q; want true and a note for each added file", r.Verified, r.Notes)
	}
}

// doctor rewrites a manifest as a forger who knows the format would, with all
// digests right. It is what the checks behind the digests are for.
func doctor(t *testing.T, dir string, change func(map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, ManifestFile)
	var m map[string]any
	check(t, json.Unmarshal(readAll(t, path), &m))
	change(m)
	text, err := json.Marshal(m)
	check(t, err)
	m["digest"], err = manifestDigest(text)
	check(t, err)
	text, err = json.Marshal(m)
	check(t, err)
	text, err = layOut(text)
	check(t, err)
	check(t, os.WriteFile(path, text, 0o644))
}

func TestDoctored(t *testing.T) {
	dir := sealed(t, 3, nil)
	launch := func(m map[string]any) map[string]any { return m["launches"].([]any)[0].(map[string]any) }
	file := func(m map[string]any, path string) map[string]any {
		for _, f := range m["files"].([]any) {
			if f := f.(map[string]any); f["path"] == path {
				return f
			}
		}
		t.Fatalf("no file %s in the manifest", path)
		return nil
	}
	tests := []struct {
		name   string
		change func(map[string]any)
		file   string
		detail string
	}{
		{"another plan digest", func(m map[string]any) { m["planDigest"] = digest(nil) }, PlanFile, "the manifest freezes"},
		{"launch hidden", func(m map[string]any) { m["launches"] = []any{} }, LedgerFile, "other launches"},
		{"outcome changed", func(m map[string]any) { launch(m)["outcome"] = "voided" }, LedgerFile, "other launches"},
		{"rows changed", func(m map[string]any) { file(m, "raw/launch-00/steps-00000.parquet")["rows"] = 4 }, "raw/launch-00/steps-00000.parquet", "has 3 rows, the manifest says 4"},
		{"sealed before it began", func(m map[string]any) { m["sealed"] = "2000-01-01T00:00:00Z" }, ManifestFile, "before launch 1 ended"},
		{"frozen after the launch", func(m map[string]any) { m["created"] = time.Now().Add(time.Hour) }, ManifestFile, "before spec and plan were frozen"},
		{"sealed in the future", func(m map[string]any) { m["sealed"] = time.Now().Add(time.Hour).UTC() }, ManifestFile, "and now it is"},
		{"another run id", func(m map[string]any) { m["runID"] = "run-2" }, ManifestFile, "its environment of run run-1"},
		{"fewer requests than were begun", func(m map[string]any) {
			m["health"] = map[string]any{"balance": map[string]any{"begun": 416, "lost": 6}}
		}, ManifestFile, "counts 410 requests begun, and the tables hold 3"},
		{"file listed twice", func(m map[string]any) {
			m["files"] = append(m["files"].([]any), file(m, SpecFile))
		}, SpecFile, "not twice"},
		{"path out of the bundle", func(m map[string]any) { file(m, SpecFile)["path"] = "../spec.yaml" }, ManifestFile, "outside of the bundle"},
		{"later major version", func(m map[string]any) { m["format"] = "2.0" }, ManifestFile, "use the assay that made the bundle"},
		{"no version", func(m map[string]any) { delete(m, "format") }, ManifestFile, "want a version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := copyBundle(t, dir)
			doctor(t, d, tt.change)
			if r := verify(t, d); r.Verified || !fails(r, tt.file, tt.detail) {
				t.Errorf("got %+v, want a failure of %s with %q", r.Failures(), tt.file, tt.detail)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	dir := sealed(t, 1, nil)
	doctor(t, dir, func(m map[string]any) { m["format"], m["colour"] = "1.9", map[string]any{"new": true} })
	b, err := Open(dir)
	check(t, err)
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "format 1.9 is later") {
		t.Errorf("later minor version: warnings %q, want one that says so", b.Warnings)
	}
	if r := verify(t, dir); !r.Verified || len(r.Notes) != 1 {
		t.Errorf("later minor version: got %+v, notes %q; want verified with a note", r.Failures(), r.Notes)
	}
	doctor(t, dir, func(m map[string]any) { m["format"] = "2.0" })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "use the assay that made the bundle") {
		t.Errorf("later major version: got %v, want a refusal with advice", err)
	}
}

// The manifest must be found changed even when the change keeps it valid JSON
// that decodes to the same values.
func TestManifestHasOneForm(t *testing.T) {
	dir := sealed(t, 1, nil)
	path := filepath.Join(dir, ManifestFile)
	whole := readAll(t, path)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, change := range []func([]byte) []byte{
		func(b []byte) []byte { return append(b, ' ') },
		func(b []byte) []byte { return bytes.Replace(b, []byte(`"runID"`), []byte(`"RunID"`), 1) },
		func(b []byte) []byte { return bytes.Replace(b, []byte(`: `), []byte(`:  `), 1+rng.IntN(3)) },
		func(b []byte) []byte { return bytes.Replace(b, []byte("run-1"), []byte(`\u0072un-1`), 1) },
		func(b []byte) []byte { return bytes.Replace(b, []byte("{\n"), []byte("{\n  \"a\": 1,\n"), 1) },
	} {
		changed := change(bytes.Clone(whole))
		if bytes.Equal(changed, whole) {
			t.Fatal("the change changed nothing")
		}
		check(t, os.WriteFile(path, changed, 0o644))
		if r := verify(t, dir); r.Verified || !names(r, ManifestFile) {
			t.Errorf("got %+v, want a failure of %s", r.Failures(), ManifestFile)
		}
	}
}

// What a file is follows from its place: a table that is called a log is not read, and
// one that is called damaged is left out, so neither may be said of a table that is
// whole. Whoever changes the manifest of an unsigned bundle can hash it again.
func TestRolesFollowPlaces(t *testing.T) {
	dir := tiny(t, nil)
	f := func(role Role, want string) {
		t.Helper()
		d := copyBundle(t, dir)
		text := readAll(t, filepath.Join(d, ManifestFile))
		var m Manifest
		check(t, json.Unmarshal(text, &m))
		for i := range m.Files {
			if m.Files[i].Role == RoleRaw {
				m.Files[i].Role = role
			}
		}
		text, err := m.render()
		check(t, err)
		check(t, os.WriteFile(filepath.Join(d, ManifestFile), text, 0o644))
		if r := verify(t, d); r.Verified || !fails(r, "raw/launch-00/events-00000.parquet", want) {
			t.Errorf("as %s: got %+v, want %q", role, r.Failures(), want)
		}
	}
	f(RoleLog, "is listed as log, its place makes it raw")
	f(RoleAttachment, "is listed as attachment, its place makes it raw")
	f(RoleDamaged, "is listed as damaged, and can be read")
}
