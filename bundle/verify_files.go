package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"assay/intake"
	"assay/unit"
)

// files hashes every listed file, several at a time: it is most of what verifying
// costs.
func (v *verifier) files() {
	var bytes int64
	listed := map[string]bool{}
	faults := v.hashAll()
	for i, f := range v.manifest.Files {
		if listed[f.Path] || outside(f.Path) {
			v.fail("files", f.Path, "must not be listed, or not twice")
			continue
		}
		listed[f.Path] = true
		if role := roleOf(f.Path); f.Role != role && !(f.Role == RoleDamaged && role == RoleRaw) {
			v.fail("files", f.Path, "is listed as %s, its place makes it %s", f.Role, role)
			continue
		}
		if faults[i] != nil {
			v.fail("files", f.Path, "%v", faults[i])
			continue
		}
		v.intact[f.Path] = true
		bytes += f.Bytes
	}
	if len(v.intact) == len(v.manifest.Files) {
		v.pass("files", "%d files, %s, every SHA-256 as sealed", len(v.intact), unit.Format(float64(bytes), unit.Byte))
	}
}

// hashAll says what is wrong with each listed file, in the order of the manifest.
func (v *verifier) hashAll() []error {
	faults := make([]error, len(v.manifest.Files))
	var next atomic.Int64
	var hashing sync.WaitGroup
	for range min(len(faults), runtime.GOMAXPROCS(0)) {
		hashing.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(faults)); i = next.Add(1) - 1 {
				faults[i] = v.file(v.manifest.Files[i])
			}
		})
	}
	hashing.Wait()
	return faults
}

func (v *verifier) file(f File) error {
	path := filepath.FromSlash(f.Path)
	info, err := v.root.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("missing")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("is a %s, want the plain file that was sealed", info.Mode().Type())
	case info.Size() != f.Bytes:
		return fmt.Errorf("has %d bytes, want %d", info.Size(), f.Bytes)
	}
	in, err := intake.OpenIn(v.root, path)
	if err != nil {
		return err
	}
	defer in.Close()
	hash, _, err := hashOf(in)
	if err != nil {
		return err
	}
	if hash != f.SHA256 {
		return fmt.Errorf("changed after sealing: SHA-256 is %s, want %s", hash, f.SHA256)
	}
	return nil
}

// strangers looks for files the manifest does not list. New ones under derived/
// and report/ are later readings of the sealed data: no reader takes figures from
// them, so they are only noted.
func (v *verifier) strangers() error {
	listed := map[string]bool{}
	for _, f := range v.manifest.Files {
		listed[f.Path] = true
	}
	found := 0
	err := fs.WalkDir(v.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || listed[path] {
			return err
		}
		switch {
		case path == ManifestFile, path == AttestationFile: // checked on their own
		case path == lockFile, path == draftFile:
			v.Notes = append(v.Notes, path+" was left behind by a kill after sealing: assay recover removes it")
		case strings.HasPrefix(path, derivedDir+"/"), strings.HasPrefix(path, reportDir+"/"):
			v.Added = append(v.Added, path)
			v.Notes = append(v.Notes, path+" was added after sealing: the seal does not cover it, and assay does not read it")
		default:
			found++
			v.fail("unlisted", path, "not in the manifest: it was added after sealing")
		}
		return nil
	})
	if err == nil && found == 0 {
		v.pass("unlisted", "no file that the manifest does not list")
	}
	return err
}

// digests compares the digests by which others know spec and plan.
func (v *verifier) digests() {
	good := true
	for _, want := range []struct {
		file, digest string
		role         Role
	}{{SpecFile, v.manifest.SpecDigest, RoleSpec}, {PlanFile, v.manifest.PlanDigest, RolePlan}} {
		i := v.index(want.file)
		switch {
		case i < 0:
			good = false
			v.fail("contract", want.file, "not in the manifest: a bundle needs its %s", want.role)
		case "sha256:"+v.manifest.Files[i].SHA256 != want.digest:
			good = false
			v.fail("contract", want.file, "has digest sha256:%s, the manifest freezes %s", v.manifest.Files[i].SHA256, want.digest)
		}
	}
	if good {
		v.pass("contract", "spec and plan are the frozen ones")
	}
}

func (v *verifier) index(path string) int {
	for i, f := range v.manifest.Files {
		if f.Path == path {
			return i
		}
	}
	return -1
}

// tables opens every segment and compares its rows with the manifest.
func (v *verifier) tables() {
	segments, rows, good := 0, int64(0), true
	for _, f := range v.manifest.Files {
		if f.Role == RoleDamaged && v.intact[f.Path] {
			if _, err := readFooter(filepath.Join(v.dir, filepath.FromSlash(f.Path))); err == nil {
				good = false
				v.fail("tables", f.Path, "is listed as damaged, and can be read: its rows are left out for no reason")
			}
			v.Notes = append(v.Notes, f.Path+" could not be read when the bundle was recovered; its rows are lost")
		}
		if f.Role != RoleRaw || !v.intact[f.Path] {
			continue
		}
		info, err := readFooter(filepath.Join(v.dir, filepath.FromSlash(f.Path)))
		switch {
		case err != nil:
			good = false
			v.fail("tables", f.Path, "cannot be read: %v", err)
		case f.Rows == nil || info.rows != *f.Rows:
			good = false
			v.fail("tables", f.Path, "has %d rows, the manifest says %d", info.rows, deref(f.Rows))
		}
		segments, rows = segments+1, rows+info.rows
	}
	if good {
		v.pass("tables", "%d table files open, %d rows as listed", segments, rows)
	}
}
