//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// cellArgument is how a Sandbox tells the binary that it is to be a cell, and
// cellSocket the descriptor on which the two talk.
const (
	cellArgument = "sandbox-cell"
	cellSocket   = 3
)

// canEnter is set where this binary called Enter. One that did not would start itself
// again in place of each cell, and those themselves once more: Open refuses it.
var canEnter atomic.Bool

// Enter is called first in main by every binary that opens a Sandbox. In a process
// that was started as a cell it does the work of one and returns the exit status when
// the Sandbox lets go; in any other it returns false at once.
func Enter(args []string) (status int, entered bool) {
	canEnter.Store(true)
	if len(args) != 2 || args[1] != cellArgument {
		return 0, false
	}
	conn, err := packets(os.NewFile(cellSocket, "socket"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is for assay itself: %v\n", cellArgument, err)
		return 2, true
	}
	if err := serve(conn); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// packets makes a connection of one end of a socket pair.
func packets(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	if unix, ok := conn.(*net.UnixConn); ok {
		return unix, nil
	}
	return nil, errors.New("want a Unix socket")
}

// A parcel is one packet with the descriptors that came with it.
type parcel struct {
	text  []byte
	files []int
}

// serve furnishes the cell and runs one job after the other. It returns when the other
// end closes, which is also what happens when assay dies; this process is the first of
// its pid namespace, so the kernel then ends all others.
func serve(conn *net.UnixConn) error {
	incoming := make(chan parcel)
	go receive(conn, incoming) // ends with the process
	first, open := <-incoming
	if !open {
		return nil
	}
	var f furnishing
	if err := json.Unmarshal(first.text, &f); err != nil {
		return err
	}
	// Whatever else assay's parent left open is not for programs.
	if err := unix.CloseRange(cellSocket+1, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return send(conn, reply{Missing: "close_range", Problem: err.Error()})
	}
	c := cell{conn: conn, furnishing: f, landlock: landlockVersion()}
	if missing := take(rootSteps(f)); missing != nil {
		return send(conn, *missing)
	}
	if err := send(conn, reply{Layers: c.layers()}); err != nil {
		return err
	}
	ended := make(chan error)
	for {
		select {
		case p, open := <-incoming:
			if !open {
				return nil
			}
			go func() { ended <- c.run(p) }() // one at a time: the other end waits for each
		case err := <-ended:
			if err != nil {
				return err
			}
		}
	}
}

func receive(conn *net.UnixConn, to chan<- parcel) {
	defer close(to)
	for {
		text, control := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4*jobFiles))
		n, controls, _, _, err := conn.ReadMsgUnix(text, control)
		if err != nil || n == 0 {
			return
		}
		p := parcel{text: text[:n]}
		messages, err := unix.ParseSocketControlMessage(control[:controls])
		if err != nil {
			return
		}
		for _, m := range messages {
			files, err := unix.ParseUnixRights(&m)
			if err != nil {
				return
			}
			p.files = append(p.files, files...)
		}
		to <- p
	}
}

func send(conn *net.UnixConn, r reply) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = conn.Write(text)
	return err
}

// A cell is the inside of one.
type cell struct {
	conn       *net.UnixConn
	furnishing furnishing
	landlock   int // the kernel's ABI; 0 where there is none
}

func (c cell) layers() []string {
	layers := []string{
		"user, pid, network, mount, ipc, uts and cgroup namespaces", "read-only root", "no capabilities", "no_new_privs",
		"seccomp allow list", "resource limits",
	}
	if c.furnishing.ChangeUser {
		layers = append(layers, "user of its own")
	}
	if c.landlock > 0 {
		layers = append(layers, fmt.Sprintf("Landlock ABI %d", c.landlock))
	}
	return layers
}

// run starts the program of one parcel, tells when it may be given its source, and
// again when it and everything it started have ended.
func (c cell) run(p parcel) error {
	var j job
	if err := json.Unmarshal(p.text, &j); err != nil {
		return err
	}
	pid, missing := c.start(j, p.files)
	for _, fd := range p.files {
		unix.Close(fd)
	}
	if missing == nil {
		missing = take([]step{{"resource limits", func() error { return restrict(pid, j.Limits) }}})
	}
	if missing != nil {
		return send(c.conn, *missing)
	}
	if err := send(c.conn, reply{}); err != nil {
		return err
	}
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		if _, err := syscall.Wait4(pid, &status, 0, &usage); err != syscall.EINTR {
			break
		}
	}
	r := reply{CPU: int64(cpuOf(usage))}
	if status.Signaled() {
		r.Signal = int(status.Signal())
	}
	return send(c.conn, r)
}

// start makes a thread that gives up everything, and a process that is born of it. What
// namespaces, filters and rules a thread has is its own affair and its children's: the
// rest of the cell keeps what it needs to make the next one. The lock is never undone,
// so Go ends the thread with the function.
func (c cell) start(j job, files []int) (pid int, missing *reply) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		missing = take(append(confineSteps(c.furnishing, j.Limits, c.landlock), step{"interpreter", func() (err error) {
			pid, err = c.spawn(files)
			return err
		}}))
	}()
	<-done
	return pid, missing
}

func (c cell) spawn(files []int) (pid int, err error) {
	handed := make([]uintptr, len(files))
	for i, fd := range files {
		handed[i] = uintptr(fd)
	}
	// -s and -S: nothing but the standard library. -B and -u: no bytecode files, and no
	// output that is lost with the process. The seed keeps the order of sets, on which a
	// careless program depends, the same from run to run.
	arguments := []string{"python3", "-s", "-S", "-B", "-u", refereeFile}
	return syscall.ForkExec(c.furnishing.Python, arguments, &syscall.ProcAttr{
		Dir: scratch, Env: []string{"PYTHONHASHSEED=0", "LANG=C.UTF-8"}, Files: handed,
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
}
