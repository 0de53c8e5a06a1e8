package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"assay/intake"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/workload"
	"assay/workload/arrival"
	"assay/workload/session"
	"assay/workload/trace"
)

// A recording is the trace of a run, as far as the run uses it.
type recording struct {
	name, digest string
	total        int            // requests of the whole trace
	records      []trace.Record // those that are replayed
}

// readTrace reads the trace of p and makes sure that it is the one that the spec
// names. Of sessions it keeps whole ones.
func readTrace(p plan.Plan) (*recording, error) {
	load := p.Load()
	path := load.Trace.Path
	if path == "" {
		path = load.TraceRef
	}
	file, err := intake.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer file.Close()
	hash := sha256.New()
	records, err := trace.Read(load.Trace.Format, io.TeeReader(intake.Text(path, file), hash))
	if err == nil {
		_, err = io.Copy(hash, file) // what a reader may have left
	}
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", path, err)
	}
	r := &recording{name: filepath.Base(path), digest: "sha256:" + hex.EncodeToString(hash.Sum(nil)), total: len(records)}
	if name, _, ok := strings.Cut(load.TraceRef, "@"); ok {
		r.name = name
	}
	if load.Trace.Path != "" && !strings.HasSuffix(load.TraceRef, r.digest) {
		return nil, fmt.Errorf("trace %s has digest %s, spec.load.traceRef names %s: want the same content", path, r.digest, load.TraceRef)
	}
	if r.records, err = part(records, *load.Trace, p.Workload().Session != nil); err != nil {
		return nil, fmt.Errorf("trace %s: %w", path, err)
	}
	return r, r.check(path, p)
}

// part is what a spec uses of a trace: requests, or whole sessions, that begin
// in the window, the first of them up to the limit.
func part(records []trace.Record, t spec.Trace, sessions bool) ([]trace.Record, error) {
	inside := func(at time.Duration) bool { return at >= t.From.Std() && (t.To == 0 || at < t.To.Std()) }
	begin := map[string]time.Duration{} // of sessions, which come in the order of time
	taken := map[string]bool{}
	var list []trace.Record
	for _, r := range records {
		at, key := r.At, r.Session
		if sessions && key != "" {
			if _, known := begin[key]; !known {
				begin[key] = r.At
			}
			at = begin[key]
		}
		if !sessions || key == "" {
			key = "\x00" + r.ID // a thing of its own
		}
		if !inside(at) || !taken[key] && t.Limit > 0 && len(taken) == t.Limit {
			continue
		}
		taken[key] = true
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("none of %d requests lies between %v and %v: widen spec.load.trace", len(records), t.From, t.To)
	}
	return list, nil
}

// check refuses a trace that would be replayed as something else.
func (r *recording) check(path string, p plan.Plan) error {
	for _, record := range r.records {
		if record.Images > 0 && !p.Load().Trace.IgnoreImages {
			return fmt.Errorf("trace %s, request %s came with %d images: this version sends text alone, set spec.load.trace.ignoreImages to do that", path, record.ID, record.Images)
		}
		if api := p.Target().API; len(record.Messages) > 0 && !target.Converses(api) {
			return fmt.Errorf("trace %s, request %s is a conversation: spec.target.api %s takes one text, want a chat API", path, record.ID, api)
		}
	}
	if p.Workload().Session != nil {
		_, err := session.NewReplay(r.records, nil)
		return err
	}
	return nil
}

// times is when each call, or each session, came.
func (r *recording) times(p plan.Plan) ([]int64, error) {
	var list []int64
	if p.Workload().Session == nil {
		for _, record := range r.records {
			list = append(list, int64(record.At))
		}
		return list, nil
	}
	sessions, err := session.NewReplay(r.records, nil)
	if err != nil {
		return nil, err
	}
	for i := range sessions.Len() {
		list = append(list, int64(sessions.Start(i)))
	}
	return list, nil
}

// schedule is when calls, or sessions, of the point that replays the trace are
// due.
func (r *recording) schedule(p plan.Plan, point plan.Point) (*arrival.Schedule, error) {
	times, err := r.times(p)
	if err != nil {
		return nil, err
	}
	return arrival.Recorded(times, point.TraceScale, limits(point))
}

