// Package worker is how assay talks to the processes that measure for it: ranks of
// a training job, of a collective, or a probe of an accelerator.
//
// A worker dials the controller, and each proves to the other that it knows a one-time
// token, which is never sent; both then send one JSON object a line. Times are integer nanoseconds of the worker's own
// CLOCK_MONOTONIC; the controller puts them on the launch's clock. What a worker
// sends it also writes to a file of its own, so that a controller that is gone loses
// nothing. Nobody writes inside a timed region.
//
// The package knows lines, clocks and signs of life. It does not know what is
// measured (packages train and probe) nor how processes are started (package
// launch). docs/reference/worker-protocol.md has the protocol in words;
// testdata/ has transcripts that the Python side is held against too.
package worker

import (
	"encoding/json"

	"assay/plan"
	"assay/record"
)

// ProtocolVersion is field v of every line. A side that meets another major
// version refuses it; unknown fields and types of line are kept and skipped.
const ProtocolVersion = 2

// The environment of a worker.
const (
	EnvController = "ASSAY_CTRL"  // host:port, or unix:PATH
	EnvToken      = "ASSAY_TOKEN" // one-time; it is proved, never sent
	EnvOut        = "ASSAY_OUT"   // folder of the file of each rank, rank-%05d.jsonl
	EnvRun        = "ASSAY_RUN"   // the run's id

	EnvInterface = "ASSAY_IFNAME" // network interface that ranks talk over; optional
	EnvAddress   = "ASSAY_ADDR"   // address at which peers reach this rank; optional

	EnvBackend = "ASSAY_BACKEND" // of the points to come, so that the greeting can tell; optional
	EnvDevice  = "ASSAY_DEVICE"  // likewise: auto, cpu or cuda
)

// The types of line.
const (
	Challenge = "challenge" // c→w: a nonce, first of all
	Hello     = "hello"     // w→c: who it is, with a nonce and a proof
	Welcome   = "welcome"   // c→w: the controller's proof
	PingT     = "ping"      // c→w: t1
	PongT     = "pong"      // w→c: t1, t2, t3
	PlanT     = "plan"      // c→w: one point to measure
	Barrier   = "barrier"   // w→c: the phase that it has reached
	Go        = "go"        // c→w: everybody has reached it
	StepT     = "step"      // w→c: one training step, with its buckets
	BucketT   = "bucket"    // w→c: one bucket exchanged without computation
	CollT     = "coll"      // w→c: one collective
	MemT      = "mem"       // w→c: its memory
	TrialT    = "trial"     // w→c: one replicate of a probe
	CheckT    = "check"     // w→c: what a comparison with a reference said
	SysT      = "sys"       // w→c: readings beside the run
	FileT     = "file"      // w→c: a file that it made, such as a trace, to be kept
	NoteT     = "note"      // w→c: what a person should know
	Beat      = "hb"        // w→c: a sign of life, each second
	ErrT      = "err"       // w→c: why it cannot go on
	End       = "end"       // w→c: the last line of a point ("point") or of the worker ("bye")
	Quit      = "quit"      // c→w: nothing more to do
)

// A Line is one message. Only the fields of its type are set.
type Line struct {
	T    string `json:"t"`
	V    int    `json:"v"`
	Run  string `json:"run,omitempty"`
	Rank int    `json:"rank"`
	Seq  int64  `json:"seq"`  // counts the lines of a rank from 0; a gap is a loss
	Mono int64  `json:"mono"` // CLOCK_MONOTONIC of the sender, ns

	Nonce string     `json:"nonce,omitempty"` // of challenge and hello
	Proof string     `json:"proof,omitempty"` // of hello and welcome
	Hello *HelloLine `json:"hello,omitempty"`

	T1 int64 `json:"t1,omitempty"`
	T2 int64 `json:"t2,omitempty"`
	T3 int64 `json:"t3,omitempty"`

	Point *plan.Point `json:"point,omitempty"` // of a plan
	World *WorldLine  `json:"world,omitempty"` // of a plan
	Phase string      `json:"phase,omitempty"` // of barrier, go, hb and end

	// Records of ranks. Their times are those of the worker's own clock; the keys are
	// the column names of the raw tables without the suffix _ns.
	Step   *StepLine   `json:"step,omitempty"`
	Bucket *BucketLine `json:"bucket,omitempty"`
	Coll   *CollLine   `json:"coll,omitempty"`
	Mem    *MemLine    `json:"mem,omitempty"`
	Trial  *TrialLine  `json:"trial,omitempty"`
	Check  *CheckLine  `json:"check,omitempty"`
	Sys    *SysLine    `json:"sys,omitempty"`
	File   *FileLine   `json:"file,omitempty"`

	Text    string `json:"text,omitempty"`     // of err and note
	Kind    string `json:"kind,omitempty"`     // of err: communication, out_of_memory, wrong_answer, setup, internal
	Coll0   *int64 `json:"coll_seq,omitempty"` // of hb and err: number of the last collective begun
	At      int64  `json:"step_no,omitempty"`  // of hb: the step under way
	Dropped int64  `json:"dropped,omitempty"`  // of end: lines that did not fit the buffer
	Lines   int64  `json:"lines,omitempty"`    // of end: lines sent, this one included
	SHA256  string `json:"sha256,omitempty"`   // of end bye: of the rank's own file up to this line

	// Extra holds the fields that this version does not know.
	Extra map[string]json.RawMessage `json:"-"`
}

