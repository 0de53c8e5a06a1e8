package bundle

import "testing"

// A run that goes on, or that failed before it was sealed, is looked at too: what it is
// made from counts once it is sealed.
func TestPackageOfADraft(t *testing.T) {
	w := create(t, header())
	check(t, w.WritePackage(Package{Version: PackageVersion, Files: []PackedFile{}}, nil))
	b, err := Open(w.Dir())
	check(t, err)
	if _, listed, err := b.Package(); listed || err != nil {
		t.Errorf("package of a draft: %v, %v; want none", listed, err)
	}
}
