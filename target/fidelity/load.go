package fidelity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"assay/record"
	"assay/target"
)

// A Load is what the client process does.
type Load struct {
	URL     string
	Reader  string // as target.Config.Reader
	Streams int
	Rounds  int // requests of each stream; the first opens its connection and is not judged
	Tokens  int
	Spread  time.Duration // over which the streams begin
}

// Observed is what the client process saw. Times are CLOCK_MONOTONIC, which both
// processes share.
type Observed struct {
	Ready     int64         `json:"ready_ns"` // when the first request could go out
	CPU       time.Duration `json:"cpu_ns"`   // from then on
	DecodeCPU time.Duration `json:"decode_cpu_ns"`
	RSS       int64         `json:"rss_bytes"`      // the most there ever was
	RSSFile   int64         `json:"rss_file_bytes"` // at the end: pages of the program file, which all its processes share
	Failed    int           `json:"failed"`
	Error     string        `json:"error,omitempty"` // of the first failed request
	Reads     int           `json:"reads"`           // distinct stamps
	Shared    int           `json:"shared"`          // tokens that came in one read with the token before
	Requests  []Answer      `json:"requests"`
}

// An Answer is one stream as the client saw it.
type Answer struct {
	ID     string  `json:"id"`                // the server's
	Round  int     `json:"round"`             // of its stream
	Sent   int64   `json:"sent_ns"`           // when it was decided to send it
	Wait   int64   `json:"wait_ns,omitempty"` // from when it was due until the decision to send
	Lag    int64   `json:"lag_ns"`            // from the decision to send until the last byte was written
	Stamps string  `json:"stamps"`
	At     []int64 `json:"at_ns"` // of each token
}

// Observe puts the load on the server and writes what it saw to w, as JSON.
func (l Load) Observe(ctx context.Context, w io.Writer) error {
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	dialect, err := target.Find("openai-chat")
	if err != nil {
		return err
	}
	client, err := target.New(target.Config{
		URLs: []string{l.URL}, Reader: l.Reader, Connections: l.Streams,
		Ask: target.Ask{Model: "sim", Stream: true}, Timeout: 5 * time.Minute,
	}, dialect, clock)
	if err != nil {
		return err
	}
	defer client.Close()
	seen := Observed{Ready: clock.Now() + clock.Epoch}
	before, err := usage(unix.RUSAGE_SELF)
	if err != nil {
		return err
	}
	if err := l.run(ctx, client, clock, &seen); err != nil {
		return err
	}
	after, err := usage(unix.RUSAGE_SELF)
	if err != nil {
		return err
	}
	seen.CPU = after - before
	if seen.RSS, seen.RSSFile, err = residentSet(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(seen)
}

// run asks Rounds times on every stream. Answers are decoded as they end, on a
// thread of their own, as in a real run.
func (l Load) run(ctx context.Context, client *target.Client, clock *record.Clock, seen *Observed) error {
	raws := make(chan *target.Raw, l.Streams) // a place per stream, so that none waits for the decoder
	decoded := make(chan error, 1)
	go func() { decoded <- l.decode(client, clock, raws, seen) }() // ends when raws is closed
	var users sync.WaitGroup
	for user := range l.Streams {
		users.Go(func() { l.user(ctx, client, clock, user, raws) })
	}
	users.Wait()
	close(raws)
	return <-decoded
}

func (l Load) user(ctx context.Context, client *target.Client, clock *record.Clock, user int, raws chan<- *target.Raw) {
	call := record.Call{ID: int64(user * l.Rounds), Prompt: "hello", OutputTokens: int32(l.Tokens)}
	p, err := client.Prepare(call)
	if err != nil {
		return // shows as missing requests
	}
	time.Sleep(l.Spread * time.Duration(user) / time.Duration(l.Streams))
	for range l.Rounds {
		raws <- client.Do(ctx, p, clock.Now())
		p.Call.ID++
	}
}

func (l Load) decode(client *target.Client, clock *record.Clock, raws <-chan *target.Raw, seen *Observed) error {
	runtime.LockOSThread() // its processor time is told apart
	defer runtime.UnlockOSThread()
	for raw := range raws {
		request, chunks := client.Decode(raw)
		if request.Result != record.OK {
			seen.fail(request)
			continue
		}
		answer := Answer{ID: request.ServerID, Round: int(request.ID) % l.Rounds, Sent: request.Sent + clock.Epoch, Stamps: request.Stamps, At: make([]int64, 0, l.Tokens)}
		if request.Wrote != nil {
			answer.Lag = *request.Wrote - request.Sent
		}
		last := int64(-1)
		for _, c := range chunks {
			if c.Kind == record.Content {
				answer.At = append(answer.At, c.At+clock.Epoch)
			}
			if c.At != last {
				seen.Reads++
				last = c.At
			}
		}
		seen.Requests = append(seen.Requests, answer)
	}
	var err error
	seen.DecodeCPU, err = usage(unix.RUSAGE_THREAD)
	return err
}

func usage(who int) (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// residentSet is the largest that this process has had, which unlike getrusage's
// does not begin with that of the parent, and how much of it is file pages now.
func residentSet() (peak, file int64, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmHWM:" && fields[0] != "RssFile:" {
			continue
		}
		kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("/proc/self/status, %s %w", fields[0], err)
		}
		if fields[0] == "VmHWM:" {
			peak = kilobytes << 10
		} else {
			file = kilobytes << 10
		}
	}
	if peak == 0 {
		return 0, 0, errors.New("/proc/self/status has no VmHWM")
	}
	return peak, file, nil
}