// A HelloLine is what a worker says of itself.
type HelloLine struct {
	LocalRank int               `json:"local_rank"`
	NodeRank  int               `json:"node_rank"`
	World     int               `json:"world"`
	Listen    string            `json:"listen,omitempty"` // host:port at which its peers reach it
	Host      string            `json:"host"`
	PID       int64             `json:"pid"`
	BootID    string            `json:"boot_id"`
	TimeNS    string            `json:"time_namespace"`
	WallNS    int64             `json:"wall_ns"`
	Backend   string            `json:"backend"`
	Device    string            `json:"device"`
	DeviceID  string            `json:"device_id,omitempty"`
	Library   string            `json:"library"`                // torch 2.11.0, or assay VERSION
	CommLib   string            `json:"comm_library,omitempty"` // such as NCCL 2.28.9
	Driver    string            `json:"driver,omitempty"`
	Launcher  string            `json:"launcher,omitempty"` // whose environment it was found in
	Affinity  []int             `json:"affinity,omitempty"`
	NUMA      *int              `json:"numa,omitempty"`
	Env       map[string]string `json:"env,omitempty"` // what tunes the libraries: NCCL_*, GLOO_*, OMP_*, TORCH_*
}

// A WorldLine is where a rank stands among its peers; it comes with every plan.
type WorldLine struct {
	Ranks   int      `json:"ranks"`
	Master  string   `json:"master"`          // host:port of the rendezvous of rank 0
	Peers   []string `json:"peers,omitempty"` // host:port of every rank, for the native backend
	Timeout int64    `json:"timeout"`         // ns after which a collective that hangs is given up
	Seed    int64    `json:"seed"`            // of the launch
	Turns   []int    `json:"turns,omitempty"` // of every rank at a probe: those of one machine follow each other, from 0
}

// A StepLine is one training step. Phases are [begin, end] on the clock that
// Clock names.
type StepLine struct {
	Point   int              `json:"point"`
	Step    int64            `json:"step"`
	Phase   record.Phase     `json:"phase"`
	Begin   int64            `json:"begin"`
	End     int64            `json:"end"`
	Ph      map[string]Span  `json:"ph"`             // host, data, h2d, forward, backward, optimizer: [first begin, last end] of the step's last micro-batch
	Took    map[string]int64 `json:"took,omitempty"` // the same phases summed over micro-batches, where there are several, or by device events
	Buckets []BucketLine     `json:"buckets,omitempty"`
	Comm    *int64           `json:"comm,omitempty"`    // by device events
	Exposed *int64           `json:"exposed,omitempty"` // by device events
	GPUBusy *int64           `json:"gpu_busy,omitempty"`
	Synced  bool             `json:"synced"`
	Samples int64            `json:"samples"`
	Tokens  int64            `json:"tokens"`
	Loss    *float64         `json:"loss"` // null and NotFinite for NaN and infinities
	NotFin  bool             `json:"not_finite,omitempty"`
	GradSum *float64         `json:"gradient_sum,omitempty"`
	ParSum  *float64         `json:"parameter_sum,omitempty"`
	Clock   string           `json:"clock"`
	Pause   *int64           `json:"pause,omitempty"` // what the trainer did since the step before
	Save    *int64           `json:"save,omitempty"`  // saving a checkpoint after the step
}

// A Span is a begin and an end.
type Span [2]int64