// peak is the most calls that are due within one second.
func (r *recording) peak(p plan.Plan, scale float64) float64 {
	times, err := r.times(p)
	if err != nil {
		return 1
	}
	most, first := 0, 0
	for i, at := range times {
		for float64(at-times[first])*scale >= float64(time.Second) {
			first++
		}
		most = max(most, i-first+1)
	}
	return float64(most)
}

// source asks what the trace asked.
func (r *recording) source(seed int64, counter workload.Counter) (workload.Source, error) {
	prompts, err := trace.NewSource(seed, r.records, counter)
	if err != nil {
		return nil, err
	}
	return replaySource{prompts}, nil
}

// A replaySource numbers the calls of a trace as those of a point.
type replaySource struct{ prompts *trace.Source }

// Call implements workload.Source.
func (s replaySource) Call(point int32, id int64) record.Call {
	call := s.prompts.Call(point, id%pointStride)
	call.ID = id
	return call
}

// A Replayed says which part of which trace a point replayed: its file
// trace-PP.json in a bundle.
type Replayed struct {
	Version string `json:"version"`
	Name    string `json:"name"`
	Digest  string `json:"digest"`
	Format  string `json:"format"`

	Requests int     `json:"requests"` // of the whole trace
	Chosen   int     `json:"chosen"`   // of those, in the window and within the limit
	Used     int     `json:"used"`     // of those, due before the point's end
	Share    float64 `json:"share"`    // used of all
	Scale    float64 `json:"scale"`

	RecordedRate float64 `json:"recordedRate"` // requests per second of the chosen part, as recorded; 0 without length
	OfferedRate  float64 `json:"offeredRate"`  // calls, or sessions, per second of the measured window

	InputTokens  float64 `json:"inputTokens"`  // mean of the used ones
	OutputTokens float64 `json:"outputTokens"` // mean of the used ones
	SharedInput  float64 `json:"sharedInput"`  // share of their prompt tokens in blocks that an earlier one had
}

// replayedVersion is the version of trace-PP.json.
const replayedVersion = "1.0"

// replayed sums up what the schedule s uses.
func (r *recording) replayed(p plan.Plan, point plan.Point, s *arrival.Schedule) (Replayed, error) {
	out := Replayed{
		Version: replayedVersion, Name: r.name, Digest: r.digest, Format: p.Load().Trace.Format,
		Requests: r.total, Chosen: len(r.records), Scale: point.TraceScale,
	}
	if span := r.records[len(r.records)-1].At - r.records[0].At; span > 0 {
		out.RecordedRate = float64(len(r.records)) / span.Seconds()
	}
	if length := s.End - s.Begin; length > 0 {
		out.OfferedRate = float64(s.Measure) / (float64(length) / 1e9)
	}
	used := r.records[:min(len(s.Due), len(r.records))]
	if p.Workload().Session != nil {
		var err error
		if used, err = r.ofSessions(len(s.Due)); err != nil {
			return out, err
		}
	}
	out.Used = len(used)
	out.Share = float64(out.Used) / float64(r.total)
	out.InputTokens, out.OutputTokens, out.SharedInput = tokens(used)
	return out, nil
}

// ofSessions is the requests of the first n sessions.
func (r *recording) ofSessions(n int) ([]trace.Record, error) {
	first := map[string]bool{}
	var list []trace.Record
	for _, record := range r.records {
		key := record.Session
		if key == "" {
			key = "\x00" + record.ID
		}
		if !first[key] && len(first) == n {
			continue
		}
		first[key] = true
		list = append(list, record)
	}
	if len(list) == 0 {
		return nil, errors.New("no session of the trace is due")
	}
	return list, nil
}

// tokens is the mean lengths of records and the share of their input that lies
// in blocks seen before.
func tokens(records []trace.Record) (input, output, shared float64) {
	type block struct {
		scope string
		id    uint64
	}
	seen := map[block]bool{}
	for _, r := range records {
		input, output = input+float64(r.Input), output+float64(r.Asked())
		left := r.Input
		begins := true // only what a prompt begins with can be shared
		for _, id := range r.Blocks {
			key := block{r.Scope, id}
			if begins = begins && seen[key]; begins {
				shared += float64(min(left, r.BlockTokens))
			}
			seen[key] = true
			left -= min(left, r.BlockTokens)
		}
	}
	if input > 0 {
		shared /= input
	}
	n := float64(max(1, len(records)))
	return input / n, output / n, shared
}

// encode is the file of r.
func (r Replayed) encode() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }
