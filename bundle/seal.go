package bundle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/intake"
)

// timeFormat is how times are written outside of Go's own JSON.
const timeFormat = time.RFC3339Nano

// SealOptions says how to seal. The zero value seals without a signature, and
// the manifest says so.
type SealOptions struct {
	Signer  Signer          // nil means unsigned
	Results json.RawMessage // the estimates to attest; nil means none
	Claims  json.RawMessage // what may be quoted; nil means that nothing is said
	Checks  []string        // ids of the checks that passed
	Killed  string          // what ended the launches that were running, for Recover; empty means that nobody knows
}

// Seal ends the run: it hashes every file, signs, and writes the manifest last.
// Every launch must have been closed. When Seal fails, the bundle is as it was,
// and it can be tried again.
func (w *Writer) Seal(ctx context.Context, status Status, opts SealOptions) (*Manifest, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return nil, errors.New("the bundle is sealed already")
	}
	if open := w.openLaunches(); len(open) > 0 {
		return nil, fmt.Errorf("seal: launches %v are open: close them first", open)
	}
	for _, text := range []*json.RawMessage{&opts.Results, &opts.Claims} {
		if *text != nil {
			*text = w.redactor.json(*text)
		}
	}
	m := w.draft
	m.Sealed = w.now()
	if err := seal(ctx, w.dir, &m, status, opts); err != nil {
		return nil, err
	}
	w.sealed = true
	return &m, w.lock.remove()
}

// seal completes m from what is on disk and writes it.
func seal(ctx context.Context, dir string, m *Manifest, status Status, opts SealOptions) error {
	if status != Completed && status != Partial && status != Failed && status != Aborted {
		return fmt.Errorf("seal: status %q: want completed, partial, failed or aborted", status)
	}
	m.Status = status
	if err := sweep(dir); err != nil {
		return err
	}
	ledger, err := intake.ReadOwn(filepath.Join(dir, LedgerFile), mostLedger)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	launches, _, err := parseLedger(ledger)
	if err != nil {
		return err
	}
	for _, l := range launches {
		if l.Ended.IsZero() {
			return fmt.Errorf("seal: the ledger holds no end of launch %d, the disk refused it: run assay recover %s", l.Index+1, dir)
		}
	}
	m.Launches = append([]LaunchInfo{}, launches...)
	if m.Files, err = inventory(ctx, dir); err != nil {
		return err
	}
	m.Signer = SignerInfo{KeyID: Unsigned}
	if opts.Signer != nil {
		public := opts.Signer.Public()
		m.Signer = SignerInfo{KeyID: public.ID, PublicKey: public.base64(), Attestations: predicateTypes}
	}
	return publish(ctx, dir, m, opts)
}

// publish writes the attestation, then the manifest, then removes the draft: a
// folder with a manifest is a sealed bundle, whatever happens in between.
func publish(ctx context.Context, dir string, m *Manifest, opts SealOptions) error {
	text, err := m.render()
	if err != nil {
		return err
	}
	if opts.Signer != nil {
		envelopes, err := attest(ctx, m, text, opts)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, AttestationFile), envelopes); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(dir, ManifestFile), text); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, draftFile))
}

// inventory hashes every file of the bundle in the order of their paths.
func inventory(ctx context.Context, dir string) ([]File, error) {
	files := []File{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if outside(rel) {
			return nil
		}
		f, err := describe(path, rel)
		if err != nil {
			return fmt.Errorf("seal %s: %w", rel, err)
		}
		files = append(files, f)
		return nil
	})
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, err
}

// outside reports whether a file has no place in the manifest: the manifest
// itself, the signatures over it, and what only exists while a run goes on.
func outside(rel string) bool {
	switch rel {
	case ManifestFile, AttestationFile, lockFile, draftFile:
		return true
	}
	return strings.HasSuffix(rel, tmpSuffix)
}

// describe hashes one file and waits until the disk has it.
func describe(path, rel string) (File, error) {
	f, err := intake.OpenOwn(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	hash, size, err := hashOf(f)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return File{}, err
	}
	out := File{Path: rel, Role: roleOf(rel), Bytes: size, SHA256: hash}
	if launch, ok := launchOf(rel); ok {
		out.Launch = &launch
	}
	if out.Role == RoleRaw {
		describeTable(path, &out)
	}
	return out, nil
}

func hashOf(r io.Reader) (hash string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// describeTable adds what the footer of a segment says. A segment that cannot
// be read, which only a power cut can leave, is kept and marked.
func describeTable(path string, out *File) {
	s, _ := parseSegment(path)
	out.Table = s.table
	info, err := readFooter(path)
	if err != nil {
		out.Role = RoleDamaged
		return
	}
	out.Rows, out.SchemaVersion = &info.rows, info.schema
}

// roleOf knows what a file is by its place.
func roleOf(rel string) Role {
	parts := strings.Split(rel, "/")
	_, isTable := parseSegment(rel)
	switch {
	case rel == SpecFile:
		return RoleSpec
	case rel == PlanFile:
		return RolePlan
	case rel == LedgerFile:
		return RoleLedger
	case parts[0] == derivedDir:
		return RoleDerived
	case parts[0] == reportDir:
		return RoleReport
	case parts[0] == rawDir && len(parts) == 3 && isTable:
		return RoleRaw
	case parts[0] == rawDir && len(parts) == 4 && parts[2] == logsDir:
		return RoleLog
	}
	return RoleAttachment
}

// launchOf finds the launch in a path such as raw/launch-03/events-00000.parquet.
func launchOf(rel string) (int, bool) {
	var launch int
	rest, ok := strings.CutPrefix(rel, rawDir+"/launch-")
	if !ok {
		return 0, false
	}
	_, err := fmt.Sscanf(rest, "%d/", &launch)
	return launch, err == nil && strings.HasPrefix(rel, rawDir+"/"+launchDir(launch)+"/")
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
