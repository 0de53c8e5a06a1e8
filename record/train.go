package record

// A Step is one training step of one rank: one row of the table steps. A phase
// that was not measured is null.
type Step struct {
	Rank      int32    `parquet:"rank,delta"`     // which process
	Step      int64    `parquet:"step,delta"`     // number of the step
	Point     int32    `parquet:"point,delta"`    // index into the plan's points
	Phase     Phase    `parquet:"phase,dict"`     // warmup, measure or cooldown
	Start     int64    `parquet:"start_ns,delta"` // begin of the step
	End       int64    `parquet:"end_ns,delta"`   // end of the step
	Data      *int64   `parquet:"data_ns"`        // waiting for input
	H2D       *int64   `parquet:"h2d_ns"`         // copying input to the device
	Forward   *int64   `parquet:"forward_ns"`     // forward pass
	Backward  *int64   `parquet:"backward_ns"`    // backward pass
	Optimizer *int64   `parquet:"optimizer_ns"`   // optimizer
	GPUBusy   *int64   `parquet:"gpu_busy_ns"`    // time with a kernel running
	Comm      *int64   `parquet:"comm_ns"`        // time in collectives: the union of their intervals
	Synced    bool     `parquet:"synced"`         // false for a step run without gradient exchange
	Samples   int64    `parquet:"samples,delta"`  // samples this rank consumed
	Tokens    int64    `parquet:"tokens,delta"`   // tokens this rank consumed
	Loss      *float64 `parquet:"loss"`           // as the worker reported; null when it is not a finite number
	Clock     string   `parquet:"clock,dict"`     // host or cuda_event

	ForwardStart  *int64   `parquet:"forward_start_ns"`  // begin of the forward pass of the last micro-batch
	BackwardStart *int64   `parquet:"backward_start_ns"` // begin of its backward pass
	BackwardEnd   *int64   `parquet:"backward_end_ns"`   // end of its backward pass, gradient exchange included
	GradientSum   *float64 `parquet:"gradient_sum"`      // checksum of the exchanged gradients: equal on every rank
	ParameterSum  *float64 `parquet:"parameter_sum"`     // checksum of the parameters after the step
	Exposed       *int64   `parquet:"exposed_ns"`        // end of the backward pass after the last gradient was ready, on a device's own clock; null where ready times are stamped

	Host  *int64 `parquet:"host_ns"`  // begin of the step until its first input was asked for
	Pause *int64 `parquet:"pause_ns"` // what the trainer did between the step before and this one; null where assay was at work there, or nobody knows
	Save  *int64 `parquet:"save_ns"`  // saving a checkpoint after the step; null where none was saved
}

// A Bucket is one gradient bucket of one step of one rank on its way: one row of
// the table buckets. Ready is when its gradients were final on this rank, End when
// its exchange was over.
type Bucket struct {
	Rank   int32 `parquet:"rank,delta"`     // which process
	Step   int64 `parquet:"step,delta"`     // number of the step
	Point  int32 `parquet:"point,delta"`    // index into the plan's points
	Bucket int32 `parquet:"bucket,delta"`   // its place in the order of launch, from 0
	Bytes  int64 `parquet:"bytes,delta"`    // of its gradients
	Ready  int64 `parquet:"ready_ns,delta"` // entry of the hook: its gradients are final
	End    int64 `parquet:"end_ns,delta"`   // its exchange is over on this rank
	Alone  bool  `parquet:"alone"`          // exchanged without computation, for comparison
}

