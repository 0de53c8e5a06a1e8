package jobs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/bundle"
	"assay/child"
	"assay/intake"
	"assay/live"
	"assay/spec"
	"assay/visible"
)

// Work carries jobs out until ctx ends, after settling those that an earlier server left
// behind. A run under way is then asked to end, and seals what it has.
func (q *Queue) Work(ctx context.Context) {
	q.settle(ctx)
	var workers sync.WaitGroup
	for range max(1, q.o.AtOnce) {
		workers.Go(func() {
			for {
				j := q.next(ctx)
				if j == nil {
					return
				}
				q.carry(ctx, j)
			}
		})
	}
	workers.Wait()
}

// settle says of runs that went on when the last server ended that they were cut, and
// keeps what they had measured.
func (q *Queue) settle(ctx context.Context) {
	q.mu.Lock()
	var cut []*job
	for _, j := range q.sorted() {
		if j.State == Running {
			cut = append(cut, j)
		}
	}
	q.mu.Unlock()
	for _, j := range cut {
		q.finish(ctx, j, Cut, "the server ended while it ran")
	}
}

// next waits for a job.
func (q *Queue) next(ctx context.Context) *job {
	for {
		q.mu.Lock()
		if len(q.waiting) > 0 && ctx.Err() == nil {
			j := q.jobs[q.waiting[0]]
			q.waiting = q.waiting[1:]
			j.run, j.end = context.WithCancelCause(ctx)
			q.set(j, Running, "")
			if len(q.waiting) > 0 {
				q.wake()
			}
			q.mu.Unlock()
			return j
		}
		q.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-q.more:
		}
	}
}

var (
	errTime  = errors.New("it took longer than a run may (assay serve --run-time)")
	errBytes = errors.New("its bundle became larger than it may be (assay serve --max-upload)")
)

// carry runs one job.
func (q *Queue) carry(ctx context.Context, j *job) {
	end := j.end
	defer end(nil)
	if err := q.still(j); err != nil {
		q.finish(context.WithoutCancel(ctx), j, Failed, err.Error())
		return
	}
	limit := time.AfterFunc(q.o.Time, func() { end(errTime) })
	defer limit.Stop()
	said, err := q.process(j.run, j, end)
	state, why := Done, ""
	switch cause := context.Cause(j.run); {
	case err == nil: // it was done before anything else
	case errors.Is(cause, errCancelled):
		state = Cancelled
	case errors.Is(cause, errTime), errors.Is(cause, errBytes):
		state, why = Failed, cause.Error()
	case ctx.Err() != nil:
		state, why = Cut, "the server ended while it ran"
	default:
		state, why = Failed, strings.TrimSpace(err.Error()+": "+said)
	}
	q.finish(context.WithoutCancel(ctx), j, state, why)
}

// still reports whether a run that waited may begin: the server may have been started again
// with narrower bounds, and the token may be revoked.
func (q *Queue) still(j *job) error {
	if q.o.May != nil {
		if err := q.o.May(j.Token); err != nil {
			return fmt.Errorf("when its turn came: %w", err)
		}
	}
	source, err := intake.ReadFile(filepath.Join(q.place(j.ID), documentFile), spec.MaxDocumentBytes)
	if err != nil {
		return errors.New("its document is gone")
	}
	_, err = q.Check(source, j.Launcher)
	return err
}

