package target

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/record"
)

// python finds the interpreter that the programs of these tests need.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed (apt-get install python3): the command target is tested with real programs of it")
	}
	return path
}

// programClient starts a program and returns a client that speaks to it.
func programClient(t *testing.T, change func(*Config), command ...string) (*Client, error) {
	t.Helper()
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Ask: Ask{Model: "words", Stream: true}, Timeout: 20 * time.Second, KeepText: true,
		Program: &ServerConfig{Command: command, ReadyTimeout: 20 * time.Second, StopTimeout: 200 * time.Millisecond},
	}
	if change != nil {
		change(&cfg)
	}
	dialect, err := Find("command")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(cfg, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, c.StartProgram(t.Context(), io.Discard)
}

// The example answers several calls at once, and its own stamps are used.
func TestCommand(t *testing.T) {
	c, err := programClient(t, nil, python(t), filepath.Join("..", "examples", "command", "words.py"))
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for id := range int64(4) {
		calls.Go(func() {
			p, err := c.Prepare(record.Call{ID: id, Prompt: "a b c", OutputTokens: 6})
			if err != nil {
				t.Error(err)
				return
			}
			began := 0
			p.FirstByte = func() { began++ }
			r, chunks := c.Decode(c.Do(t.Context(), p, c.clock.Now()))
			if got := verdict(r, chunks); got != `ok status=0 flags=[] finish="length" usage=3/6/-/- text=" word0 word1 word2 word3 word4 word5" chunks=[content×6 finish usage done]` {
				t.Errorf("call %d: %s", id, got)
			}
			if r.Stamps != ReadProgram || began != 1 || r.ID != id {
				t.Errorf("call %d: stamped by %q, began %d times", r.ID, r.Stamps, began)
			}
			if span := time.Duration(chunks[5].At - chunks[0].At); span < 50*time.Millisecond {
				t.Errorf("six words 10ms apart span %v", span)
			}
			if r.Wrote == nil || *r.Wrote < r.Sent || *r.First > chunks[0].At || chunks[0].At < r.Sent || r.Done < chunks[5].At {
				t.Errorf("sent %d, wrote %v, first %v, chunks %d to %d, done %d", r.Sent, r.Wrote, r.First, chunks[0].At, chunks[5].At, r.Done)
			}
		})
	}
	calls.Wait()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 25*time.Millisecond, ErrGivenUp)
	defer cancel()
	p, err := c.Prepare(record.Call{ID: 9, Prompt: "a", OutputTokens: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := c.Decode(c.Do(ctx, p, c.clock.Now())); r.Result != record.Cancelled {
		t.Errorf("given up: outcome %q (%s)", r.Result, r.Error)
	}
}

// hello is how every program of these tests begins.
const hello = `
import json, os, socket, sys, time
host, port = os.environ["ASSAY_CTRL"].rsplit(":", 1)
link = socket.create_connection((host, int(port)))
def say(**line): link.sendall((json.dumps(line) + "\n").encode())
say(t="hello", token=os.environ["ASSAY_TOKEN"])
lines = link.makefile()
call = json.loads(lines.readline())
id = call.get("id")
`

// Whatever the program does, the record says it.
func TestCommandOutcomes(t *testing.T) {
	python := python(t)
	idle := func(cfg *Config) { cfg.Idle = 100 * time.Millisecond }
	beat := func(cfg *Config) { cfg.Program.heartbeat = 500 * time.Millisecond }
	unary := func(cfg *Config) { cfg.Ask.Stream = false }
	tests := []struct {
		name, script string
		change       func(*Config)
		want         record.Outcome
		problem      string
		text, stamps string
	}{
		{"crash", `say(t="chunk", id=id, text="half"); sys.exit(3)`, nil, record.Reset, "exit status 3", "half", ReadCommand},
		{"crash before a word", `os.kill(os.getpid(), 9)`, nil, record.Reset, "killed", "", ReadCommand},
		{"closed connection", `link.shutdown(2); time.sleep(60)`, nil, record.Reset, "closed its connection", "", ReadCommand},
		{"own error", `say(t="chunk", id=id, text="half"); say(t="err", id=id, text="boom"); time.sleep(60)`, nil, record.StreamErr, "boom", "half", ReadCommand},
		{"silence", `time.sleep(60)`, idle, record.IdleTime, "idle", "", ReadCommand},
		{"no heartbeat any more", `say(t="hb"); time.sleep(60)`, beat, record.IdleTime, "no heartbeat for 500ms", "", ReadCommand},
		{"heartbeats", `[(say(t="hb"), time.sleep(0.01)) for _ in range(5)]; say(t="chunk", id=id, text="late"); say(t="done", id=id, finish_reason="stop"); time.sleep(60)`, nil, record.OK, "", "late", ReadCommand},
		{"not streamed", `say(t="chunk", id=id, text="all"); say(t="done", id=id, finish_reason="stop"); time.sleep(60)`, unary, record.OK, "", "all", ReadCommand},
		{"bad kind", `say(t="chunk", id=id, kind="x", text="?"); say(t="done", id=id, finish_reason="stop"); time.sleep(60)`, nil, record.Protocol, `kind "x"`, "", ReadCommand},
		{"noise", `link.sendall(b"warning: not JSON\n{}\n"); say(t="chunk", id=99, text="stray"); say(t="chunk", id=id, text="ok"); say(t="done", id=id, finish_reason="stop"); time.sleep(60)`, nil, record.OK, "", "ok", ReadCommand},
		{"clock of its own", `say(t="chunk", id=id, mono=5, text="ok"); say(t="done", id=id, mono=6, finish_reason="stop"); time.sleep(60)`, nil, record.OK, "", "ok", ReadCommand},
		{"some stamps", `say(t="chunk", id=id, mono=time.monotonic_ns(), text="ok"); say(t="done", id=id, finish_reason="stop"); time.sleep(60)`, nil, record.OK, "", "ok", ReadCommand},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := programClient(t, tt.change, python, "-c", hello+tt.script)
			if err != nil {
				t.Fatal(err)
			}
			r, _ := ask6(t, t.Context(), c)
			if r.Result != tt.want || !strings.Contains(r.Error, tt.problem) || r.Text != tt.text || r.Stamps != tt.stamps {
				t.Errorf("outcome %q (%s), text %q, stamps %q; want %q (%s), %q, %q", r.Result, r.Error, r.Text, r.Stamps, tt.want, tt.problem, tt.text, tt.stamps)
			}
			if doubt := strings.Contains(r.Flags, "program_clock"); doubt != strings.Contains(tt.script, "mono") {
				t.Errorf("flags %q", r.Flags)
			}
			if tt.want != record.Reset {
				return
			}
			<-c.ProgramEnded()
			if again, _ := ask6(t, t.Context(), c); again.Result != record.Connect || !strings.Contains(c.ProgramFailure().Error(), tt.problem) {
				t.Errorf("after its end: outcome %q (%s), failure %v; want connect", again.Result, again.Error, c.ProgramFailure())
			}
		})
	}
}

