package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"assay/record"
)

// A Header is what must be known before a run may begin.
type Header struct {
	RunID          string
	Spec           []byte // spec.yaml as asked
	Plan           []byte // plan.json, canonical JSON
	Workload       []byte // workload.yaml, the frozen workload that the run keeps; empty where there is none
	WorkloadDigest string // the plan's workload identity; empty when it has none
	Tool           Tool
	Redactor       *Redactor // nil means: secrets by their shape alone
	Created        time.Time // when spec and plan were frozen; zero means now
}

// A Writer fills a bundle and seals it. Its methods are safe for concurrent use.
//
// What the manifest will say is kept in a draft on disk from the first moment,
// so that Recover can seal the bundle of a killed run with all that was known.
type Writer struct {
	dir      string
	redactor *Redactor
	lock     *lock
	begun    time.Time // carries the monotonic clock; see at

	mu     sync.Mutex
	draft  Manifest
	open   map[int]bool
	used   map[int]bool
	sealed bool
}

// ErrTaken says that a folder already holds something, so that no new run can
// have it.
var ErrTaken = errors.New("the folder is taken")

// Create makes dir with the spec and the plan in it and takes its lock. It
// refuses a folder that holds anything: a bundle is one run.
//
// The folder is filled under a hidden name and then renamed: a kill at any
// moment leaves a bundle or none, never half of one.
func Create(dir string, h Header) (*Writer, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("create bundle %s: %w", dir, err)
	}
	parent, name := filepath.Split(filepath.Clean(dir))
	if err := os.MkdirAll(filepath.Clean(parent), 0o755); err != nil {
		return nil, diskError(parent, err)
	}
	hidden, err := os.MkdirTemp(filepath.Clean(parent), "."+name+".new-")
	if err != nil {
		return nil, diskError(parent, err)
	}
	w, err := furnish(hidden, h)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(hidden))
	}
	if err := w.moveTo(dir); err != nil {
		return nil, errors.Join(err, w.lock.leave(), os.RemoveAll(hidden))
	}
	return w, nil
}

// furnish makes a bundle in dir, which nobody else knows.
func furnish(dir string, h Header) (*Writer, error) {
	if err := os.Chmod(dir, 0o755); err != nil { // temporary folders are for their owner alone
		return nil, err
	}
	l, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, redactor: h.Redactor, lock: l, begun: h.created(), open: map[int]bool{}, used: map[int]bool{}}
	if err := w.begin(h); err != nil {
		return nil, errors.Join(err, l.leave())
	}
	return w, nil
}

func (h Header) created() time.Time {
	if h.Created.IsZero() {
		return time.Now()
	}
	return h.Created
}

// moveTo gives the folder its name. The lock goes along: it belongs to the file,
// not to its path.
func (w *Writer) moveTo(dir string) error {
	err := os.Rename(w.dir, dir)
	if errors.Is(err, os.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.ENOTDIR) {
		if holder := locked(dir); holder != "" {
			return fmt.Errorf("bundle %s is in use by %s: %w", dir, holder, ErrTaken)
		}
		return fmt.Errorf("%s is not empty: %w; a run needs a new one, and a killed run is ended by assay recover", dir, ErrTaken)
	}
	if err != nil {
		return diskError(dir, err)
	}
	w.dir, w.lock.path = dir, filepath.Join(dir, lockFile)
	return nil
}

func (h Header) check() error {
	switch {
	case !plainName.MatchString(h.RunID) || h.Redactor.String(h.RunID) != h.RunID:
		return fmt.Errorf("run id %q: want letters, digits, dots, dashes and underscores", h.Redactor.String(h.RunID))
	case len(h.Spec) == 0:
		return errors.New("the spec is empty: want the text of the BenchmarkRun")
	case !json.Valid(h.Plan):
		return errors.New("the plan is not JSON: want the frozen plan in canonical form")
	}
	return nil
}

func (w *Writer) begin(h Header) error {
	spec, plan := w.redactor.Document(h.Spec), w.redactor.Document(h.Plan)
	tool, err := cleaned[Tool](w.redactor, "tool", h.Tool)
	if err != nil {
		return err
	}
	w.draft = Manifest{
		Format: Format, RunID: h.RunID, Created: w.at(w.begun), Tool: tool,
		SpecDigest: digest(spec), PlanDigest: digest(plan), WorkloadDigest: w.redactor.String(h.WorkloadDigest),
		Files: []File{}, Launches: []LaunchInfo{}, Signer: SignerInfo{KeyID: Unsigned},
	}
	if err := w.keepDraft(); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, SpecFile), spec); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, PlanFile), plan); err != nil {
		return err
	}
	if len(h.Workload) > 0 {
		if err := writeFile(filepath.Join(w.dir, WorkloadFile), w.redactor.Document(h.Workload)); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(w.dir, rawDir), 0o755)
}

// at is t as the wall time of Create plus what had passed on the monotonic clock,
// where t carries it: a step of the wall clock during the run must not put its
// end before its start. The zero time means now.
func (w *Writer) at(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Now()
	}
	return w.begun.Round(0).Add(t.Sub(w.begun)).UTC()
}

func (w *Writer) now() time.Time { return w.at(time.Time{}) }

// keepDraft saves the draft. The caller holds mu or is the only user.
func (w *Writer) keepDraft() error {
	text, err := json.Marshal(w.draft)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(w.dir, draftFile), text)
}

// Dir is the bundle's folder.
func (w *Writer) Dir() string { return w.dir }