// A Collective is one collective operation of one rank: one row of the table
// collectives. Its time is the slowest rank's, so every rank keeps its own row.
type Collective struct {
	Rank      int32  `parquet:"rank,delta"`     // which process
	Seq       int64  `parquet:"seq,delta"`      // its place in the order of operations, from 0
	Point     int32  `parquet:"point,delta"`    // index into the plan's points
	Phase     Phase  `parquet:"phase,dict"`     // warmup, measure or cooldown
	Op        string `parquet:"op,dict"`        // such as all_reduce
	Algorithm string `parquet:"algorithm,dict"` // as the library named it
	Bytes     int64  `parquet:"bytes,delta"`    // size of the buffer
	DataType  string `parquet:"data_type,dict"` // such as float32
	Ranks     int32  `parquet:"ranks,delta"`    // how many took part
	InPlace   bool   `parquet:"in_place"`       // whether input and output shared a buffer
	Start     int64  `parquet:"start_ns,delta"` // begin on this rank
	End       int64  `parquet:"end_ns,delta"`   // end on this rank
	Wrong     int64  `parquet:"wrong,delta"`    // elements with a wrong answer

	Peer    *int32 `parquet:"peer"`          // the other rank of an operation between two; null for all
	Chunks  int32  `parquet:"chunks,delta"`  // calls that the buffer was cut into; 0 and 1 mean one
	Clock   string `parquet:"clock,dict"`    // host or cuda_event
	Checked bool   `parquet:"checked"`       // whether the answer was looked at
	Emulate string `parquet:"emulated,dict"` // what stood in for an operation that the library lacks, such as all_reduce+slice

	Protocol string `parquet:"protocol,dict"` // that the library was told to take; empty when it chose
	Setting  string `parquet:"setting,dict"`  // name of the library's settings in the plan; empty for its own
}

// A Memory is what one rank's memory held at one point: one row of the table
// memory. What was not measured is null.
type Memory struct {
	Rank          int32  `parquet:"rank,delta"`           // which process
	Point         int32  `parquet:"point,delta"`          // index into the plan's points
	At            int64  `parquet:"at_ns,delta"`          // when it was read
	Device        string `parquet:"device,dict"`          // cpu, or the device's name
	Outcome       string `parquet:"outcome,dict"`         // ok or out_of_memory
	Parameters    *int64 `parquet:"parameters_bytes"`     // of the model on this rank
	Gradients     *int64 `parquet:"gradients_bytes"`      // measured after a backward pass
	Optimizer     *int64 `parquet:"optimizer_bytes"`      // state after a step
	Activations   *int64 `parquet:"activations_bytes"`    // kept for the backward pass, by storage
	PeakAllocated *int64 `parquet:"peak_allocated_bytes"` // highest during the measured steps
	PeakActive    *int64 `parquet:"peak_active_bytes"`    // of those in use
	PeakReserved  *int64 `parquet:"peak_reserved_bytes"`  // of what the allocator held
	Retries       *int64 `parquet:"alloc_retries"`        // allocations that had to free caches first
	OutOfMemory   *int64 `parquet:"out_of_memory"`        // allocations that failed
	Resident      *int64 `parquet:"resident_bytes"`       // of the process, highest
	Total         *int64 `parquet:"total_bytes"`          // of the device or host
}

