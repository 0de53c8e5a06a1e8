package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"

	"assay/record"
)

// A Launch is one open launch of a Writer: its tables, logs and attachments.
// All of its methods and tables are safe for concurrent use.
type Launch struct {
	Requests    *Table[record.Request]
	Chunks      *Table[record.Chunk]
	Steps       *Table[record.Step]
	Buckets     *Table[record.Bucket]
	Collectives *Table[record.Collective]
	Memory      *Table[record.Memory]
	Trials      *Table[record.Trial]
	Ranks       *Table[record.Rank]
	Pings       *Table[record.Ping]
	Sessions    *Table[record.SessionStep]
	Samples     *Table[record.Sample]
	Events      *Table[record.Event]
	Asks        *Table[record.Ask]
	Generators  *Table[record.Generator]

	writer *Writer
	index  int
	dir    string

	tables []flusher
	wake   chan struct{} // holds 1: that a block is full is worth telling once
	stop   chan struct{}
	work   sync.WaitGroup // the flusher and the merger

	mu     sync.Mutex
	logs   []*logWriter
	closed bool
}

// A flusher is the drain of a table of any row type.
type flusher interface {
	flush(finish bool)
	end()
	failure() error
	merge() error
}

const (
	// flushEvery is half of the second that a kill may cost.
	flushEvery = 500 * time.Millisecond

	// mergeEvery bounds the small files of a launch that goes on for days: two
	// in a second for each table, for five minutes.
	mergeEvery = 5 * time.Minute
)

func launchDir(index int) string { return fmt.Sprintf("launch-%02d", index) }

// openLaunch makes the launch's folder and starts its flusher, which ends in
// Close.
func openLaunch(w *Writer, s LaunchStart) (*Launch, error) {
	l := &Launch{
		writer: w, index: s.Index, dir: filepath.Join(w.dir, rawDir, launchDir(s.Index)),
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	if err := os.MkdirAll(filepath.Join(l.dir, logsDir), 0o755); err != nil {
		return nil, diskError(l.dir, err)
	}
	o, c := origin{s.Index, s.Clock}, newCleaner(w.redactor)
	l.Requests = addTable(l, Requests, o, c.requests)
	l.Chunks = addTable(l, Chunks, o, c.chunks)
	l.Steps = addTable(l, Steps, o, c.steps)
	l.Buckets = addTable(l, Buckets, o, func([]record.Bucket) {}) // numbers alone
	l.Collectives = addTable(l, Collectives, o, c.collectives)
	l.Memory = addTable(l, Memory, o, c.memory)
	l.Trials = addTable(l, Trials, o, c.trials)
	l.Ranks = addTable(l, Ranks, o, c.ranks)
	l.Pings = addTable(l, Pings, o, c.pings)
	l.Sessions = addTable(l, Sessions, o, c.sessions)
	l.Samples = addTable(l, Samples, o, c.samples)
	l.Events = addTable(l, Events, o, c.events)
	l.Asks = addTable(l, Asks, o, c.asks)
	l.Generators = addTable(l, Generators, o, c.generators)
	l.work.Go(l.run)
	l.work.Go(l.tidy)
	return l, nil
}

// addTable makes a table that the launch's flusher writes.
func addTable[T any](l *Launch, name string, o origin, clean func([]T)) *Table[T] {
	t := newTable[T](name, l.wake)
	l.tables = append(l.tables, &drain[T]{t, clean, segmentWriter[T]{dir: l.dir, table: name, origin: o}})
	return t
}

// run writes what the tables hold until stop is closed, then once more.
func (l *Launch) run() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.wake:
			l.flush(false)
		case <-tick.C:
			l.flush(true)
		case <-l.stop:
			l.flush(true)
			return
		}
	}
}

// tidy merges small segments while the launch goes on, beside the flusher, which
// must not wait for a disk that is slow to take a merged file.
func (l *Launch) tidy() {
	tick := time.NewTicker(mergeEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.merge()
		case <-l.stop:
			return
		}
	}
}

