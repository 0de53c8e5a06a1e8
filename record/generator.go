package record

// GeneratorWorld is the world of pings that were exchanged with load generators: their
// rank is the generator's number.
const GeneratorWorld = -1

// A Generator is one load generator of a launch, with what it said of itself and how it
// ended: one row of the table generators. A launch without any was sent by the program
// itself.
type Generator struct {
	Generator  int32  `parquet:"generator,delta"`     // its number, which the rows of its requests have as shard
	Generators int32  `parquet:"generators,delta"`    // how many the launch has
	Host       string `parquet:"host,dict"`           // name of its host
	PID        int64  `parquet:"pid"`                 // its process
	Processors int32  `parquet:"processors,delta"`    // that it may use
	BootID     string `parquet:"boot_id,dict"`        // of its kernel
	TimeNS     string `parquet:"time_namespace,dict"` // inode of its time namespace

	Offset *int64 `parquet:"clock_offset_ns"` // its CLOCK_MONOTONIC minus the leader's, by the exchange before the first point; its stamps are put right by it
	Bound  *int64 `parquet:"clock_bound_ns"`  // how far that may be off, drift until later exchanges included; the table pings has the exchanges themselves
	Joined *int64 `parquet:"joined_ns"`       // its greeting arrived

	Requests int64 `parquet:"requests,delta"`       // rows that arrived from it
	Received int64 `parquet:"received_bytes,delta"` // on its line to the leader, before encryption
	Sent     int64 `parquet:"sent_bytes,delta"`     // on the line from the leader

	CPU          float64 `parquet:"cpu_seconds"`           // of its process, in all points
	Wall         float64 `parquet:"wall_seconds"`          // of all points
	Resident     int64   `parquet:"resident_bytes,delta"`  // of its process, highest
	Collections  int64   `parquet:"collections,delta"`     // of its garbage collector, in measured windows
	LongestPause float64 `parquet:"longest_pause_seconds"` // of the whole program, at most

	Verdict string `parquet:"verdict,dict"` // ok, stopped, failed or lost
	Error   string `parquet:"error,zstd"`   // why, redacted and capped
}

// The verdicts on a generator.
const (
	GeneratorOK      = "ok"
	GeneratorStopped = "stopped" // with the launch, by no fault of its own
	GeneratorFailed  = "failed"  // it said that it cannot go on
	GeneratorLost    = "lost"    // it died, hung or was cut off
)

// The events of load generators. Their details are text.
const (
	GeneratorGone    = "generator.gone"    // one was lost or failed, which ended the point
	GeneratorRefused = "generator.refused" // somebody who is no generator of this run tried to join
)
