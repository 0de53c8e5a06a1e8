package bundle

import (
	"os"
	"path/filepath"
	"testing"

	"assay/record"
)

// fuzzTargets are the files whose bytes a fuzzer may choose. Manifest and ledger
// are read before anything is hashed; the table is read through Rows, which does
// not hash.
var fuzzTargets = []string{ManifestFile, LedgerFile, AttestationFile, "raw/launch-00/events-00000.parquet"}

// seedFuzz adds the real bytes of every target, and those bytes harmed.
func seedFuzz(f *testing.F, dir string) {
	for i, name := range fuzzTargets {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data)
		f.Add(uint8(i), data[:len(data)/2])
		f.Add(uint8(i), []byte{})
		for at := 0; at < len(data); at += len(data)/16 + 1 {
			harmed := append([]byte{}, data...)
			harmed[at] ^= 0xff
			f.Add(uint8(i), harmed)
		}
	}
}

// fuzzBundle makes one small signed bundle for all inputs of a fuzz target.
func fuzzBundle(f *testing.F) string {
	dir := filepath.Join(f.TempDir(), "bundle")
	w, err := Create(dir, header())
	if err != nil {
		f.Fatal(err)
	}
	key, err := GenerateKey()
	if err != nil {
		f.Fatal(err)
	}
	l, err := w.StartLaunch(LaunchStart{})
	if err == nil {
		err = l.Events.Append(fill[record.Event](50, 1)...)
	}
	if err == nil {
		err = l.Close(LaunchEnd{Outcome: LaunchCompleted})
	}
	if err == nil {
		_, err = w.Seal(f.Context(), Completed, SealOptions{Signer: key})
	}
	if err != nil {
		f.Fatal(err)
	}
	return dir
}

// replace copies dir with one file's bytes replaced.
func replace(t *testing.T, dir string, which uint8, data []byte) (copied string, changed bool) {
	name := filepath.FromSlash(fuzzTargets[int(which)%len(fuzzTargets)])
	changed = string(readAll(t, filepath.Join(dir, name))) != string(data)
	copied = copyBundle(t, dir)
	check(t, os.WriteFile(filepath.Join(copied, name), data, 0o644))
	return copied, changed
}

// Whatever is in the files, opening and reading gives rows or an error.
func FuzzOpen(f *testing.F) {
	dir := fuzzBundle(f)
	seedFuzz(f, dir)
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		copied, _ := replace(t, dir, which, data)
		b, err := Open(copied)
		if err != nil {
			return
		}
		for _, l := range b.Launches() {
			for _, err := range Rows[record.Event](b, l.Index, Events) {
				if err != nil {
					break
				}
			}
		}
	})
}

// Whatever is in the files, Verify fails for every byte that is not the sealed
// one.
func FuzzVerify(f *testing.F) {
	dir := fuzzBundle(f)
	seedFuzz(f, dir)
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		copied, changed := replace(t, dir, which, data)
		r, err := Verify(copied)
		if verified := err == nil && r.Verified; verified == changed {
			t.Errorf("verified = %v, want %v: %+v", verified, !changed, r.Failures())
		}
	})
}
