package fidelity

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"assay/record"
	"assay/target"
)

// A Load is what the client process does.
type Load struct {
	URL     string
	Reader  string // as target.Config.Reader
	CAFile  string // whose certificate to trust, for a URL with https
	HTTP2   bool
	Streams int
	Rounds  int // requests of each stream; the first opens its connection and is not judged
	Tokens  int
	Spread  time.Duration // over which the streams begin
	Watcher Watcher       // sees what was decoded; nil means nobody does
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
	Requests  []Answer      `json:"-"`               // they follow, one by one
}

// An Answer is one stream as the client saw it.
type Answer struct {
	ID     string  `json:"id"`                // the server's
	Round  int     `json:"round"`             // of its stream
	Sent   int64   `json:"sent_ns"`           // when it was decided to send it
	Wait   int64   `json:"wait_ns,omitempty"` // from when it was due until the decision to send
	Late   int64   `json:"late_ns,omitempty"` // the part of Wait that latency counts: none in a closed loop
	Lag    int64   `json:"lag_ns"`            // from the decision to send until the last byte was written
	Stamps string  `json:"stamps"`
	At     []int64 `json:"at_ns"` // of each token
}

// Observe puts the load on the server and writes what it saw to w, as JSON: an
// Observed and then every Answer.
func (l Load) Observe(ctx context.Context, w io.Writer) error {
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	dialect, err := target.Find("openai-chat")
	if err != nil {
		return err
	}
	secured, err := trust(l.CAFile)
	if err != nil {
		return err
	}
	client, err := target.New(target.Config{
		URLs: []string{l.URL}, Reader: l.Reader, TLS: secured, HTTP2: l.HTTP2, Connections: l.Streams,
		Ask: target.Ask{Model: "sim", Stream: true}, Timeout: 5 * time.Minute,
	}, dialect, clock)
	if err != nil {
		return err
	}
	defer client.Close()
	seen := Observed{Ready: clock.Now() + clock.Epoch}
	before, err := processTime()
	if err != nil {
		return err
	}
	answers, err := l.run(ctx, client, clock, &seen)
	if err != nil {
		return err
	}
	after, err := processTime()
	if err != nil {
		return err
	}
	seen.CPU = after - before
	if seen.RSS, seen.RSSFile, err = residentSet(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(seen); err != nil {
		return err
	}
	for _, a := range answers {
		if err := encoder.Encode(a.answer()); err != nil {
			return err
		}
	}
	return out.Flush()
}

// readObserved reads what Observe wrote.
func readObserved(r io.Reader) (Observed, error) {
	var seen Observed
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&seen); err != nil {
		return seen, err
	}
	for {
		var a Answer
		err := decoder.Decode(&a)
		if errors.Is(err, io.EOF) {
			return seen, nil
		}
		if err != nil {
			return seen, err
		}
		seen.Requests = append(seen.Requests, a)
	}
}

// A folded is an Answer in half the memory: what is kept to be judged later is no
// part of what a client needs, but counts as its memory.
type folded struct {
	Answer
	at []byte // differences of stamps, as varints
}

func fold(a Answer) folded {
	f := folded{Answer: a, at: make([]byte, 0, 5*len(a.At)+5)}
	before := int64(0)
	for _, at := range a.At {
		f.at = binary.AppendVarint(f.at, at-before)
		before = at
	}
	f.at = bytes.Clone(f.at) // to size
	f.At = nil
	return f
}

func (f folded) answer() Answer {
	a, at := f.Answer, int64(0)
	for rest := f.at; len(rest) > 0; {
		step, n := binary.Varint(rest)
		rest = rest[n:]
		at += step
		a.At = append(a.At, at)
	}
	return a
}

// run asks Rounds times on every stream. Answers are decoded as they end, on a
// thread of their own, as in a real run.
func (l Load) run(ctx context.Context, client *target.Client, clock *record.Clock, seen *Observed) (answers []folded, err error) {
	p, err := client.Prepare(record.Call{Prompt: "hello", OutputTokens: int32(l.Tokens)})
	if err != nil {
		return nil, err
	}
	raws := make(chan *target.Raw, l.Streams*l.Rounds) // a place for each, so that nobody waits for the decoder
	decoded := make(chan error, 1)
	go func() { // ends when raws is closed
		var err error
		answers, err = l.decode(client, clock, raws, seen)
		decoded <- err
	}()
	var streams sync.WaitGroup
	begin := clock.Now()
	for i := range l.Streams {
		if ahead := clock.Until(begin + int64(l.Spread)*int64(i)/int64(l.Streams)); ahead > 0 {
			time.Sleep(ahead)
		}
		p.Call.ID = int64(i * l.Rounds)
		streams.Add(1)
		s := &stream{client: client, clock: clock, raws: raws, left: l.Rounds, ended: streams.Done}
		if client.Inline() {
			s.next(ctx, p)
		} else {
			go s.work(ctx, p) // ends with the stream, which is waited for
		}
	}
	streams.Wait()
	close(raws)
	err = <-decoded
	return answers, err
}

// A stream asks again as soon as its answer has ended.
type stream struct {
	client *target.Client
	clock  *record.Clock
	raws   chan<- *target.Raw
	left   int // requests
	ended  func()
}

// next asks without a goroutine.
func (s *stream) next(ctx context.Context, p target.Prepared) {
	s.client.Start(ctx, p, s.clock.Now(), func(raw *target.Raw) {
		s.left--
		p.Call.ID++
		more := s.left > 0
		if more {
			s.next(ctx, p)
		}
		s.raws <- raw
		if !more {
			s.ended()
		}
	})
}

// work asks on a goroutine.
func (s *stream) work(ctx context.Context, p target.Prepared) {
	defer s.ended()
	for range s.left {
		s.raws <- s.client.Do(ctx, p, s.clock.Now())
		p.Call.ID++
	}
}

func (l Load) decode(client *target.Client, clock *record.Clock, raws <-chan *target.Raw, seen *Observed) (answers []folded, err error) {
	runtime.LockOSThread() // its processor time is distinguished
	defer runtime.UnlockOSThread()
	stamps := make([]int64, 0, l.Tokens)
	for raw := range raws {
		request, chunks := client.Decode(raw)
		if l.Watcher != nil {
			l.Watcher(&request, chunks)
		}
		if request.Result != record.OK {
			seen.fail(request)
			continue
		}
		answer := Answer{ID: request.ServerID, Round: int(request.ID) % l.Rounds, Sent: request.Sent + clock.Epoch, Stamps: request.Stamps, At: stamps[:0]}
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
		stamps = answer.At
		answers = append(answers, fold(answer))
	}
	seen.DecodeCPU, err = threadTime()
	return answers, err
}
