package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A LaunchOutcome says how one launch ended.
type LaunchOutcome string

// The outcomes of a launch. All of them stay in the bundle: a run that hides its
// failed launches is not a measurement.
const (
	LaunchCompleted LaunchOutcome = "completed"
	LaunchFailed    LaunchOutcome = "failed"
	LaunchAborted   LaunchOutcome = "aborted"
	LaunchVoided    LaunchOutcome = "voided" // ended well, but must not be judged
)

// A LaunchStart is what is known when a launch begins.
type LaunchStart struct {
	Index   int       // unique within the run; names the folder raw/launch-NN
	Order   int       // position in the order of execution
	Block   int       // which interleaving block it belongs to
	Side    string    // which side of a comparison; empty for a run of one side
	Wall    time.Time // zero means now
	Clock   string    // the Clock.ID its times are on
	EpochNS int64     // what that clock showed at time zero of the launch's records
	Nodes   []string
	Set     int // which of the sets that the hosts were cut into, from 1; 0 where they were not
}

// A LaunchEnd is what is known when a launch is over.
type LaunchEnd struct {
	Outcome LaunchOutcome
	Reason  string    // why, when it did not complete
	Wall    time.Time // zero means now
}

// sitting is how long launches may lie apart that share the hour, the room and the other
// tenants.
const sitting = 24 * time.Hour

// OneSitting says that launches were all begun within a day, so that they know nothing of
// others; false where nobody knows when.
func OneSitting(launches ...LaunchInfo) bool {
	var from, to time.Time
	for _, l := range launches {
		if from.IsZero() || l.Started.Before(from) {
			from = l.Started
		}
		if l.Started.After(to) {
			to = l.Started
		}
	}
	return !from.IsZero() && to.Sub(from) <= sitting
}

// A LaunchInfo is one launch as the ledger describes it.
type LaunchInfo struct {
	Index   int              `json:"launch"`
	Order   int              `json:"order"`
	Block   int              `json:"block"`
	Side    string           `json:"side,omitempty"`
	Clock   string           `json:"clock,omitempty"`
	EpochNS int64            `json:"epochNs,string"`
	Nodes   []string         `json:"nodes,omitempty"`
	Set     int              `json:"set,omitempty"`
	Started time.Time        `json:"started"`
	Ended   time.Time        `json:"ended,omitzero"` // zero while it runs
	Outcome LaunchOutcome    `json:"outcome,omitempty"`
	Reason  string           `json:"reason,omitempty"`
	Rows    map[string]int64 `json:"rows,omitempty"` // per table; missing for a launch that was killed
	From    string           `json:"from,omitempty"` // the run that made it, where it was carried over
}

// A ledgerLine is one line of launches.jsonl. Started lines carry what a
// LaunchStart says, ended lines the launch, the time and the last three fields.
type ledgerLine struct {
	Event   string           `json:"event"` // started or ended
	Launch  int              `json:"launch"`
	Time    time.Time        `json:"time"`
	Order   *int             `json:"order,omitempty"`
	Block   *int             `json:"block,omitempty"`
	Side    string           `json:"side,omitempty"`
	Clock   string           `json:"clock,omitempty"`
	EpochNS *int64           `json:"epochNs,string,omitempty"`
	Nodes   []string         `json:"nodes,omitempty"`
	Set     int              `json:"set,omitempty"`
	Outcome LaunchOutcome    `json:"outcome,omitempty"`
	Reason  string           `json:"reason,omitempty"`
	Rows    map[string]int64 `json:"rows,omitempty"`
	From    string           `json:"from,omitempty"` // of a started line
}

const (
	lineStarted = "started"
	lineEnded   = "ended"
)

// appendLedger adds one line and waits until the disk has it: a launch that was
// begun must be found in the ledger whatever happens next.
func appendLedger(dir string, line ledgerLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, LedgerFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return diskError(path, err)
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil && info != nil {
		// Half a line would spoil the line that follows it.
		err = errors.Join(err, f.Truncate(info.Size()))
	}
	return diskError(path, errors.Join(err, f.Close()))
}

// parseLedger folds the lines of a ledger into launches, in the order they were
// started. whole is the length of the text up to the last complete line: a kill
// can tear the last one.
func parseLedger(text []byte) (launches []LaunchInfo, whole int, err error) {
	at := map[int]int{}
	for number := 1; ; number++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return launches, whole, nil
		}
		var line ledgerLine
		if err := json.Unmarshal(text[whole:whole+end], &line); err != nil {
			return nil, whole, fmt.Errorf("%s line %d: %w", LedgerFile, number, err)
		}
		if launches, err = line.fold(launches, at); err != nil {
			return nil, whole, fmt.Errorf("%s line %d: %w", LedgerFile, number, err)
		}
		whole += end + 1
	}
}

// fold enters line into launches; at holds the place of each launch there.
func (line ledgerLine) fold(launches []LaunchInfo, at map[int]int) ([]LaunchInfo, error) {
	i, known := at[line.Launch]
	switch {
	case line.Event == lineStarted && known:
		return nil, fmt.Errorf("launch %d is started twice", line.Launch+1)
	case line.Event == lineStarted:
		at[line.Launch] = len(launches)
		return append(launches, LaunchInfo{
			Index: line.Launch, Order: deref(line.Order), Block: deref(line.Block), Side: line.Side,
			Clock: line.Clock, EpochNS: deref(line.EpochNS), Nodes: line.Nodes, Set: line.Set, Started: line.Time,
			From: line.From,
		}), nil
	case line.Event != lineEnded:
		return launches, nil // a later minor version may tell more
	case !known:
		return nil, fmt.Errorf("launch %d ends without having been started", line.Launch+1)
	case !launches[i].Ended.IsZero():
		return nil, fmt.Errorf("launch %d ends twice", line.Launch+1)
	}
	l := &launches[i]
	l.Ended, l.Outcome, l.Reason, l.Rows = line.Time, line.Outcome, line.Reason, line.Rows
	return launches, nil
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (o LaunchOutcome) known() bool {
	return o == LaunchCompleted || o == LaunchFailed || o == LaunchAborted || o == LaunchVoided
}
