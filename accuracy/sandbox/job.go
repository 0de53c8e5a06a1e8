package sandbox

// What follows goes over the socket between a Sandbox and its cells, one JSON value a
// packet. Both ends are the same binary.

// A furnishing tells a new cell what to put into its root.
type furnishing struct {
	Python   string   // the interpreter's own file, without links
	Referee  []byte   // compiled for it
	Readable []string // files and folders of the host that programs may read

	// ChangeUser is set where the cell has a second user for its programs, as it has
	// when assay runs as root. An ordinary user's cell has only one.
	ChangeUser bool
}

// A job starts one program. Its packet carries the descriptors of jobFiles.
type job struct{ Limits Limits }

// The descriptors of a program, in their order: the source on standard input, both
// outputs into one pipe, then what only the referee uses.
const (
	fileSource = iota
	fileOutput
	fileErrors
	fileChecks
	fileVerdict
	jobFiles
)

// A reply is what a cell says: once when it is ready, and once for every job.
type reply struct {
	// Missing names the facility that was not there, and Problem what the kernel said.
	Missing string `json:",omitempty"`
	Problem string `json:",omitempty"`

	Layers []string `json:",omitempty"` // of a cell that is ready

	Signal int   `json:",omitempty"` // that ended the referee
	CPU    int64 `json:",omitempty"` // nanoseconds
}
