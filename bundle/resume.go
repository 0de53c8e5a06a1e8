package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/intake"
	"assay/record"
)

// A Resumption is an interrupted run that this one continues: which of its launches
// were carried over, and what it knew of the machines, so that readers can see what
// has changed since.
type Resumption struct {
	RunID    string       `json:"runID"`
	Digest   string       `json:"digest"` // of its manifest
	Status   Status       `json:"status"` // as it was sealed
	Stopped  time.Time    `json:"stopped"`
	Resumed  time.Time    `json:"resumed"`
	Launches []int        `json:"launches"`           // carried over, with every byte of their records
	Repeated []LaunchInfo `json:"repeated,omitempty"` // cut short, and made again as a whole

	Tool           Tool               `json:"tool"`
	TopologyDigest string             `json:"topologyDigest,omitempty"`
	Environment    record.Environment `json:"environment,omitempty"`
	Inputs         Inputs             `json:"inputs"`
	Health         json.RawMessage    `json:"health,omitempty"`
}

// Interrupted reports whether a launch ended for a reason that is none of the system
// under test: somebody stopped the run, or the disk refused its records. A launch that
// failed otherwise is a result.
func (l LaunchInfo) Interrupted() bool {
	return l.Outcome == LaunchAborted || l.Outcome == LaunchFailed && strings.HasPrefix(l.Reason, rowsLost)
}

// rowsLost begins the reason of a launch whose records could not all be written.
const rowsLost = "rows were lost: "

// CarryOver copies every launch of the sealed bundle from that was not interrupted,
// and records where they come from. What is copied is what was sealed, or nothing is.
func (w *Writer) CarryOver(from *Bundle) error {
	if !from.Sealed {
		return fmt.Errorf("resume %s: it is not sealed", from.Dir)
	}
	m := from.Manifest
	r := Resumption{
		RunID: m.RunID, Digest: m.Digest, Status: m.Status, Stopped: m.Created, Resumed: w.now(), Launches: []int{},
		Tool: m.Tool, TopologyDigest: m.TopologyDigest, Environment: m.Environment, Inputs: m.Inputs, Health: m.Health,
	}
	for _, l := range m.Launches {
		r.Stopped = later(r.Stopped, l.Ended)
		if l.Interrupted() {
			r.Repeated = append(r.Repeated, l)
			continue
		}
		r.Launches = append(r.Launches, l.Index)
	}
	err := w.set(func(draft *Manifest) error {
		draft.Resumed = append(slices.Clone(m.Resumed), r)
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range m.Launches {
		if l.Interrupted() {
			continue
		}
		if err := w.carryLaunch(from, l); err != nil {
			return fmt.Errorf("carry over launch %d of %s: %w", l.Index+1, m.RunID, err)
		}
	}
	return nil
}

// carryLaunch enters one launch of another bundle as it was and copies its files.
func (w *Writer) carryLaunch(from *Bundle, l LaunchInfo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.used[l.Index] {
		return errors.New("this run has that launch already")
	}
	w.used[l.Index] = true
	if l.From == "" {
		l.From = from.Manifest.RunID
	}
	begun := ledgerLine{
		Event: lineStarted, Launch: l.Index, Time: l.Started, Order: &l.Order, Block: &l.Block,
		Side: l.Side, Clock: l.Clock, EpochNS: &l.EpochNS, Nodes: l.Nodes, Set: l.Set, From: l.From,
	}
	if err := appendLedger(w.dir, begun); err != nil {
		return err
	}
	root, err := os.OpenRoot(from.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range from.Manifest.Files {
		if f.Launch == nil || *f.Launch != l.Index {
			continue
		}
		if err := w.copySealed(root, f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return appendLedger(w.dir, ledgerLine{
		Event: lineEnded, Launch: l.Index, Time: l.Ended, Outcome: l.Outcome, Reason: l.Reason, Rows: l.Rows,
	})
}

// copySealed copies one file and hashes the very bytes that it writes, so nobody can
// slip others in between.
func (w *Writer) copySealed(root *os.Root, f File) error {
	in, err := intake.OpenIn(root, filepath.FromSlash(f.Path))
	if err != nil {
		return err
	}
	defer in.Close()
	path := filepath.Join(w.dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return diskError(path, err)
	}
	tmp := path + tmpSuffix
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return diskError(tmp, err)
	}
	hash, _, err := hashOf(io.TeeReader(in, out))
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return diskError(tmp, errors.Join(err, os.Remove(tmp)))
	}
	if hash != f.SHA256 {
		return errors.Join(fmt.Errorf("changed after sealing: SHA-256 is %s, want %s", hash, f.SHA256), os.Remove(tmp))
	}
	return diskError(path, os.Rename(tmp, path))
}

// resumed checks that every launch that another run made is named with that run, and that
// none is named that is not there.
func (v *verifier) resumed() {
	want := map[int]string{}
	for _, r := range v.manifest.Resumed {
		for _, index := range r.Launches {
			if want[index] == "" { // the first run that has it made it
				want[index] = r.RunID
			}
		}
	}
	for _, p := range v.manifest.Parts {
		for _, index := range p.Launches {
			want[index] = p.RunID
		}
	}
	good := true
	for _, l := range v.manifest.Launches {
		if want[l.Index] != l.From {
			good = false
			v.fail("resumed", LedgerFile, "launch %d is said to come from run %q, the manifest names %q", l.Index+1, l.From, want[l.Index])
		}
		delete(want, l.Index)
	}
	for index, run := range want {
		good = false
		v.fail("resumed", ManifestFile, "launch %d was carried over from run %s and is not there", index+1, run)
	}
	if n := len(v.manifest.Resumed); good && n > 0 {
		last := v.manifest.Resumed[n-1]
		v.pass("resumed", "continues run %s (%s), %d launches carried over", last.RunID, last.Digest, len(last.Launches))
	}
	if n := len(v.manifest.Parts); good && n > 0 {
		v.pass("parts", "put together from %d runs on sets of hosts", n)
	}
}
