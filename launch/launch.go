// Package launch starts the ranks of a world, waits for them and always cleans up.
//
// It knows processes and the environments that launchers give them. It does not
// know what ranks measure (package train) nor what they say (package worker).
//
// To add a launcher, write one file NAME.go with a Launcher and list it in the
// table of the command that offers it.
package launch

import (
	"context"
	"io"
	"time"

	"assay/child"
)

// A Job is one world to start.
type Job struct {
	Ranks   int
	Command []string                 // the worker; the same for every rank of this host
	Worker  string                   // its name, by which ranks that others have placed find their own command
	Env     []string                 // beside that of the launcher, as os.Environ has it; rank variables are added
	Master  string                   // host:port of the rendezvous of rank 0
	Dir     string                   // working folder; on other hosts it is a new one
	Log     func(rank int) io.Writer // what a rank prints; nil throws it away
	Input   func(rank int) []byte    // what a rank reads, and nobody else does; nil means nothing

	OnePerHost bool          // each host has one rank, however many it would take
	Places     []child.Place // where each rank may run, in turn; empty means anywhere
	Namespaces []string      // network namespace of each rank in turn; empty means this one
	Wrap       []string      // put before the command of the rank Wrapped, such as unshare -T --monotonic 5000
	Wrapped    int

	// Set is which of Sets parts of the launcher's hosts the ranks start on, from 1; 0
	// means all of them.
	Set, Sets int

	// Ranks on other hosts have a folder of their own there, which variables name as Out.
	// Files lie in it when they start. When they have ended what else they left there is
	// in Out, but for names that the pattern Leave matches. Empty means that nothing comes
	// back.
	Out   string
	Leave string
	Files map[string][]byte

	seat *seat // where others have placed the one rank of this job; nil means that they are numbered here
}

// A seat is a rank's place in a world that is larger than this host's part of it.
type seat struct{ Rank, Ranks, Local, LocalRanks int }

// A Launcher starts worlds.
type Launcher interface {
	Start(ctx context.Context, job Job) (World, error)
}

// A Watched launcher knows things about its hosts that ranks cannot report.
type Watched interface {
	// Trouble is what befell the hosts since they were there, an *Interference for each;
	// nil where nothing did.
	Trouble() error
}

// A World is started ranks.
type World interface {
	// Ended reports every rank that ends, in the order of their ends, and is closed
	// after the last.
	Ended() <-chan Exit

	// Stop ends every rank that still runs: politely, then after grace by force. It
	// returns when none is left. It may be called more than once.
	Stop(grace time.Duration)

	// PID is the process of a rank on this host; false where it runs elsewhere.
	PID(rank int) (int, bool)

	// Host is where a rank runs, as the launcher calls it; empty means here, or unknown.
	Host(rank int) string
}

// An Exit is the end of one rank.
type Exit struct {
	Rank   int
	At     time.Time // with Go's monotonic reading
	Code   int       // -1 when a signal ended it
	Signal string    // such as killed; empty for none
	Asked  bool      // it ended because Stop was called
}
