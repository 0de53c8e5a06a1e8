package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"assay/record"
)

var errLater = errors.New("not in this build")

// A Header is what must be known before a run may begin.
type Header struct {
	RunID          string
	Spec           []byte // spec.yaml as asked
	Plan           []byte // plan.json, canonical JSON
	WorkloadDigest string // the plan's workload identity; empty when it has none
	Tool           Tool
	Redactor       *Redactor // nil means pattern rules only
}

// A Redactor keeps secrets out of a bundle.
type Redactor struct{}

// NewRedactor knows the literal secrets in known and the values of those
// variables of environ ("NAME=value", as os.Environ) whose names look secret.
func NewRedactor(known, environ []string) *Redactor { return &Redactor{} }

// String returns s without secrets.
func (r *Redactor) String(s string) string { return s }

// A Writer fills a bundle and seals it.
type Writer struct{}

// Create makes dir, takes its lock and writes the spec and the plan.
func Create(dir string, h Header) (*Writer, error) { return nil, errLater }

// Dir is the bundle's folder.
func (w *Writer) Dir() string { return "" }

// StartLaunch enters a launch in the ledger and opens its tables.
func (w *Writer) StartLaunch(s LaunchStart) (*Launch, error) { return nil, errLater }

// SetEnvironment records the facts of the machines. Every Set method may be
// called again: the last one counts.
func (w *Writer) SetEnvironment(e record.Environment) error { return errLater }

// SetInputs records what the run used.
func (w *Writer) SetInputs(in Inputs) error { return errLater }

// SetHealth records the client-health block: any value that encodes as JSON.
func (w *Writer) SetHealth(health any) error { return errLater }

// SetClocks records the time bases of the run.
func (w *Writer) SetClocks(clocks []Clock) error { return errLater }

// SetTopology records the digest of the hardware topology.
func (w *Writer) SetTopology(digest string) error { return errLater }

// WriteDerived writes derived/version/name.
func (w *Writer) WriteDerived(version, name string, data []byte) error { return errLater }

// WriteReport writes report/name.
func (w *Writer) WriteReport(name string, data []byte) error { return errLater }

// A SealOptions says how to seal. The zero value seals unsigned.
type SealOptions struct {
	Signer  Signer          // nil means unsigned, and the manifest says so
	Results json.RawMessage // estimates to attest; nil means none
	Checks  []string        // checks that passed, by id
}

// A Signer signs for one key.
type Signer interface {
	Sign(ctx context.Context, data []byte) ([]byte, error)
	Public() PublicKey
}

// A PublicKey is an ed25519 key that may be trusted.
type PublicKey struct{}

// Seal ends the run.
func (w *Writer) Seal(ctx context.Context, status Status, opts SealOptions) (*Manifest, error) {
	return nil, errLater
}

// Abandon gives up the lock and leaves the folder as it is, for Recover.
func (w *Writer) Abandon() error { return errLater }

// A Launch is one open launch of a Writer.
type Launch struct {
	Requests    *Table[record.Request]
	Chunks      *Table[record.Chunk]
	Steps       *Table[record.Step]
	Collectives *Table[record.Collective]
	Samples     *Table[record.Sample]
	Events      *Table[record.Event]
}

// A Table takes the rows of one raw table of one launch.
type Table[T any] struct{}

// Append adds rows. It may be called concurrently; it blocks only when the disk
// cannot keep up, and returns the first error the disk gave.
func (t *Table[T]) Append(rows ...T) error { return errLater }

// Log opens logs/name for writing, line by line without secrets.
func (l *Launch) Log(name string) (io.WriteCloser, error) { return nil, errLater }

// Attach writes a small extra raw file.
func (l *Launch) Attach(name string, data []byte) error { return errLater }

// Close flushes and merges the tables and enters the end in the ledger.
func (l *Launch) Close(end LaunchEnd) error { return errLater }

// A Bundle is a bundle opened for reading, sealed or not.
type Bundle struct {
	Dir      string
	Sealed   bool
	Manifest Manifest // of an unsealed bundle: what is known so far
	Warnings []string
}

// Open reads the bundle in dir.
func Open(dir string) (*Bundle, error) { return nil, errLater }

// Launches lists every launch, failed ones too, by index.
func (b *Bundle) Launches() []LaunchInfo { return nil }

// ReadFile returns one file of the bundle, such as PlanFile.
func (b *Bundle) ReadFile(path string) ([]byte, error) { return nil, errLater }

// Rows streams one table of one launch in the order it was written.
func Rows[T any](b *Bundle, launch int, table string) iter.Seq2[T, error] { return nil }

// Verify checks everything a bundle says about itself.
func Verify(dir string, keys ...PublicKey) (Report, error) { return Report{}, errLater }

// A Report is what Verify found.
type Report struct{}

// Recover seals the bundle of a killed run as partial.
func Recover(ctx context.Context, dir string, opts SealOptions) (*Manifest, error) {
	return nil, errLater
}
