package fidelity

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"assay/record"
	"assay/target"
)

// A Simulation is a simulator in a process of its own, for a client in this one:
// how a run measures its own error before and after it measures a target.
type Simulation struct {
	URL string

	dir  string
	way  way
	stop func() error
}

// Simulate starts the simulator on the bench's schedule.
func (b Bench) Simulate(ctx context.Context) (*Simulation, error) {
	dir, err := os.MkdirTemp("", "assay-calibrate-")
	if err != nil {
		return nil, err
	}
	b.way = wayOf(b.Schedule.Over, dir)
	s := &Simulation{dir: dir, way: b.way}
	if s.URL, s.stop, err = b.simulate(ctx, s.log()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// Reach makes cfg lead to the simulator.
func (s *Simulation) Reach(cfg *target.Config) (err error) {
	cfg.URLs, cfg.HTTP2 = []string{s.URL}, s.way.http2
	cfg.TLS, err = trust(s.way.caFile)
	return err
}

func (s *Simulation) log() string { return filepath.Join(s.dir, "truth.csv") }

// Judge ends the simulator and compares what was seen with what it sent.
func (s *Simulation) Judge(seen Observed) (r Result, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	if err := s.stop(); err != nil {
		return Result{}, err
	}
	file, err := os.Open(s.log())
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	t, err := readTruth(file)
	if err != nil {
		return Result{}, err
	}
	return judge(seen, t), nil
}

// Add notes one exchange as a run records it. Requests of the measured phase are
// judged; the others opened connections and filled the pipes.
func (o *Observed) Add(request record.Request, chunks []record.Chunk, clock *record.Clock) {
	switch {
	case request.Result == record.Cut:
		return // still under way when the load ended: it says nothing
	case request.Result != record.OK:
		o.fail(request)
		return
	}
	answer := Answer{ID: request.ServerID, Wait: request.Sent - request.Due, Late: request.Sent - request.Origin(), Stamps: request.Stamps}
	if request.Phase == record.Measure {
		answer.Round = 1
	}
	if request.Wrote != nil {
		answer.Lag = *request.Wrote - request.Sent
	}
	for i, c := range chunks {
		if c.Kind != record.Content {
			continue
		}
		answer.At = append(answer.At, c.At+clock.Epoch)
		if c.Shared && i > 0 && chunks[i-1].Kind == record.Content {
			o.Shared++
		}
	}
	o.Requests = append(o.Requests, answer)
}

func (o *Observed) fail(request record.Request) {
	o.Failed++
	if o.Error == "" {
		o.Error = string(request.Result) + ": " + request.Error
	}
}

// Record is r in the words of a bundle.
func (s Spread) Record() record.ErrorSpread {
	return record.ErrorSpread{
		N: s.N, P50: int64(s.P50), P90: int64(s.P90), Mean: int64(s.Mean), P99: int64(s.P99), P999: int64(s.P999), Max: int64(s.Max), Sigma: int64(s.Sigma),
	}
}
