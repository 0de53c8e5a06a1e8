package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"assay/generator"
	"assay/record"
)

// tokens is the chunks of one stream.
const tokens = 100

// leadGenerators leads load generators through a point in which nothing is sent and one in
// which streams end.
func leadGenerators(ctx context.Context, w work) (string, error) {
	before := held()
	begun := cpu()
	l, err := generator.Listen(generator.Options{Run: "bench", Program: "1", Count: w.N, Epoch: record.Mono(), Hang: 2 * time.Minute})
	if err != nil {
		return "", err
	}
	defer l.Close()
	w.Kind = "generators"
	for number := range w.N {
		c, err := l.Credentials(number)
		if err != nil {
			return "", err
		}
		w.Credentials = append(w.Credentials, c)
	}
	wait, err := crowdOf(ctx, w)
	if err != nil {
		return "", err
	}
	w.Credentials = nil // they are handed over, and the leader keeps none of them
	if err := l.Gather(ctx); err != nil {
		return "", err
	}
	join := cpu() - begun
	memory := held() - before
	sync, err := spent(func() error { return l.Sync(ctx, generator.Before, exchanges) })
	if err != nil {
		return "", err
	}
	plan := json.RawMessage(`"` + strings.Repeat("x", 4000) + `"`)
	if err := l.Launch(ctx, func(int) (generator.Part, error) { return generator.Part{Run: "bench", Plan: plan}, nil }); err != nil {
		return "", err
	}
	streams := 0
	l.Collect(func(_ int, rows generator.Rows) error {
		streams += len(rows.Requests)
		return nil
	})
	var took [2]time.Duration
	var in, out [3]int64
	for index := range took {
		in[index], out[index] = bytesOf(l)
		if took[index], err = spent(func() error { _, err := l.Point(ctx, courseOf(index)); return err }); err != nil {
			return "", err
		}
	}
	in[2], out[2] = bytesOf(l)
	l.End()
	if _, err := wait(); err != nil {
		return "", err
	}
	if streams == 0 {
		return "", errors.New("no stream arrived")
	}
	members, seconds := float64(w.N), w.Duration.Seconds()
	return fmt.Sprintf("%15d  %8s  %6.1f KiB  %12s  %19s  %5.0f B/s  %6.0f B/s  %15s  %11.0f B", w.N,
		each(join, members), float64(memory)/1024/members, each(sync, members*exchanges), each(took[0], members*seconds),
		float64(in[1]-in[0])/members/seconds, float64(out[1]-out[0])/members/seconds,
		beyond(took[1], took[0], float64(streams)), float64(in[2]-in[1]-(in[1]-in[0]))/float64(streams)), nil
}

func courseOf(index int) generator.Course {
	return generator.Course{Index: index, Begun: func() {}, Counted: func(generator.Tally) {}, Entered: func(record.Phase, int64) {}}
}

// bytesOf is what the lines have carried so far, before encryption.
func bytesOf(l *generator.Leader) (in, out int64) {
	for _, g := range l.Describe() {
		in, out = in+g.Received, out+g.Sent
	}
	return in, out
}

// beGenerators joins all load generators and does what the leader says.
func beGenerators(ctx context.Context, w work) error {
	var all sync.WaitGroup
	errs := make([]error, w.N)
	door := make(chan struct{}, atOnce)
	for number, data := range w.Credentials {
		all.Go(func() { errs[number] = beGenerator(ctx, w, number, data, door) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// atOnce is how many members come at once: their handshakes are made by one process here,
// and by as many hosts as there are members elsewhere.
const atOnce = 64

func beGenerator(ctx context.Context, w work, number int, data []byte, door chan struct{}) error {
	c, err := generator.ParseCredentials(data)
	if err != nil {
		return err
	}
	door <- struct{}{}
	m, err := generator.Join(ctx, c, generator.Hello{Program: "1", Host: fmt.Sprintf("host%d", number)})
	<-door
	if err != nil {
		return err
	}
	defer m.Close()
	full := false
	for order := range m.Orders() {
		switch order.Kind {
		case generator.OrderLaunch:
			err = m.Report(generator.Report{Stage: generator.Ready})
		case generator.OrderPoint:
			full = order.Point == 1
			err = m.Report(generator.Report{Stage: generator.Prepared})
		case generator.OrderBegin:
			err = send(m, w, number, full)
		case generator.OrderRest:
			err = m.Report(generator.Report{Stage: generator.Done, Vitals: &generator.Vitals{}})
		case generator.OrderStop:
			err = errors.New("stopped: " + order.Why)
		case generator.OrderEnd:
			return nil
		}
		if err != nil {
			return fmt.Errorf("load generator %d: %w", number, err)
		}
	}
	return m.Err()
}

// countEvery is how often load generators count aloud, as those of a run do.
const countEvery = 250 * time.Millisecond

// send is a point: streams that end as the work says, and counts.
func send(m *generator.Member, w work, number int, full bool) error {
	if err := m.Report(generator.Report{Stage: generator.Entered, Phase: record.Measure, At: 1}); err != nil {
		return err
	}
	share := w.Streams * countEvery.Seconds() / float64(w.N)
	due := float64(number) / float64(w.N) // not all of them at the same tick
	tally := generator.Tally{}
	for end := time.Now().Add(w.Duration); time.Now().Before(end); time.Sleep(countEvery) {
		for due += share; full && due >= 1; due-- {
			tally.Begun++
			if err := m.Request(stream(tally.Begun)); err != nil {
				return err
			}
		}
		if err := m.Report(generator.Report{Stage: generator.Counted, Tally: tally}); err != nil {
			return err
		}
	}
	if err := m.Report(generator.Report{Stage: generator.Entered, Phase: record.Cooldown, At: 2}); err != nil {
		return err
	}
	return m.Report(generator.Report{Stage: generator.Drained})
}

// stream is one request and its chunks, as a server of 100 tokens a second answers.
func stream(id int64) (record.Request, []record.Chunk) {
	at := record.Mono()
	r := record.Request{ID: id, Phase: record.Measure, Due: at, Sent: at + 3000, Done: at + 1e9, Result: record.OK, Status: 200, Chunks: tokens}
	var list []record.Chunk
	for i := range tokens {
		list = append(list, record.Chunk{Request: id, Seq: int32(i), At: at + int64(i)*10_012_345, Kind: record.Content, Bytes: 180, TextBytes: 4})
	}
	return r, list
}
