package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/intake"
)

// A Report is what Verify found. Its JSON is part of the command's contract:
// fields are added, never changed.
type Report struct {
	Dir       string    `json:"dir"`
	RunID     string    `json:"runID,omitempty"`
	Status    Status    `json:"status,omitempty"`
	Digest    string    `json:"digest,omitempty"`
	Verified  bool      `json:"verified"`
	Signature Signature `json:"signature"`
	Checks    []Check   `json:"checks"`
	Added     []string  `json:"added,omitempty"` // below derived/ and report/ since sealing: the seal does not cover them, nothing reads them
	Notes     []string  `json:"notes,omitempty"` // worth knowing, nothing wrong
}

// A Check is one thing that was verified. A check over many files is listed once
// when it passes, and once for each file that fails it.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	File   string `json:"file,omitempty"`
	Detail string `json:"detail"`
}

// A Signature says who signed a bundle and whether that means anything yet.
type Signature struct {
	State string `json:"state"`           // one of the states below
	KeyID string `json:"keyID,omitempty"` // of a signed bundle
}

// The states of a signature.
const (
	SignatureNone      = "unsigned"
	SignatureTrusted   = "trusted"   // valid, by a key that was given
	SignatureUntrusted = "untrusted" // valid, by a key nobody vouched for
	SignatureInvalid   = "invalid"
)

// Failures lists the checks that failed.
func (r *Report) Failures() []Check {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(c Check) bool { return c.OK })
}

func (r *Report) pass(name, format string, args ...any) {
	r.Checks = append(r.Checks, Check{Name: name, OK: true, Detail: fmt.Sprintf(format, args...)})
}

func (r *Report) fail(name, file, format string, args ...any) {
	r.Checks = append(r.Checks, Check{Name: name, File: file, Detail: fmt.Sprintf(format, args...)})
}

// Verify checks everything the bundle in dir says about itself: the manifest's
// own bytes, the hash of every file, missing and added files, the digests of
// spec and plan, the ledger, the order of times, the tables and the signatures.
// With keys, one of them must have signed. The error is for a folder that cannot
// be read at all; what is wrong with a bundle is in the Report.
func Verify(dir string, keys ...PublicKey) (Report, error) {
	return VerifyFor(dir, Trust{Required: keys})
}

// VerifyFor is Verify for a reader who trusts some keys without demanding them.
func VerifyFor(dir string, trust Trust) (Report, error) {
	r := Report{Dir: dir, Signature: Signature{State: SignatureInvalid}, Checks: []Check{}}
	text, err := intake.ReadOwn(filepath.Join(dir, ManifestFile), mostManifest)
	var refused *intake.Error
	switch {
	case errors.Is(err, os.ErrNotExist):
		return r, r.unsealed(dir)
	case errors.As(err, &refused) && refused.Err == nil: // a link, a pipe, a size that no manifest has
		r.fail("manifest", ManifestFile, "%s, want %s that was sealed", refused.Got, refused.Want)
		return r, nil
	case err != nil:
		return r, fmt.Errorf("verify: %w", err)
	}
	m, warnings, err := parseManifest(text)
	if err != nil {
		// Nothing else can be judged by a manifest that is not the one written.
		r.fail("manifest", ManifestFile, "%v", err)
		return r, nil
	}
	r.RunID, r.Status, r.Digest = m.RunID, m.Status, m.Digest
	r.Notes = append(warnings, m.Warnings...)
	r.pass("manifest", "format %s, digest %s", m.Format, m.Digest)

	v := verifier{Report: &r, dir: dir, manifest: m, text: text}
	if err := v.all(trust); err != nil {
		return r, err
	}
	r.Verified = len(r.Failures()) == 0
	return r, nil
}

// unsealed tells a run that goes on or was killed, a bundle whose manifest is gone,
// and a folder that never was one.
func (r *Report) unsealed(dir string) error {
	b, err := openDraft(dir)
	if err == nil {
		r.RunID = b.Manifest.RunID
		r.fail("sealed", ManifestFile, "missing: %s", b.Warnings[len(b.Warnings)-1])
		return nil
	}
	var seal *SealError
	if errors.As(err, &seal) {
		r.Checks = append(r.Checks, seal.Seal.Checks...)
		return nil
	}
	return err
}

// A verifier carries out the checks of one sealed bundle.
type verifier struct {
	*Report
	dir      string
	manifest *Manifest
	text     []byte // of the manifest
	root     *os.Root
	intact   map[string]bool // files whose content is as listed
}

func (v *verifier) all(trust Trust) error {
	root, err := os.OpenRoot(v.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	v.root, v.intact = root, map[string]bool{}
	v.files()
	if err := v.strangers(); err != nil {
		return err
	}
	v.digests()
	v.tables()
	v.ledger()
	v.resumed()
	v.times(trust.now())
	v.statements()
	v.signature(trust)
	return nil
}
