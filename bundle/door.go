package bundle

import (
	"fmt"
	"slices"
	"time"
)

// A Trust is what a reader believes before it looks at a bundle.
type Trust struct {
	// Required keys: one of them must have signed, or the bundle does not verify.
	Required []PublicKey

	// Known keys are trusted where they signed and not missed where they did not.
	Known []PublicKey

	// Now is the time that no bundle may be sealed after; zero asks the clock.
	Now time.Time
}

func (t Trust) now() time.Time {
	if t.Now.IsZero() {
		return time.Now()
	}
	return t.Now
}

// demands reports whether a signature is wanted at all.
func (t Trust) demands() bool { return len(t.Required) > 0 }

// required reports whether id is one of the keys that must have signed.
func (t Trust) required(id string) bool { return hasKey(t.Required, id) }

// trusts reports whether the key called id is one that the reader trusts.
func (t Trust) trusts(id string) bool { return t.required(id) || hasKey(t.Known, id) }

func hasKey(keys []PublicKey, id string) bool {
	return slices.ContainsFunc(keys, func(k PublicKey) bool { return k.ID == id })
}

// OpenVerified opens the bundle in dir and checks everything that it says about
// itself, as Verify does: what was found is the bundle's Seal. This is the door for
// every reader of bundles that somebody else may have touched. A bundle whose
// manifest cannot be believed has nothing to open: that is a *SealError.
func OpenVerified(dir string, trust Trust) (*Bundle, error) {
	seal, err := VerifyFor(dir, trust)
	if err != nil {
		return nil, err
	}
	b, err := Open(dir)
	if err != nil && !seal.Verified {
		return nil, &SealError{seal}
	}
	if err != nil {
		return nil, err
	}
	b.Seal = &seal
	return b, nil
}

// A SealError says that a bundle is not the one that was sealed.
type SealError struct{ Seal Report }

// unbelievable is the error of a bundle whose manifest is not the one that was written.
func unbelievable(dir string, err error) error {
	r := Report{Dir: dir}
	r.fail("manifest", ManifestFile, "%v", err)
	return &SealError{r}
}

// Error names the first file that failed, and how many more did.
func (e *SealError) Error() string {
	failures := e.Seal.Failures()
	if len(failures) == 0 {
		return fmt.Sprintf("%s does not verify", e.Seal.Dir)
	}
	text := fmt.Sprintf("%s does not verify: %s", e.Seal.Dir, failures[0])
	if more := len(failures) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more: assay verify lists them)", more)
	}
	return text
}

// String is the check with the file that it is about.
func (c Check) String() string {
	if c.File == "" {
		return c.Detail
	}
	return c.File + ": " + c.Detail
}

// covers reports whether the manifest lists the file at path with this content.
func (m Manifest) covers(path, sha256 string) bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.Path == path && f.SHA256 == sha256 })
}

// ReadSealed returns the content of a file that the manifest lists, if it is the
// content that was sealed. It hashes the very bytes that it returns, so nobody can
// slip others in between.
func (b *Bundle) ReadSealed(path string) ([]byte, error) {
	data, err := b.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !b.Manifest.covers(path, hexSHA256(data)) {
		return nil, fmt.Errorf("%s is not what was sealed", path)
	}
	return data, nil
}
