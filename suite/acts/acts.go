// Package acts keeps what people decided about results: that a run is accepted as the
// one to compare with, that a bundle is published, that a node is taken out of service. Each act is a line of a file that
// only grows; it names what it is about by digest and carries the digest of the line
// before, so that a line that was changed, put in between or taken out of the middle is
// noticed. Lines taken off the end are not: keep a copy elsewhere.
//
// The package knows lines and digests. What an act means is for those who read it.
package acts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"assay/intake"
)

// Version is the version of the format of a line.
const Version = "1.0"

// The acts.
const (
	Accepted   = "accepted"   // as the run to compare with
	Promoted   = "promoted"   // to the published package
	Published  = "published"  // quoted outside: what it rests on is kept for good
	Retracted  = "retracted"  // does not count any more
	Superseded = "superseded" // another run counts in its place
	Restored   = "restored"   // counts again
	Cordoned   = "cordoned"   // a node was taken out of service
	Uncordoned = "uncordoned" // it was put back

	// Of an alert: a series that changed at the run whose digest the act has.
	Acknowledged = "acknowledged"     // somebody looks into it
	Fixed        = "fixed"            // the cause is gone
	Dismissed    = "not a regression" // it is meant, or no change at all
	Reopened     = "reopened"         // nobody has decided about it any more
)

// An Act is one decision.
type Act struct {
	Version string    `json:"version"`
	At      time.Time `json:"at"`
	Act     string    `json:"act"`
	Subject string    `json:"subject"` // the run, or the node
	Digest  string    `json:"digest"`  // of what was decided about, as sha256:HEX
	Why     string    `json:"why"`
	By      string    `json:"by,omitempty"`      // who decided, as they say
	Despite []string  `json:"despite,omitempty"` // what spoke against it and was accepted with it
	Instead string    `json:"instead,omitempty"` // digest of the run that counts in its place
	Through string    `json:"through,omitempty"` // the scheduler that was asked to do it
	Parts   []string  `json:"parts,omitempty"`   // of the node: those that are slow, or that were found to be well
	Before  string    `json:"before"`            // digest of the line before; empty for the first
}

// mostBytes is the largest file of acts that is read: a line a day for a thousand years.
const mostBytes = 256 << 20

// Read returns the acts of a file, the oldest first; none where there is no file. A
// file whose lines do not follow from each other is refused.
func Read(path string) ([]Act, error) {
	list, _, err := read(path)
	return list, err
}

func read(path string) (list []Act, last string, err error) {
	data, err := intake.ReadFile(path, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		var act Act
		if err := json.Unmarshal(line, &act); err != nil {
			return nil, "", fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		if act.Before != last {
			return nil, "", fmt.Errorf("%s, line %d does not follow from the line before: somebody changed the file; take it from a copy", path, number)
		}
		last = digest(line)
		list = append(list, act)
	}
	return list, last, nil
}

// Valid refuses an act without a reason.
func (a Act) Valid() error {
	if strings.TrimSpace(a.Why) == "" {
		return errors.New("an act needs a reason: give --why")
	}
	return nil
}

// Append adds an act to a file, which is made where it is missing. An act without a
// reason is refused.
func Append(path string, act Act) error {
	if err := act.Valid(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close() // what was written is synced
	// The next line names this one: two people who decide at once take turns. The
	// kernel gives the lock up when the file is closed.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	_, last, err := read(path)
	if err != nil {
		return err
	}
	act.Version, act.Before = Version, last
	line, err := json.Marshal(act)
	if err != nil {
		return err
	}
	return appendLine(f, append(line, '\n'))
}

// appendLine adds a whole line or none: half a one would spoil the file.
func appendLine(f *os.File, line []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err = errors.Join(err, f.Sync()); err != nil {
		err = errors.Join(err, f.Truncate(info.Size()))
	}
	return err
}

// Digest is that of a file, as acts name it.
func Digest(path string) (string, error) {
	data, err := intake.ReadFile(path, mostBytes)
	if err != nil {
		return "", err
	}
	return digest(data), nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
