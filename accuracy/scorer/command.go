package scorer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/spec"
)

// longestReply bounds what one batch may answer: a scorer that floods must not fill our
// memory. 4096 answers with ten scores each stay below 2 MiB.
const longestReply = 16 << 20

// patience is how long a program may take to end once its input has.
const patience = 2 * time.Second

// A command is a program that reads batches and writes scores, line by line.
type command struct {
	name    string
	names   []string
	timeout time.Duration
	cmd     *exec.Cmd
	in      io.WriteCloser
	said    *tail
	lines   chan line     // what it wrote; closed when it has ended
	done    chan struct{} // closed when nobody wants lines any more
	exited  chan error
	broken  bool
}

// A line of a program's output, or why there is none.
type line struct {
	text []byte
	err  error
}

var _ Scorer = (*command)(nil)

// passed are the variables that every program gets.
var passed = []string{"PATH", "HOME", "LANG", "TMPDIR"}

// startCommand starts the program of s in a process group of its own, so that what it
// starts ends with it. It sees no variable that it was not given: the keys of the process
// that starts it are nobody else's.
func startCommand(ctx context.Context, s spec.Scorer, env Environment) (Scorer, error) {
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	for _, name := range slices.Concat(passed, s.Env) {
		value, ok := env.Lookup(name)
		switch {
		case ok:
			cmd.Env = append(cmd.Env, name+"="+value)
		case slices.Contains(s.Env, name):
			return nil, fmt.Errorf("scorer %s: environment variable %s is not set", s.Name, name)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = patience // a child of it may hold the pipes open
	c := &command{
		name: s.Name, names: s.Scores, timeout: time.Duration(s.Timeout), cmd: cmd, said: &tail{},
		lines: make(chan line), done: make(chan struct{}), exited: make(chan error, 1),
	}
	cmd.Stderr = c.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("scorer %s: %w", s.Name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("scorer %s: %w", s.Name, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("scorer %s: start %s: %w", s.Name, s.Command[0], err)
	}
	c.in = in
	go c.read(out) // ends with the output, or with done; Close waits for it
	return c, nil
}

// read hands over the output line by line, and reaps the program when it has ended.
func (c *command) read(out io.Reader) {
	defer close(c.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestReply)
	for lines.Scan() {
		select {
		case c.lines <- line{text: bytes.Clone(lines.Bytes())}:
		case <-c.done:
			c.exited <- c.cmd.Wait()
			return
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line of its output is longer than %d MiB", longestReply>>20)
		killGroup(c.cmd)
	}
	waited := c.cmd.Wait()
	if err == nil {
		err = c.ended(waited)
	}
	select {
	case c.lines <- line{err: err}:
	case <-c.done:
	}
	c.exited <- waited
}

// ended says how the program ended, with the last that it said.
func (c *command) ended(err error) error {
	how := "it ended"
	if err != nil {
		how = "it ended with " + err.Error()
	}
	if said := c.said.text(); said != "" {
		how += ", saying: " + said
	}
	return errors.New(how)
}

// Score writes the batch as one line and reads one, both at once: a program may reply
// before it has read everything.
func (c *command) Score(ctx context.Context, batch []Item) ([]Result, error) {
	if c.broken {
		return nil, errors.New("it was ended before")
	}
	results, err := c.exchange(ctx, batch)
	c.broken = err != nil
	return results, err
}

func (c *command) exchange(ctx context.Context, batch []Item) ([]Result, error) {
	text, err := json.Marshal(wireBatch{batch})
	if err != nil {
		return nil, err
	}
	wrote := make(chan error, 1) // one write, whose result may come when nobody waits any more
	go func() {                  // ends when the program reads or ends; Close makes it end
		_, err := c.in.Write(append(text, '\n'))
		wrote <- err
	}()
	limit := time.NewTimer(c.timeout)
	defer limit.Stop()
	var l line
	for lines := c.lines; lines != nil || wrote != nil; {
		select {
		case <-wrote:
			wrote = nil // where it failed the program has ended, and its output says how
		case l = <-lines:
			if l.err != nil {
				return nil, l.err
			}
			lines = nil
		case <-limit.C:
			return nil, fmt.Errorf("no reply to a batch of %d within %s", len(batch), c.timeout)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	reply, err := decode(l.text)
	if err != nil {
		return nil, err
	}
	return match(batch, reply, c.names)
}

// Close ends the input, waits a little, and kills whatever of the group is left.
func (c *command) Close() error {
	close(c.done)
	c.in.Close()
	if c.broken {
		killGroup(c.cmd)
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case err := <-c.exited:
		killGroup(c.cmd) // children that it left behind
		if err != nil && !c.broken {
			return c.ended(err)
		}
		return nil
	case <-limit.C:
		killGroup(c.cmd)
		<-c.exited
		return nil
	}
}

// killGroup kills the program and everything that it started.
func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// longestTail is how much of it.
const longestTail = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - longestTail; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) text() string { return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "�")) }
