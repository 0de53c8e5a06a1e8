package judge

import (
	"fmt"

	"assay/bundle"
)

// The beginnings of what faces say about a seal.
const (
	Unsigned    = "UNSIGNED"     // nobody vouches for the bundle
	NotVerified = "NOT VERIFIED" // it is not what was sealed
)

// Signature says who vouches for the bundle, as far as this call has checked it.
func (j *Judgement) Signature() string {
	seal := j.Bundle.Seal
	switch {
	case !j.Bundle.Sealed:
		return Unsigned + " and not sealed"
	case seal == nil || !seal.Verified:
		return NotVerified
	case seal.Signature.State == bundle.SignatureNone:
		return Unsigned
	case seal.Signature.State == bundle.SignatureTrusted:
		return fmt.Sprintf("signed by key %s, which you trust", seal.Signature.KeyID)
	}
	return fmt.Sprintf("signed by key %s, which you have not said you trust (--key)", seal.Signature.KeyID)
}

// Faults lists why the bundle does not verify; none where it does, and none for a
// bundle that is being made.
func (j *Judgement) Faults() (list []string) {
	if j.Bundle.Seal == nil {
		return nil
	}
	for _, c := range j.Bundle.Seal.Failures() {
		list = append(list, c.String())
	}
	return list
}

// Notes says what the reader of a sealed bundle must know about where the figures
// come from.
func (j *Judgement) Notes() (list []string) {
	seal := j.Bundle.Seal
	if seal == nil || !j.Bundle.Sealed {
		return nil
	}
	if j.Source == DerivedAgain && seal.Signature.State != bundle.SignatureNone {
		list = append(list, "these results were derived again from the records: the signature covers the records, not the results")
	}
	if n := len(seal.Added); n > 0 {
		list = append(list, fmt.Sprintf("%d files were added after sealing and not read: %s", n, abridged(seal.Added)))
	}
	return list
}

// abridged names the first few of a list.
func abridged(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
}