// merge joins small segments of every table. Unmerged ones hold the same rows:
// a failure is worth a warning, no more.
func (l *Launch) merge() {
	for _, t := range l.tables {
		if err := t.merge(); err != nil {
			l.writer.warn(fmt.Sprintf("launch %d: segments stay unmerged: %v", l.index+1, err))
		}
	}
}

func (l *Launch) flush(finish bool) {
	for _, t := range l.tables {
		t.flush(finish)
	}
}

// Log opens the log raw/launch-NN/logs/name. Lines are written without secrets
// as soon as they are complete; Close of the launch closes every log. Opening a
// name again continues that file.
func (l *Launch) Log(name string) (io.WriteCloser, error) {
	if err := l.writer.checkName(name); err != nil {
		return nil, fmt.Errorf("log %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, fmt.Errorf("log %s: launch %d is closed", name, l.index+1)
	}
	p := filepath.Join(l.dir, logsDir, name)
	f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, diskError(p, err)
	}
	w := &logWriter{redactor: l.writer.redactor, file: f}
	l.logs = append(l.logs, w)
	return w, nil
}

// Attach writes raw/launch-NN/name, a small extra file such as the last metrics
// page of a server. An attachment is written once. One that is packed by gzip is
// cleaned of secrets inside.
func (l *Launch) Attach(name string, data []byte) error {
	if err := l.writer.checkName(name); err != nil {
		return fmt.Errorf("attachment %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("attachment %s: launch %d is closed", name, l.index+1)
	}
	p := filepath.Join(l.dir, name)
	if _, err := os.Lstat(p); err == nil {
		return fmt.Errorf("attachment %s: launch %d has one of that name", name, l.index+1)
	}
	if path.Ext(name) == ".gz" {
		var err error
		if data, err = l.writer.redactor.packed(data); err != nil {
			return fmt.Errorf("attachment %s: %w", name, err)
		}
		return writeFile(p, data)
	}
	return writeFile(p, l.writer.redactor.Document(data))
}

// Close writes the rest of the tables, merges their segments and enters the end
// in the ledger. A launch that lost rows cannot be called completed: it is
// entered as failed, and Close returns why.
func (l *Launch) Close(end LaunchEnd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("launch %d is closed already", l.index+1)
	}
	if !end.Outcome.known() {
		return fmt.Errorf("launch %d: outcome %q: want completed, failed, aborted or voided", l.index+1, end.Outcome)
	}
	l.closed = true
	lost := l.halt()
	if lost != nil && end.Outcome != LaunchAborted {
		end.Outcome, end.Reason = LaunchFailed, rowsLost+lost.Error()
	}
	runtime.GC() // the measurement is over; merging need not add to what it left behind
	l.merge()
	rows, err := countRows(l.dir)
	err = errors.Join(lost, err)
	return errors.Join(err, l.writer.endLaunch(l.index, end, rows))
}

// halt ends the flusher and the logs and reports what could not be written.
func (l *Launch) halt() error {
	for _, t := range l.tables {
		t.end()
	}
	close(l.stop)
	l.work.Wait()
	var errs []error
	for _, t := range l.tables {
		errs = append(errs, t.failure())
	}
	for _, w := range l.logs {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// countRows counts what can be read back, table by table.
func countRows(dir string) (map[string]int64, error) {
	rows := map[string]int64{}
	for _, table := range Tables {
		live, _, err := segmentsIn(dir, table.Name)
		if err != nil {
			return nil, err
		}
		for _, s := range live {
			info, err := readFooter(s.path)
			if err != nil {
				return nil, err
			}
			rows[table.Name] += info.rows
		}
	}
	return rows, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// checkName refuses names that would leave their folder, be taken for something
// else on recovery, or tell a secret.
func (w *Writer) checkName(name string) error {
	_, isSegment := parseSegment(name)
	switch {
	case !plainName.MatchString(name) || path.Ext(name) == tmpSuffix || isSegment || name == logsDir:
		return fmt.Errorf("name %q: want letters, digits, dots, dashes and underscores, and neither the suffix %s nor a table's name", w.redactor.String(name), tmpSuffix)
	case w.redactor.String(name) != name:
		return fmt.Errorf("name %q holds a secret: choose another", w.redactor.String(name))
	}
	return nil
}