// finish keeps the bundle of a run that is over, whole or as far as it came, and says what
// became of it.
func (q *Queue) finish(ctx context.Context, j *job, s State, why string) {
	out := filepath.Join(q.place(j.ID), outDir)
	dir, err := made(out)
	var runID, digest string
	if err == nil && dir != "" {
		runID, digest, err = q.keep(ctx, dir)
	}
	if err == nil {
		err = os.RemoveAll(out)
	}
	switch {
	case err != nil:
		q.o.Log.Error("keep the bundle of a run", "id", j.ID, "error", err)
		why = strings.TrimPrefix(why+"; its bundle could not be kept (the log of the server says why)", "; ")
		if s == Done {
			s = Failed
		}
	case dir == "" && s == Done:
		s, why = Failed, "it made no bundle"
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	j.RunID, j.Digest = runID, digest
	q.set(j, s, why)
}

// keep seals a bundle that was cut off, and hands it to the warehouse.
func (q *Queue) keep(ctx context.Context, dir string) (runID, digest string, err error) {
	if _, err := bundle.Recover(ctx, dir, bundle.SealOptions{}); err != nil {
		return "", "", err
	}
	return q.o.Keep(ctx, dir)
}

// made finds the bundle that a run has left; empty where there is none.
func made(out string) (string, error) {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if dir := filepath.Join(out, e.Name()); e.IsDir() && bundle.Remains(dir) != "" {
			return dir, nil
		}
	}
	return "", nil
}

// patience is how long a run that is asked to end may take to seal what it has. It is a
// variable for tests.
var patience = 10 * time.Second

// process runs assay run until it ends or ctx does. It gives the last words of a run that
// failed.
func (q *Queue) process(ctx context.Context, j *job, end context.CancelCauseFunc) (said string, err error) {
	dir := q.place(j.ID)
	out := filepath.Join(dir, outDir)
	if err := errors.Join(os.RemoveAll(out), os.Mkdir(out, 0o700)); err != nil {
		return "", err
	}
	args := []string{"run", filepath.Join(dir, documentFile), "--out", out, "--format", "json", "--progress", string(live.JSON), "--progress-interval", "1s"}
	if j.Launcher != "local" {
		args = append(args, "--launcher", j.Launcher)
	}
	cmd := exec.Command(q.o.Binary, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = q.o.Bounds.Files, q.o.Env, child.Bound()
	if cmd.Dir == "" {
		cmd.Dir = dir
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	// The kernel ends the process with the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	sacrifice(cmd.Process.Pid)
	over := make(chan struct{})
	go q.mind(ctx, cmd.Process.Pid, out, over, end)
	said = q.listen(stderr, j)
	err = cmd.Wait()
	close(over)
	return said, err
}

// mind ends a process when ctx ends, and ctx when the process writes too much.
func (q *Queue) mind(ctx context.Context, pid int, out string, over <-chan struct{}, end context.CancelCauseFunc) {
	look := time.NewTicker(2 * time.Second)
	defer look.Stop()
	for {
		select {
		case <-over:
			return
		case <-look.C:
			if size(out) > q.o.Bytes {
				end(errBytes)
			}
		case <-ctx.Done():
			// The process is not waited for yet, so that its number is still its own.
			syscall.Kill(pid, syscall.SIGINT) // one that is gone needs none
			select {
			case <-over:
			case <-time.After(patience):
				syscall.Kill(-pid, syscall.SIGKILL) // as above
			}
			return
		}
	}
}

func size(dir string) (total int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil // what is gone meanwhile has no size
	})
	return total
}

// sacrifice has the kernel end this process first where memory runs out, and not the
// server. Other systems have no such file.
func sacrifice(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0)
}

const (
	longestLine = 64 << 10
	lastWords   = 2000 // bytes
)

// listen reads what a run says: moments, which are shown, and words, of which it keeps
// the last.
func (q *Queue) listen(r io.Reader, j *job) string {
	var words bytes.Buffer
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), longestLine)
	for lines.Scan() {
		var m live.Moment
		if line := lines.Bytes(); bytes.HasPrefix(line, []byte(`{"at":`)) && json.Unmarshal(line, &m) == nil {
			q.mu.Lock()
			j.moment = &m
			j.tell()
			q.mu.Unlock()
			continue
		}
		fmt.Fprintln(&words, lines.Text())
		if extra := words.Len() - lastWords; extra > 0 {
			words.Next(extra)
		}
	}
	io.Copy(io.Discard, r) // a line without end must not hold the process up
	text := strings.ReplaceAll(words.String(), q.place(j.ID), "JOB")
	return visible.Text(strings.TrimSpace(text))
}