// StartLaunch enters a launch in the ledger and opens its tables.
func (w *Writer) StartLaunch(s LaunchStart) (*Launch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.sealed:
		return nil, fmt.Errorf("launch %d: the bundle is sealed", s.Index+1)
	case s.Index < 0 || w.used[s.Index]:
		return nil, fmt.Errorf("launch index %d: want one that is not negative and not used before", s.Index)
	}
	s.Side, s.Clock, s.Nodes = w.redactor.String(s.Side), w.redactor.String(s.Clock), slices.Clone(s.Nodes)
	for i, n := range s.Nodes {
		s.Nodes[i] = w.redactor.String(n)
	}
	line := ledgerLine{
		Event: lineStarted, Launch: s.Index, Time: w.at(s.Wall), Order: &s.Order, Block: &s.Block,
		Side: s.Side, Clock: s.Clock, EpochNS: &s.EpochNS, Nodes: s.Nodes, Set: s.Set,
	}
	if err := appendLedger(w.dir, line); err != nil {
		return nil, err
	}
	w.used[s.Index] = true
	l, err := openLaunch(w, s)
	if err != nil {
		end := ledgerLine{Event: lineEnded, Launch: s.Index, Time: w.now(), Outcome: LaunchFailed, Reason: w.redactor.String(err.Error())}
		return nil, errors.Join(err, appendLedger(w.dir, end))
	}
	w.open[s.Index] = true
	return l, nil
}

func (w *Writer) endLaunch(index int, end LaunchEnd, rows map[string]int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, index)
	return appendLedger(w.dir, ledgerLine{
		Event: lineEnded, Launch: index, Time: w.at(end.Wall), Outcome: end.Outcome,
		Reason: w.redactor.String(end.Reason), Rows: rows,
	})
}

func (w *Writer) warn(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.draft.Warnings = append(w.draft.Warnings, w.redactor.String(text))
}

// set changes the draft and saves it.
func (w *Writer) set(change func(*Manifest) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return errors.New("the bundle is sealed")
	}
	if err := change(&w.draft); err != nil {
		return err
	}
	return w.keepDraft()
}

// SetEnvironment records the facts of the machines. Every Set method may be
// called again: the last call counts.
func (w *Writer) SetEnvironment(e record.Environment) error {
	return w.set(func(m *Manifest) (err error) {
		m.Environment, err = cleaned[record.Environment](w.redactor, "environment", e)
		return err
	})
}

// SetNodes records the other hosts that take part.
func (w *Writer) SetNodes(nodes []Node) error {
	return w.set(func(m *Manifest) (err error) {
		m.Nodes, err = cleaned[[]Node](w.redactor, "nodes", nodes)
		return err
	})
}

// SetInputs records what the run used.
func (w *Writer) SetInputs(in Inputs) error {
	return w.set(func(m *Manifest) (err error) {
		m.Inputs, err = cleaned[Inputs](w.redactor, "inputs", in)
		return err
	})
}

// SetHealth records the client-health block: any value that encodes as JSON.
func (w *Writer) SetHealth(health any) error {
	return w.set(func(m *Manifest) (err error) {
		m.Health, err = cleaned[json.RawMessage](w.redactor, "health", health)
		return err
	})
}

// SetClocks records the time bases of the run.
func (w *Writer) SetClocks(clocks []Clock) error {
	return w.set(func(m *Manifest) (err error) {
		m.Clocks, err = cleaned[[]Clock](w.redactor, "clocks", clocks)
		return err
	})
}

// SetTopology records the digest of the hardware topology.
func (w *Writer) SetTopology(digest string) error {
	return w.set(func(m *Manifest) error {
		m.TopologyDigest = w.redactor.String(digest)
		return nil
	})
}

// cleaned copies v by way of JSON, without secrets. Going through JSON finds a
// value that cannot be written now, not when the run is over.
func cleaned[T any](r *Redactor, what string, v any) (clean T, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return clean, fmt.Errorf("%s cannot be kept as JSON: %w", what, err)
	}
	return clean, json.Unmarshal(r.json(text), &clean)
}

// WriteDerived writes derived/version/name, where version names the code that
// made it.
func (w *Writer) WriteDerived(version, name string, data []byte) error {
	if err := w.checkName(version); err != nil {
		return fmt.Errorf("derived version %w", err)
	}
	return w.add(filepath.Join(derivedDir, version), name, data)
}

// WriteScores writes what a scorer said about the answers.
func (w *Writer) WriteScores(scorer string, data []byte) error {
	return w.add(scoresDir, scorer+".json", data)
}

// WriteReport writes report/name.
func (w *Writer) WriteReport(name string, data []byte) error {
	return w.add(reportDir, name, data)
}

func (w *Writer) add(folder, name string, data []byte) error {
	if err := w.checkName(name); err != nil {
		return fmt.Errorf("%s %w", folder, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return fmt.Errorf("%s/%s: the bundle is sealed", folder, name)
	}
	dir := filepath.Join(w.dir, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diskError(dir, err)
	}
	return writeFile(filepath.Join(dir, name), w.redactor.Document(data))
}

// Abandon gives up the lock and leaves the folder as it is, for Recover to seal.
// It is for a run that cannot even be sealed; open launches must be closed first.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return nil
	}
	w.sealed = true
	return w.lock.leave()
}

// openLaunches lists the launches that were not closed.
func (w *Writer) openLaunches() []int {
	var open []int
	for index := range w.open {
		open = append(open, index)
	}
	slices.Sort(open)
	return open
}
