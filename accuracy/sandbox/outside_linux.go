//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cellNamespaces are made new for every cell.
const cellNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// An outside is a cell as seen from outside: a process to kill and a socket.
type outside struct {
	process *exec.Cmd
	conn    *net.UnixConn
	said    *tail // on its stderr, when something went wrong
	layers  []string
}

// startCell starts one and waits until it is furnished.
func startCell(number int, f furnishing) (*outside, error) {
	attr := &syscall.SysProcAttr{Cloneflags: cellNamespaces}
	f.ChangeUser = identify(attr, number)
	c, err := spawnCell(attr)
	if err != nil {
		return nil, refusalOf(err, canMake)
	}
	if err := c.send(f, nil); err != nil {
		c.kill()
		return nil, fmt.Errorf("furnish a cell: %w", err)
	}
	ready, err := c.receive(time.Now().Add(startLimit))
	if err != nil {
		c.kill()
		return nil, fmt.Errorf("furnish a cell: %w%s", err, c.last())
	}
	if ready.Missing != "" {
		c.kill()
		return nil, ready.refusal()
	}
	c.layers = ready.Layers
	return c, nil
}

// spawnCell starts this binary again, with nothing in its environment and one end of a
// socket pair as descriptor 3.
func spawnCell(attr *syscall.SysProcAttr) (*outside, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "cell")
	defer theirs.Close()
	conn, err := packets(os.NewFile(uintptr(pair[0]), "cell"))
	if err != nil {
		return nil, err
	}
	said := newTail(4 << 10)
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{"assay", cellArgument}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		ExtraFiles: []*os.File{theirs}, Stderr: said, SysProcAttr: attr,
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &outside{process: cmd, conn: conn, said: said}, nil
}

// kill ends the cell and everything in it. The kernel has done so when it returns.
func (c *outside) kill() {
	c.process.Process.Kill() // fails only where it is dead already
	c.process.Wait()         // says that it was killed
	c.conn.Close()
}

func (c *outside) send(value any, files []int) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, _, err = c.conn.WriteMsgUnix(text, unix.UnixRights(files...), nil)
	return err
}

// startLimit ends a wait for a host that hangs. Starting takes milliseconds.
const startLimit = time.Minute

// receive waits until the deadline for what the cell says next; a zero one is none.
func (c *outside) receive(deadline time.Time) (reply, error) {
	if err := c.conn.SetReadDeadline(deadline); err != nil {
		return reply{}, err
	}
	text := make([]byte, 64<<10)
	n, err := c.conn.Read(text)
	if err != nil {
		return reply{}, err
	}
	if n == 0 {
		return reply{}, io.ErrUnexpectedEOF
	}
	var r reply
	return r, json.Unmarshal(text[:n], &r)
}

func (c *outside) last() string {
	if text, _ := c.said.text(); text != "" {
		return ": " + text
	}
	return ""
}

func (r reply) refusal() *Refusal {
	return &Refusal{Facility: r.Missing, Why: r.Problem, Fix: fixes[r.Missing]}
}

// run runs one program in the cell. The cell is not reusable when it had to be killed,
// or did not answer as it should.
func (c *outside) run(ctx context.Context, p Program) (o Outcome, reusable bool, err error) {
	began := time.Now()
	wires, err := newWires()
	if err != nil {
		return Outcome{}, true, err
	}
	defer wires.close()
	if err := c.begin(p, wires); err != nil {
		return Outcome{}, false, err
	}
	var watching sync.WaitGroup
	defer watching.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watching.Go(func() {
		watchMemory(ctx, c.process.Process.Pid, p.Limits.Memory, func() { stop(errMemory) })
	})
	// Killing the cell closes its socket and the far end of every wire: all reads end.
	unwatch := context.AfterFunc(ctx, func() { c.process.Process.Kill() })
	wall := time.AfterFunc(p.Limits.Wall, func() { stop(errWall) })
	defer wall.Stop()

	nonce := rand.Text()
	seen := wires.talk(p, nonce, func() { stop(errOutput) })
	ended, gone := c.receive(time.Time{}) // the limits above end it
	if gone != nil {
		c.process.Process.Kill() // whatever closed its end, nothing in it may live on
	}
	said := seen()
	reusable = unwatch() && gone == nil
	if gone != nil {
		o, err = p.stopped(context.Cause(ctx))
	} else {
		o, err = p.judged(said.verdict, nonce, ended)
	}
	o.Layers, o.Wall = c.layers, time.Since(began)
	o.OutputTail, o.OutputBytes = said.output.text()
	return o, reusable, err
}

// begin starts the program's referee, which waits for the source.
func (c *outside) begin(p Program, w *wires) error {
	err := c.send(job{Limits: p.Limits}, w.theirs[:])
	w.handOver()
	if err != nil {
		return fmt.Errorf("start a program: %w%s", err, c.last())
	}
	started, err := c.receive(time.Now().Add(startLimit))
	if err != nil {
		return fmt.Errorf("start a program: %w%s", err, c.last())
	}
	if started.Missing != "" {
		return started.refusal()
	}
	return nil
}
