package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"assay/intake"
)

// A Bundle is a bundle opened for reading.
type Bundle struct {
	Dir string

	// Sealed is false for a run that goes on or was killed. Then Manifest says
	// what is known so far and lists no files.
	Sealed   bool
	Manifest Manifest

	// Seal is what verifying found; nil for a bundle that its own maker opened.
	Seal *Report

	// Warnings must be shown with everything that is read from the bundle.
	Warnings []string
}

// ErrNotBundle is a folder, or something else, that nobody has begun a bundle in.
var ErrNotBundle = errors.New("not a bundle")

// Remains names something in dir that only a bundle has, sealed or not; empty where
// there is nothing of that kind.
func Remains(dir string) string {
	for _, name := range []string{ManifestFile, draftFile, AttestationFile, LedgerFile, path.Join(rawDir, launchDir(0))} {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return name
		}
	}
	return ""
}

// TriageFile marks a folder of triage material: what a host looked like at one moment,
// gathered to decide where to look. It is no evidence for anything.
const TriageFile = "triage.json"

// NotBundle says what a folder is that is no bundle.
func NotBundle(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, TriageFile)); err == nil {
		return fmt.Errorf("%s is triage material and %w: it is no evidence, and nothing may be claimed from it; measure with assay run", dir, ErrNotBundle)
	}
	return fmt.Errorf("%s is %w: it has no %s", dir, ErrNotBundle, ManifestFile)
}

// The largest files that are read whole.
const (
	mostManifest = 16 << 20 // some sixty thousand files
	mostLedger   = 64 << 20
	mostFile     = 1 << 30  // a profiler's trace, packed
	mostAdded    = 64 << 20 // derived after sealing
)

