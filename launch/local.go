package launch

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"assay/child"
)

// Local starts every rank on this host: in a process group of its own, so that what
// a rank starts ends with it, and bound to this process, so that no rank outlives
// it.
type Local struct{}

var _ Launcher = Local{}

// cancelGrace is what ranks get to end in when the context of their start ends.
const cancelGrace = 2 * time.Second

// pipeWithin is how long the output of a rank that has ended is waited for.
const pipeWithin = 2 * time.Second

// Start starts the ranks. They are stopped when ctx ends.
func (Local) Start(ctx context.Context, job Job) (World, error) {
	if job.Ranks < 1 || len(job.Command) == 0 {
		return nil, fmt.Errorf("launch %d ranks of %q: want at least one of a command", job.Ranks, job.Command)
	}
	w := &local{
		ended: make(chan Exit, job.Ranks), // each rank ends once, so nobody waits to report it
		ranks: make([]*process, job.Ranks),
		gone:  make(chan struct{}),
	}
	started := make(chan error)
	go w.run(job, started)
	if err := <-started; err != nil {
		w.Stop(0)
		return nil, err
	}
	unhook := context.AfterFunc(ctx, func() { w.Stop(cancelGrace) })
	go func() {
		<-w.gone
		unhook()
	}()
	return w, nil
}

// A local is the ranks of this host.
type local struct {
	ended chan Exit
	gone  chan struct{} // closed when all have ended
	ranks []*process

	mu    sync.Mutex
	asked bool
}

// A process is one rank.
type process struct {
	cmd  *exec.Cmd
	done bool // its end was seen; its process group may be another's by now
}

// run starts the ranks and stays until the last has ended. The kernel binds a child
// to the thread that made it, so this goroutine keeps its thread.
func (w *local) run(job Job, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(w.gone)
	defer close(w.ended)
	var waiting sync.WaitGroup
	var failed error
	w.mu.Lock()
	for rank := range job.Ranks {
		cmd := command(job, rank)
		if err := job.place(rank).Start(cmd); err != nil {
			failed = fmt.Errorf("launch rank %d: %w", rank, err)
			break
		}
		w.ranks[rank] = &process{cmd: cmd}
		waiting.Go(func() { w.wait(rank) })
	}
	w.mu.Unlock()
	started <- failed
	waiting.Wait()
}

func (j Job) place(rank int) child.Place {
	if len(j.Places) == 0 {
		return child.Place{}
	}
	return j.Places[rank%len(j.Places)]
}

// command is the process of one rank, not started yet.
func command(job Job, rank int) *exec.Cmd {
	args := job.Command
	if rank == job.Wrapped && len(job.Wrap) > 0 {
		args = append(append([]string{}, job.Wrap...), args...)
	}
	if len(job.Namespaces) > 0 {
		args = append([]string{"ip", "netns", "exec", job.Namespaces[rank%len(job.Namespaces)]}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = job.Dir
	cmd.Env = append(append(os.Environ(), job.Env...), variables(job, rank)...)
	cmd.SysProcAttr = child.Bound()
	cmd.WaitDelay = pipeWithin
	if job.Input != nil {
		cmd.Stdin = bytes.NewReader(job.Input(rank))
	}
	if job.Log != nil {
		log := job.Log(rank)
		cmd.Stdout, cmd.Stderr = log, log
	}
	return cmd
}

// variables are those that torchrun would set.
func variables(job Job, rank int) []string {
	at := seat{rank, job.Ranks, rank, job.Ranks}
	if job.seat != nil {
		at = *job.seat
	}
	list := []string{
		"RANK=" + strconv.Itoa(at.Rank),
		"WORLD_SIZE=" + strconv.Itoa(at.Ranks),
		"LOCAL_RANK=" + strconv.Itoa(at.Local),
		"LOCAL_WORLD_SIZE=" + strconv.Itoa(at.LocalRanks),
	}
	if host, port, err := net.SplitHostPort(job.Master); err == nil {
		list = append(list, "MASTER_ADDR="+host, "MASTER_PORT="+port)
	}
	return list
}

// wait reports the end of one rank, after all that it started has ended too.
func (w *local) wait(rank int) {
	p := w.ranks[rank]
	if awaitEnd(p.cmd.Process.Pid) {
		// It is not reaped yet, so the number of its group is still its own.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	} else {
		_ = p.cmd.Wait()
	}
	at := time.Now()
	w.mu.Lock()
	p.done = true
	asked := w.asked
	w.mu.Unlock()
	_ = p.cmd.Wait() // how it ended is in ProcessState
	exit := Exit{Rank: rank, At: at, Code: -1, Asked: asked}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal().String()
	} else {
		exit.Code = p.cmd.ProcessState.ExitCode()
	}
	w.ended <- exit
}

// Ended reports every rank that ends.
func (w *local) Ended() <-chan Exit { return w.ended }

// PID is the process of a rank.
func (w *local) PID(rank int) (int, bool) {
	if rank < 0 || rank >= len(w.ranks) || w.ranks[rank] == nil {
		return 0, false
	}
	return w.ranks[rank].cmd.Process.Pid, true
}

// Host is empty: every rank runs here.
func (w *local) Host(int) string { return "" }

// Stop ends every rank.
func (w *local) Stop(grace time.Duration) {
	w.mu.Lock()
	w.asked = true
	w.mu.Unlock()
	if grace > 0 {
		// A stopped process hears nothing until it goes on.
		w.signal(syscall.SIGCONT)
		w.signal(syscall.SIGTERM)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-w.gone:
			return
		case <-timer.C:
		}
	}
	w.signal(syscall.SIGKILL)
	<-w.gone
}

func (w *local) signal(s syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.ranks {
		if p != nil && !p.done {
			_ = syscall.Kill(-p.cmd.Process.Pid, s)
		}
	}
}