// What a program says is bounded as what a server says is.
func TestCommandTooLarge(t *testing.T) {
	python := python(t)
	small := func(cfg *Config) { cfg.AnswerLimit = 1 << 20 }
	for name, script := range map[string]string{
		"the body of the answer": `while True: say(t="chunk", id=id, text="x" * 1000)`,
		"a line of the program":  `while True: link.sendall(b"x" * 100000)`,
	} {
		c, err := programClient(t, small, python, "-c", hello+"\n"+script)
		if err != nil {
			t.Fatal(err)
		}
		if r, _ := ask6(t, t.Context(), c); r.Result != record.TooLarge || !strings.Contains(r.Error, name) || r.Bytes > 2<<20 {
			t.Errorf("outcome %q (%s) after %d bytes, want %q: %s", r.Result, r.Error, r.Bytes, record.TooLarge, name)
		}
	}
}

// A program that does not come up is an error with what to do, and leaves
// nothing behind.
func TestCommandDoesNotStart(t *testing.T) {
	t.Parallel()
	python := python(t)
	soon := func(cfg *Config) { cfg.Program.ReadyTimeout = 500 * time.Millisecond }
	f := func(want string, change func(*Config), command ...string) {
		t.Helper()
		c, err := programClient(t, change, command...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", command, err, want)
		}
		if r, _ := ask6(t, t.Context(), c); r.Result != record.Connect {
			t.Errorf("a call of a program that did not start: outcome %q, want connect", r.Result)
		}
	}
	f("no-such-program", nil, "/no-such-program")
	f("ended before it said hello", nil, python, "-c", "import sys; sys.exit(1)")
	f("did not say hello", soon, python, "-c", "import time; time.sleep(60)")
	polite, _, _ := strings.Cut(hello, "lines =")
	f("did not say hello", soon, python, "-c", `import os; os.environ["ASSAY_TOKEN"] = "wrong"`+polite+"time.sleep(60)")
}
