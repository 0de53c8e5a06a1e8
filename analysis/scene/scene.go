// Package scene builds small sealed bundles of known records, so that code which
// judges bundles can be tested against a truth: every launch is as slow as it is
// told to be. It measures nothing and is no part of any command.
package scene

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A Run says what a bundle shall hold.
type Run struct {
	Dir      string // of the bundle; it must not exist
	ID       string
	Document string    // a BenchmarkRun
	Begun    time.Time // zero means Begin

	Environment record.Environment
	Launches    []Launch

	Keep   func(w *bundle.Writer, p plan.Plan) error // writes derived files before the seal; nil writes none
	Signer bundle.Signer                             // nil leaves the bundle unsigned
}

// A Launch is one launch of one side.
type Launch struct {
	Side  string
	Block int

	// Set and Nodes are where it was made; zero where nobody says.
	Set   int
	Nodes []string

	// Slow is the factor on every time of the launch. Zero means 1.
	Slow float64

	// Requests is the number of successful requests at each point. Zero means 40.
	Requests int

	// Failed is the number of requests at each point that end in an error.
	Failed int

	// Died says that the launch itself failed.
	Died bool
}

// The truth of a launch that is not slowed.
const (
	ttft   = 20e6 // ns, the median request's
	gap    = 5e6  // ns between two tokens
	tokens = 8
)

// runs counts the runs of this process.
var runs atomic.Int64

// Begin is when the next run of a scene begins: some minutes after the one before it,
// and all of the first five hundred before now, so that runs lie in time as they were written.
func Begin() time.Time {
	return time.Now().Add(-48*time.Hour + time.Duration(runs.Add(1))*5*time.Minute)
}

// Build writes the bundle.
func (r Run) Build(ctx context.Context) (*bundle.Bundle, error) {
	doc, faults := spec.Parse(r.ID, []byte(r.Document))
	if !spec.Valid(faults) {
		return nil, fmt.Errorf("scene %s: %v", r.ID, faults)
	}
	document, err := r.document(doc.Run)
	if err != nil {
		return nil, err
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		return nil, err
	}
	encoded, err := p.Encode()
	if err != nil {
		return nil, err
	}
	begun := r.Begun
	if begun.IsZero() {
		begun = Begin()
	}
	w, err := bundle.Create(r.Dir, bundle.Header{RunID: r.ID, Created: begun, Spec: document, Plan: encoded, WorkloadDigest: p.WorkloadDigest})
	if err != nil {
		return nil, err
	}
	if err := w.SetEnvironment(r.Environment); err != nil {
		return nil, err
	}
	for i, l := range r.Launches {
		if begun, err = l.write(w, p, i, begun); err != nil {
			return nil, fmt.Errorf("scene %s: launch %d: %w", r.ID, i, err)
		}
	}
	if r.Keep != nil {
		if err := r.Keep(w, p); err != nil {
			return nil, err
		}
	}
	if _, err := w.Seal(ctx, bundle.Completed, bundle.SealOptions{Signer: r.Signer}); err != nil {
		return nil, err
	}
	return bundle.Open(r.Dir)
}

// document is what the run was asked for: of as many launches as it has, where its text leaves
// that open.
func (r Run) document(run *spec.Run) ([]byte, error) {
	each, most := map[string]int{}, 0
	for _, l := range r.Launches {
		each[l.Side]++
		most = max(most, each[l.Side])
	}
	trials := &run.Spec.Trials
	if most <= 3 || trials.Sets > 0 || trials.MinReplicates > 0 {
		return []byte(r.Document), nil
	}
	trials.MinReplicates = most
	return json.Marshal(run)
}

// write records one launch: at each point one user who asks again as soon as the
// answer has come, so that throughput is the inverse of time.
func (l Launch) write(w *bundle.Writer, p plan.Plan, index int, begun time.Time) (ended time.Time, err error) {
	if l.Slow == 0 {
		l.Slow = 1
	}
	if l.Requests == 0 {
		l.Requests = 40
	}
	out, err := w.StartLaunch(bundle.LaunchStart{Index: index, Order: index, Side: l.Side, Block: l.Block, Set: l.Set, Nodes: l.Nodes, Clock: record.ClockID, Wall: begun})
	if err != nil {
		return begun, err
	}
	now, id := int64(0), int64(0)
	for _, point := range p.Points {
		begin := now
		for i := range l.Requests + l.Failed {
			r, chunks := l.request(id, now, i)
			r.Point = int32(point.Index)
			if point.Rate > 0 {
				r.User = -1 // of an open loop
			}
			if i >= l.Requests {
				r.Result, r.Error = record.Truncated, "the stream ended early"
			}
			if err := out.Requests.Append(r); err != nil {
				return begun, err
			}
			if err := out.Chunks.Append(chunks...); err != nil {
				return begun, err
			}
			now, id = r.Done, id+1
		}
		at := int32(point.Index)
		if err := out.Events.Append(record.Event{At: begin, Name: record.WindowBegin, Point: at}, record.Event{At: now + 1, Name: record.WindowEnd, Point: at}); err != nil {
			return begun, err
		}
	}
	end := bundle.LaunchEnd{Outcome: bundle.LaunchCompleted, Wall: begun.Add(time.Duration(now))}
	if l.Died {
		end.Outcome, end.Reason = bundle.LaunchFailed, "the server ended by itself"
	}
	return end.Wall, out.Close(end)
}

// request is number i of a point. Its times vary from request to request, and
// alike in every launch.
func (l Launch) request(id, due int64, i int) (record.Request, []record.Chunk) {
	rng := rand.New(rand.NewPCG(uint64(i), 0))
	vary := math.Exp(.1 * rng.NormFloat64())
	usage := int32(tokens)
	r := record.Request{
		ID: id, Phase: record.Measure, Due: due, Sent: due, Result: record.OK, Status: 200,
		AskedOutput: usage, UsageOutput: &usage, Chunks: tokens,
	}
	var chunks []record.Chunk
	at := due + int64(ttft*vary*l.Slow)
	for seq := range tokens {
		if seq > 0 {
			at += int64(gap * l.Slow)
		}
		chunks = append(chunks, record.Chunk{Request: id, Seq: int32(seq), At: at, Kind: record.Content, Bytes: 8, TextBytes: 4})
	}
	r.Done = at
	return r, chunks
}

// Noise is n factors around centre that vary from launch to launch with the
// coefficient of variation cv, drawn from seed.
func Noise(n int, centre, cv float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, seed))
	list := make([]float64, n)
	for i := range list {
		list[i] = centre * math.Exp(cv*rng.NormFloat64())
	}
	return list
}

// Launches are launches of one side, as slow as the factors say.
func Launches(slow []float64) []Launch {
	var list []Launch
	for _, s := range slow {
		list = append(list, Launch{Slow: s})
	}
	return list
}