// Open reads what the bundle in dir says about itself. It believes the folder, as
// only its own maker may: whoever reads a bundle of others calls OpenVerified.
func Open(dir string) (*Bundle, error) {
	text, err := intake.ReadOwn(filepath.Join(dir, ManifestFile), mostManifest)
	var refused *intake.Error
	switch {
	case errors.Is(err, os.ErrNotExist):
		return openDraft(dir)
	case errors.As(err, &refused) && refused.Err == nil:
		return nil, unbelievable(dir, refused)
	case err != nil:
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	m, warnings, err := parseManifest(text)
	if err != nil {
		return nil, unbelievable(dir, err)
	}
	b := &Bundle{Dir: dir, Sealed: true, Manifest: *m, Warnings: append(warnings, m.Warnings...)}
	if m.Status == Partial {
		b.Warnings = append(b.Warnings, "the run was killed; its bundle was sealed as partial")
	}
	return b, nil
}

// openDraft reads a bundle that has no manifest yet.
func openDraft(dir string) (*Bundle, error) {
	text, err := intake.ReadOwn(filepath.Join(dir, draftFile), mostManifest)
	if errors.Is(err, os.ErrNotExist) {
		if name := Remains(dir); name != "" {
			return nil, unbelievable(dir, fmt.Errorf("missing, though %s of a bundle is there: it was taken away after sealing", name))
		}
		return nil, NotBundle(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	b := &Bundle{Dir: dir}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return nil, fmt.Errorf("open bundle %s: %s: %w", dir, draftFile, err)
	}
	if b.Warnings, err = checkFormat(b.Manifest.Format); err != nil {
		return nil, fmt.Errorf("open bundle %s: %w", dir, err)
	}
	ledger, err := intake.ReadOwn(filepath.Join(dir, LedgerFile), mostLedger)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	launches, whole, err := parseLedger(ledger)
	if err != nil {
		return nil, fmt.Errorf("open bundle %s: %w", dir, err)
	}
	b.Manifest.Launches = launches
	if whole < len(ledger) {
		b.Warnings = append(b.Warnings, "the last line of the ledger is torn")
	}
	if holder := locked(dir); holder != "" {
		b.Warnings = append(b.Warnings, "not sealed: the run goes on, in "+holder)
	} else {
		b.Warnings = append(b.Warnings, "not sealed: the run was killed; assay recover seals what it left")
	}
	return b, nil
}

// parseManifest reads the text of manifest.json and checks it against itself.
func parseManifest(text []byte) (*Manifest, []string, error) {
	var version struct{ Format string }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, nil, fmt.Errorf("not readable: %w", err)
	}
	warnings, err := checkFormat(version.Format)
	if err != nil {
		return nil, nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, fmt.Errorf("not readable: %w", err)
	}
	if want, err := layOut(text); err != nil || !bytes.Equal(text, want) {
		return nil, nil, errors.New("changed after sealing: the bytes are not those that were written")
	}
	if got, err := manifestDigest(text); err != nil || got != m.Digest {
		return nil, nil, fmt.Errorf("changed after sealing: its content has digest %s, it states %s", got, m.Digest)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.Contains(f.Path, `\`) {
			return nil, nil, fmt.Errorf("lists %q, which is outside of the bundle", f.Path)
		}
	}
	return &m, warnings, nil
}

// checkFormat compares the version of a bundle with ours.
func checkFormat(version string) (warnings []string, err error) {
	major, minor, err := parseVersion(version)
	if err != nil {
		return nil, fmt.Errorf("format %q: want a version such as %s", version, Format)
	}
	ourMajor, ourMinor, err := parseVersion(Format)
	switch {
	case err != nil:
		return nil, err
	case major > ourMajor:
		return nil, fmt.Errorf("format %s is later than this assay understands (%s): use the assay that made the bundle, or a later one", version, Format)
	case major < ourMajor:
		return nil, fmt.Errorf("format %s is earlier than this assay reads (%s): use the assay that made the bundle", version, Format)
	case minor > ourMinor:
		return []string{fmt.Sprintf("format %s is later than this assay knows (%s): what was added since is not shown", version, Format)}, nil
	}
	return nil, nil
}

func parseVersion(version string) (major, minor int, err error) {
	a, b, ok := strings.Cut(version, ".")
	if !ok {
		return 0, 0, errors.New("no dot")
	}
	major, errA := strconv.Atoi(a)
	minor, errB := strconv.Atoi(b)
	return major, minor, errors.Join(errA, errB)
}

// Launches lists every launch, failed ones too, in the order they were started.
func (b *Bundle) Launches() []LaunchInfo { return b.Manifest.Launches }

// ReadFile returns the content of one file of the bundle, such as PlanFile. path
// has slashes and is relative to the bundle; it cannot leave it.
func (b *Bundle) ReadFile(path string) ([]byte, error) {
	root, err := os.OpenRoot(b.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return intake.ReadIn(root, filepath.FromSlash(path), b.mostOf(path))
}

// mostOf is how large a file may be that is read whole: as large as it was sealed.
func (b *Bundle) mostOf(path string) int64 {
	if !b.Sealed {
		return mostFile
	}
	for _, f := range b.Manifest.Files {
		if f.Path == path {
			return f.Bytes
		}
	}
	return mostAdded
}

// WriteReport adds report/name to a bundle that may be sealed already, for people:
// the seal does not cover it, and no reader takes figures from it. It never changes a
// file that is there. A nil r knows secrets by their shape alone.
func (b *Bundle) WriteReport(r *Redactor, name string, data []byte) error {
	return b.add(&Writer{dir: b.Dir, redactor: r}, reportDir, name, data)
}

func (b *Bundle) add(w *Writer, folder, name string, data []byte) error {
	data = w.redactor.Document(data)
	old, err := intake.ReadOwn(filepath.Join(b.Dir, folder, name), mostFile)
	switch {
	case err == nil && bytes.Equal(old, data):
		return nil
	case err == nil:
		return fmt.Errorf("%s/%s exists with other content: a bundle's files are not changed; choose another name", folder, name)
	}
	return w.add(folder, name, data)
}