// A BucketLine is one gradient bucket. Inside of a step its point and step are the
// step's.
type BucketLine struct {
	Point int   `json:"point,omitempty"`
	Step  int64 `json:"step,omitempty"`
	I     int   `json:"i"`
	Bytes int64 `json:"b"`
	Ready int64 `json:"ready"`
	End   int64 `json:"end"`
	Alone bool  `json:"alone,omitempty"`
}

// A CollLine is one collective.
type CollLine struct {
	Point     int          `json:"point"`
	It        int64        `json:"it"` // number of the collective in the world, from 0: equal on all ranks
	Phase     record.Phase `json:"phase"`
	Op        string       `json:"op"`
	Algorithm string       `json:"algorithm"`
	Bytes     int64        `json:"bytes"`
	DataType  string       `json:"data_type"`
	N         int          `json:"n"`
	InPlace   bool         `json:"in_place"`
	T0        int64        `json:"t0"`
	T1        int64        `json:"t1"`
	Wrong     int64        `json:"wrong"`
	Checked   bool         `json:"checked"`
	Peer      *int         `json:"peer,omitempty"`
	Chunks    int          `json:"chunks,omitempty"`
	Emulated  string       `json:"emulated,omitempty"`
	Protocol  string       `json:"protocol,omitempty"`
	Setting   string       `json:"setting,omitempty"`
	Clock     string       `json:"clock"`
}

// A MemLine is a reading of a rank's memory.
type MemLine struct {
	Point         int    `json:"point"`
	At            int64  `json:"at"`
	Device        string `json:"device"`
	Outcome       string `json:"outcome"` // ok or out_of_memory
	Parameters    *int64 `json:"parameters,omitempty"`
	Gradients     *int64 `json:"gradients,omitempty"`
	Optimizer     *int64 `json:"optimizer,omitempty"`
	Activations   *int64 `json:"activations,omitempty"`
	PeakAllocated *int64 `json:"peak_allocated,omitempty"`
	PeakActive    *int64 `json:"peak_active,omitempty"`
	PeakReserved  *int64 `json:"peak_reserved,omitempty"`
	Retries       *int64 `json:"alloc_retries,omitempty"`
	OutOfMemory   *int64 `json:"out_of_memory,omitempty"`
	Resident      *int64 `json:"resident,omitempty"`
	Total         *int64 `json:"total,omitempty"`
}

// A TrialLine is one replicate of a probe.
type TrialLine struct {
	Point      int          `json:"point"`
	Phase      record.Phase `json:"phase"`
	Probe      string       `json:"probe"`
	Variant    string       `json:"variant"`
	It         int64        `json:"it"`
	T0         int64        `json:"t0"`
	T1         int64        `json:"t1"`
	Loops      int64        `json:"loops"`
	Bytes      int64        `json:"bytes,omitempty"`
	FLOP       *float64     `json:"flop,omitempty"`
	Operations int64        `json:"operations,omitempty"`
	Threads    int          `json:"threads,omitempty"`
	Size       int64        `json:"size,omitempty"`
	Scope      string       `json:"scope,omitempty"`
	Clock      string       `json:"clock"`
	Wrong      int64        `json:"wrong,omitempty"`
}

// A CheckLine is what holding a result against a reference said: loss and gradients
// of the first steps against one process on the same data, with the noise that
// adding in another order makes.
type CheckLine struct {
	Point    int      `json:"point"`
	Name     string   `json:"name"` // reference_loss, reference_gradients, reference_parameters, flop_count
	Value    *float64 `json:"value"`
	Expected *float64 `json:"expected"`
	Error    *float64 `json:"error"` // relative, the largest
	Noise    *float64 `json:"noise"` // floor of the error: what adding in another order alone makes
	Passed   bool     `json:"passed"`
	Text     string   `json:"text,omitempty"`
}

// A SysLine is one reading beside the run, as a row of table samples.
type SysLine struct {
	At     int64    `json:"at"`
	Source string   `json:"source"`
	Name   string   `json:"name"`
	Scope  string   `json:"scope,omitempty"`
	Value  *float64 `json:"value"`
	Unit   string   `json:"unit"`
}

// A FileLine names a file in the worker's folder that belongs in the bundle.
type FileLine struct {
	Point int    `json:"point"`
	Name  string `json:"name"` // in EnvOut, without a folder
	Role  string `json:"role"` // trace
}
