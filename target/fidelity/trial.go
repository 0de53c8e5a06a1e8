package fidelity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Schedule is what the simulator sends.
type Schedule struct {
	TTFT, ITL time.Duration
	Tokens    int

	// Over is the way in which a run's own client reaches it; empty means plain
	// HTTP/1.1.
	Over string `json:",omitempty"`
}

// length is how long one answer takes.
func (s Schedule) length() time.Duration { return s.TTFT + time.Duration(s.Tokens-1)*s.ITL }

// A Bench runs trials. Program is the assay binary that is started twice, as
// "sim" and as "calibrate observe".
type Bench struct {
	Program  string
	Schedule Schedule
	Rounds   int
	Cores    []int  // of the client and of the simulator; empty pins neither
	Burst    bool   // begin all streams at once; otherwise they are spread over one answer
	Profile  string // where the client writes a processor profile; empty means none

	// Spare is where the simulator runs beside a client that is kept on other
	// processors; empty means on the client's. Where none of them may be used, it is as
	// if it were empty.
	Spare []int

	Senders int // processors that the simulator may send from; zero means one

	// Terminal is where the client draws a live view while it measures, as a run
	// does in a terminal. Nil means that it draws none.
	Terminal *os.File

	way way // of the trial under way
}

// Trial measures one reader, which may be one of Over, at one number of streams.
func (b Bench) Trial(ctx context.Context, reader string, streams, trial int) (Result, error) {
	dir, err := os.MkdirTemp("", "assay-calibrate-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "truth.csv")
	plain, way, _ := strings.Cut(reader, over)
	b.way = wayOf(way, dir)
	url, stop, err := b.simulate(ctx, log)
	if err != nil {
		return Result{}, err
	}
	seen, startup, err := b.observe(ctx, url, plain, streams)
	if err := errors.Join(err, stop()); err != nil {
		return Result{}, err
	}
	file, err := os.Open(log)
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	t, err := readTruth(file)
	if err != nil {
		return Result{}, err
	}
	r := judge(seen, t)
	r.Reader, r.Streams, r.Trial, r.Startup = reader, streams, trial, startup
	r.Stamps += b.way.label
	if want := streams * b.Rounds; len(seen.Requests)+seen.Failed != want {
		return r, fmt.Errorf("%d requests were made, want %d", len(seen.Requests)+seen.Failed, want)
	}
	return r, nil
}

// simulate starts the simulator. stop ends it and waits until its log is whole.
func (b Bench) simulate(ctx context.Context, log string) (url string, stop func() error, err error) {
	s := b.Schedule
	cmd := exec.CommandContext(ctx, b.Program, "sim", "--addr", "127.0.0.1:0", "--json", "--attached", "--pacers", strconv.Itoa(max(1, b.Senders)), "--truth", log,
		"--ttft", s.TTFT.String(), "--itl", s.ITL.String(), "--tokens", strconv.Itoa(s.Tokens))
	cmd.Args = append(cmd.Args, b.way.server...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second // to write its log; then it is killed
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if _, err := cmd.StdinPipe(); err != nil { // held until Wait, so that the simulator ends with us even when we are killed
		return "", nil, err
	}
	if err := b.start(cmd, 1); err != nil {
		return "", nil, fmt.Errorf("start the simulator: %w", err)
	}
	var ready struct{ URL string }
	answers := json.NewDecoder(out)
	if err := answers.Decode(&ready); err != nil {
		return "", nil, errors.Join(fmt.Errorf("the simulator did not start: %s: %w", stderr.String(), err), cmd.Process.Kill(), cmd.Wait())
	}
	return ready.URL, func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		var totals json.RawMessage
		_ = answers.Decode(&totals) // the pipe must be read to its end before Wait
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("the simulator failed: %s: %w", stderr.String(), err)
		}
		return nil
	}, nil
}

// observe runs the client process.
func (b Bench) observe(ctx context.Context, url, reader string, streams int) (Observed, time.Duration, error) {
	begin := b.Schedule.length()
	if b.Burst {
		begin = 0
	}
	args := []string{"calibrate", "observe", "--url", url, "--reader", reader, "--streams", strconv.Itoa(streams),
		"--rounds", strconv.Itoa(b.Rounds), "--tokens", strconv.Itoa(b.Schedule.Tokens), "--spread", begin.String()}
	if b.Profile != "" {
		args = append(args, "--profile", b.Profile)
	}
	cmd := exec.CommandContext(ctx, b.Program, append(args, b.way.client...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	b.attach(cmd, &stderr)
	var started unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &started); err != nil {
		return Observed{}, 0, err
	}
	err := b.start(cmd, 0)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return Observed{}, 0, fmt.Errorf("the client failed: %s: %w", stderr.String(), err)
	}
	seen, err := readObserved(&stdout)
	if err != nil {
		return Observed{}, 0, fmt.Errorf("the client's answer: %w", err)
	}
	return seen, time.Duration(seen.Ready - started.Nano()), nil
}

// start starts cmd, the client (0) or the simulator (1), on its processors.
func (b Bench) start(cmd *exec.Cmd, which int) error {
	if len(b.Cores) > 0 {
		return startOn(cmd, b.Cores[which%len(b.Cores)])
	}
	if which == 1 && len(b.Spare) > 0 {
		if err := startOn(cmd, b.Spare...); !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	return cmd.Start()
}

// MostStreams is how many streams the descriptor limit allows, with some left
// for everything else.
func MostStreams() (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("getrlimit: %w", err)
	}
	return int(min(limit.Cur, 1<<20)) - 200, nil
}
