package warehouse

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// mostFound is how many searches the catalogue remembers, the newest ones: some MB, and more
// than a team looks at between two restarts of its server.
const mostFound = 20_000

// freshFinds are searches that the catalogue does not know yet. The zero value is empty.
type freshFinds struct {
	mu   sync.Mutex
	list []find
}

type find struct {
	search memoKey
	answer []byte
}

func (f *freshFinds) add(search memoKey, list []Change) {
	f.putBack([]find{{search, packChanges(list)}})
}

// putBack adds finds, and forgets the oldest where there are too many: nobody may be there
// who can write them down.
func (f *freshFinds) putBack(list []find) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, list...)
	f.list = f.list[max(0, len(f.list)-mostFound):]
}

func (f *freshFinds) take() []find {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}

// A packedChange is what a search says of a change. Numbers are kept by their bits, so that
// what is read is what was found, also where it is no number.
type packedChange struct {
	At     int       `json:"at"`
	State  string    `json:"state"`
	Method string    `json:"method"`
	Bits   [4]uint64 `json:"bits"` // of P, Before, After and Relative
}

func packChanges(list []Change) []byte {
	packed := []packedChange{}
	for _, c := range list {
		p := packedChange{At: c.At, State: c.State, Method: c.Method}
		for i, v := range []float64{c.P, c.Before, c.After, c.Relative} {
			p.Bits[i] = math.Float64bits(v)
		}
		packed = append(packed, p)
	}
	data, err := json.Marshal(packed)
	if err != nil {
		panic(err) // whole numbers and texts can always be written
	}
	return data
}

// unpackChanges are the changes of so many values; false where they cannot be.
func unpackChanges(data []byte, values int) ([]Change, bool) {
	var packed []packedChange
	if err := json.Unmarshal(data, &packed); err != nil {
		return nil, false
	}
	list := []Change{}
	last := 0
	for _, p := range packed {
		if p.At <= last || p.At >= values {
			return nil, false
		}
		last = p.At
		of := func(i int) float64 { return math.Float64frombits(p.Bits[i]) }
		list = append(list, Change{At: p.At, State: p.State, Method: p.Method, P: of(0), Before: of(1), After: of(2), Relative: of(3)})
	}
	return list, true
}

// sealOf belongs to one answer to one search: a row that is damaged, or that stands where
// another belongs, has it not.
func sealOf(search memoKey, answer []byte) []byte {
	sum := sha256.Sum256(append(search[:], answer...))
	return sum[:]
}

// foundBefore is what the catalogue remembers of a search in so many values. Whatever is
// wrong with that, the answer can be found anew.
func (w *Warehouse) foundBefore(ctx context.Context, search memoKey, values int) ([]Change, bool) {
	var answer, seal []byte
	err := w.db.QueryRowContext(ctx, `SELECT answer, seal FROM found_change WHERE search = ?`, search[:]).Scan(&answer, &seal)
	if err != nil || !bytes.Equal(seal, sealOf(search, answer)) {
		return nil, false
	}
	return unpackChanges(answer, values)
}

// Remember writes down in the catalogue which changes were found since the last time, so that
// the next process need not search for them. One who only reads waits for those who write,
// for as long as ctx lasts, and may be one who cannot write there: an error means that
// nothing was written, and no more than that.
func (w *Warehouse) Remember(ctx context.Context) (err error) {
	list := w.fresh.take()
	if len(list) == 0 {
		return nil
	}
	defer func() {
		if err != nil {
			w.fresh.putBack(list)
			err = fmt.Errorf("remember the changes that were found: %w", err)
		}
	}()
	if w.lock != nil {
		return w.writeFinds(ctx, list)
	}
	// Only the file is needed that is there: a folder that is none is not made one.
	lock, err := os.OpenFile(filepath.Join(w.dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := hold(ctx, lock); err != nil {
		return err
	}
	writer := &Warehouse{dir: w.dir}
	if writer.db, err = connect(filepath.Join(w.dir, catalogueFile), "mode=rw", "_pragma=synchronous(FULL)"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	if err := writer.known(ctx); err != nil { // another assay brought it to another version meanwhile
		return err
	}
	return writer.writeFinds(ctx, list)
}

func (w *Warehouse) writeFinds(ctx context.Context, list []find) error {
	return w.inside(ctx, func(tx *sql.Tx) error {
		for _, f := range list {
			if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO found_change (search, answer, seal) VALUES (?, ?, ?)`, f.search[:], string(f.answer), sealOf(f.search, f.answer)); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM found_change WHERE number <= (SELECT max(number) FROM found_change) - ?`, mostFound)
		return err
	})
}