// A Rank is one process of a world, with what it said of itself and how it ended:
// one row of the table ranks.
type Rank struct {
	World     int32  `parquet:"world,delta"`         // place of its world in the launch, from 0
	Rank      int32  `parquet:"rank,delta"`          // which process
	Ranks     int32  `parquet:"ranks,delta"`         // how many the world has
	LocalRank int32  `parquet:"local_rank,delta"`    // on its node
	NodeRank  int32  `parquet:"node_rank,delta"`     // which node
	Host      string `parquet:"host,dict"`           // name of its node
	PID       int64  `parquet:"pid"`                 // its process
	Backend   string `parquet:"backend,dict"`        // native, gloo, nccl or mpi
	Device    string `parquet:"device,dict"`         // cpu, or the accelerator's name
	DeviceID  string `parquet:"device_id,dict"`      // the accelerator's uuid: the key that samples of it carry as scope
	Library   string `parquet:"library,dict"`        // such as torch 2.11.0, or assay
	CommLib   string `parquet:"comm_library,dict"`   // such as NCCL 2.28.9
	BootID    string `parquet:"boot_id,dict"`        // of its kernel
	TimeNS    string `parquet:"time_namespace,dict"` // inode of its time namespace

	Offset *int64 `parquet:"clock_offset_ns"` // subtracted from the rank's own clock to put its stamps on the launch's, from the exchange before the measurement
	Bound  *int64 `parquet:"clock_bound_ns"`  // how far that may be off; the table pings has the exchanges themselves

	Started  *int64 `parquet:"started_ns"`      // the process was started
	Joined   *int64 `parquet:"joined_ns"`       // its greeting arrived
	Ready    *int64 `parquet:"ready_ns"`        // it had joined its peers
	Ended    *int64 `parquet:"ended_ns"`        // the process ended
	ExitCode *int32 `parquet:"exit_code"`       // null when it ended by a signal or is unknown
	Signal   string `parquet:"signal,dict"`     // such as killed
	Verdict  string `parquet:"verdict,dict"`    // ok, died, hung, unreachable, victim or stopped
	LastSeq  *int64 `parquet:"last_collective"` // number of the last collective it had begun
	Dropped  int64  `parquet:"dropped,delta"`   // records that it could not keep
	Error    string `parquet:"error,zstd"`      // what it said, redacted and capped

	Driver   string `parquet:"driver,dict"`   // version of the accelerator's driver
	Launcher string `parquet:"launcher,dict"` // whose environment it was found in
	Affinity string `parquet:"affinity,dict"` // processors that it may run on, such as 0-3,8
	NUMA     *int32 `parquet:"numa"`          // node whose processors hold it; null where they span several
	Tuning   string `parquet:"tuning,dict"`   // variables that tune the libraries, NAME=VALUE on a line each, sorted
}

// A Ping is one exchange of four stamps with a rank: one row of the table pings.
// The first and the last are on the launch's clock; the two between are on the
// rank's own, untouched.
type Ping struct {
	World int32  `parquet:"world,delta"` // place of its world in the launch, from 0; -1 for a load generator
	Rank  int32  `parquet:"rank,delta"`  // which process, or load generator
	When  string `parquet:"when,dict"`   // before, between or after the measurement
	T1    int64  `parquet:"t1_ns"`       // sent here
	T2    int64  `parquet:"t2_ns"`       // received there, on the rank's clock
	T3    int64  `parquet:"t3_ns"`       // answered there, on the rank's clock
	T4    int64  `parquet:"t4_ns"`       // received here
}

// A Trial is one timed replicate of a probe: one row of the table trials. What was
// done in it is counted, so that every rate can be computed from the row.
type Trial struct {
	Rank       int32    `parquet:"rank,delta"`       // which process; 0 where the program itself measured
	Point      int32    `parquet:"point,delta"`      // index into the plan's points
	Phase      Phase    `parquet:"phase,dict"`       // warmup or measure
	Probe      string   `parquet:"probe,dict"`       // such as memory
	Variant    string   `parquet:"variant,dict"`     // such as triad, or 64 KiB
	Seq        int64    `parquet:"seq,delta"`        // its place among the replicates, from 0
	Start      int64    `parquet:"start_ns,delta"`   // begin
	End        int64    `parquet:"end_ns,delta"`     // end
	Loops      int64    `parquet:"loops,delta"`      // calibrated inner iterations
	Bytes      int64    `parquet:"bytes,delta"`      // moved, all loops together
	FLOP       *float64 `parquet:"flop"`             // floating-point operations, all loops together
	Operations int64    `parquet:"operations,delta"` // such as reads, round trips, starts; all loops together
	Threads    int32    `parquet:"threads,delta"`    // that worked at once
	Size       int64    `parquet:"size_bytes,delta"` // of the working set, block or message
	Scope      string   `parquet:"scope,dict"`       // what it is about: host pair, device, file system, interface; empty for the host
	Clock      string   `parquet:"clock,dict"`       // host or cuda_event
	Wrong      int64    `parquet:"wrong,delta"`      // answers that were wrong

	Retransmits *int64 `parquet:"retransmits"` // TCP segments that this side sent again, over all streams; null elsewhere
}
