// Package sandbox runs programs that nobody has read, and says whether they pass
// their checks. Models write such programs; some of them delete files, call out,
// never end, or end with a cheerful exit status and the work undone.
//
// # What holds a program
//
// The assay binary starts itself again as a cell: a process with user, pid, network,
// mount, ipc, uts and cgroup namespaces of its own, whose root is an empty memory file system
// with the system's libraries and the interpreter in it, read-only. There is no /proc,
// no /sys, no home and no network device in it. Every program that a cell runs gets a
// pid, a mount and an ipc namespace once more, an empty folder /tmp of bounded size as
// the only place to write, an empty environment, a user without privileges, no
// capabilities, resource limits, Landlock rules where the kernel has them, and a
// seccomp filter that answers only the system calls of a computation. When a program
// has ended, its pid namespace goes, and with it every process that it left. A cell
// whose program was stopped from outside is thrown away. A host that cannot give all
// of this is refused with a Refusal: there is no weaker way to run.
//
// # What says that it passed
//
// Not the exit status, and nothing that the program can write. A referee, the first
// process of the program's namespace and out of reach of its signals, starts the
// program in a second process, and only then reads the checks and a random nonce from
// descriptors that the program never had. The checks run in the referee and call the
// program's functions through a pipe; arguments go in, plain values come back. The
// program sees neither the checks nor the nonce, cannot replace what compares its
// answers, and cannot return an object that claims to equal everything.
//
// # What is left
//
// A program that carries its own checks (Program.Check empty) shares an interpreter
// with them, and one that wants to can make them agree: Outcome.Checks says which way
// was taken. A bug in the kernel opens every such sandbox. Programs can time each
// other and can read the libraries under /usr. The sum of memory is looked at ten times a
// second: a program of many processes can go beyond its limit for as long. The kernel is
// told to end these processes first when memory runs out.
//
// To run another language, write a referee for it beside referee.py.
package sandbox

import (
	"fmt"
	"time"
)

// A Program is one program to run. Its Source is not trusted; everything else is.
type Program struct {
	// Source is the program.
	Source string

	// Check is run after Source, apart from it, and calls its functions by name. Empty
	// means that Source carries its own checks: it passes when it runs to its end.
	Check string

	// Prepare is run before Check, apart from Source: what the checks themselves need.
	Prepare string

	// Calls names the functions of Source that Check calls, even where Prepare defines
	// the same names. None means every name in Check that nothing else defines.
	Calls []string

	Limits Limits
}

// Limits bound one program. A zero field means its default.
type Limits struct {
	Wall      time.Duration // until everything is killed; zero means 10s
	CPU       time.Duration // of each process, in whole seconds, rounded up; zero means 3s
	Memory    int64         // bytes of address space of each process, and in memory of all together; zero means 1 GiB
	Processes int           // with threads and the cell's own dozen; zero means 32
	OpenFiles int           // descriptors of each process; zero means 64
	Disk      int64         // bytes in /tmp, the only place to write; zero means 16 MiB
	Output    int64         // bytes on stdout and stderr before it is killed; zero means 4 MiB
}

// The default of CPU is the time limit of the HumanEval harness, counted in processor
// time so that a busy machine fails nobody.
func (l Limits) withDefaults() Limits {
	return Limits{
		Wall:      or(l.Wall, 10*time.Second),
		CPU:       or(l.CPU, 3*time.Second),
		Memory:    or(l.Memory, 1<<30),
		Processes: or(l.Processes, 32),
		OpenFiles: or(l.OpenFiles, 64),
		Disk:      or(l.Disk, 16<<20),
		Output:    or(l.Output, 4<<20),
	}
}

func or[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// A Verdict says how a program ended.
type Verdict string

// The ways a program ends. Only Passed is good.
const (
	Passed   Verdict = "passed"
	Failed   Verdict = "failed"    // a check failed, or the program raised or ended itself
	TimedOut Verdict = "timed_out" // it used up its wall clock or processor time
	Killed   Verdict = "killed"    // a limit or a signal ended it
)

// The ways the checks of a program can run.
const (
	Apart    = "apart"    // in the referee, out of the program's reach
	Together = "together" // in the program itself, which could have cheated
)

// An Outcome is what became of one Program.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"` // why it did not pass
	Checks  string  `json:"checks"`        // Apart or Together

	Layers []string `json:"layers"` // the isolation that held it

	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"` // of the referee and all that it waited for

	OutputTail  string `json:"outputTail,omitempty"` // the last of stdout and stderr
	OutputBytes int64  `json:"outputBytes"`          // how much there was
}

// Passed says whether the program passed its checks.
func (o Outcome) Passed() bool { return o.Verdict == Passed }

// A Refusal says which facility a host lacks, so that nothing is run on it.
type Refusal struct {
	Facility string // "user namespaces"
	Why      string // what the host answered
	Fix      string // what to do; empty when nothing is known
}

func (r *Refusal) Error() string {
	text := fmt.Sprintf("generated programs are not run here: no %s: %s", r.Facility, r.Why)
	if r.Fix != "" {
		text += "; " + r.Fix
	}
	return text
}

// Options tune a Sandbox. The zero value is ready to use.
type Options struct {
	// Python is the interpreter. Empty means python3 on the PATH.
	Python string

	// Workers is how many programs run at once. Zero means one for each processor.
	Workers int
}
