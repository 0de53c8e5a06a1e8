package lint

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// A scene is a run that is made up: records of a known kind, written into a real
// bundle. The clean one is a publication-grade run that nothing can be said
// against; a case spoils one thing of it.
type scene struct {
	run         func(*spec.Run) // changes to examples/publication-inference.yaml
	draw        uint64          // of the noise: two runs of one system differ in it
	launches    int
	requests    int // measured ones of each launch
	warmups     int
	request     func(launch int, r *record.Request, events *[]record.Chunk) // nil leaves it alone
	events      func(launch int, l *bundle.Launch)                          // appended after the window's
	samples     func(launch int) []record.Sample
	start       func(launch int, s *bundle.LaunchStart)
	environment record.Environment
	inputs      bundle.Inputs
	calibration func(*record.Calibration)
	balance     func(launch int, c *Calls) // what the client counted
	spoil       func(*Facts)               // of what has no place in a bundle

	rate    float64      // of an open loop of Poisson arrivals in place of the closed one
	against func(*scene) // what is different about the baseline of a pair; nil means no pair

	topology string
	clocks   []bundle.Clock
	unsigned bool
	steps    func(launch int) []record.Step
	end      func(launch int, e *bundle.LaunchEnd)
	state    func(*Facts) []Statement // what somebody says about the run; nil means nothing
}

const (
	sceneUsers   = 8
	sceneTTFT    = 100e6 // ns
	sceneGap     = 10e6  // ns
	sceneStagger = 18e6  // ns between the beginnings of two users
	sceneTokens  = 11
	sceneAnswer  = sceneTTFT + sceneTokens*sceneGap
	sceneWarmup  = 1e9    // ns
	sceneWindow  = 10.5e9 // ns
	sceneLength  = 15e9   // ns of a launch
	sceneApart   = 20e9   // ns between the beginnings of two launches
)

// sceneDay is when the scenes are set.
var sceneDay = time.Date(2026, 3, 13, 9, 0, 0, 0, time.UTC)

// clean has five launches of eight users in a closed loop.
func clean() scene {
	return scene{
		run: func(r *spec.Run) {
			r.Spec.Load.Concurrency, r.Spec.Load.Duration = []int{sceneUsers}, unit.Duration(sceneWindow)
			r.Spec.Workload.SequenceLengthMix = []spec.SequenceLength{{InputTokens: 512, OutputTokens: sceneTokens, Weight: 1}}
			r.Spec.Target.Server = &spec.Server{Command: []string{"vllm", "serve", "openai/gpt-oss-20b", "--tensor-parallel-size", "8"}}
		},
		launches: 5, requests: 400, warmups: 40,
		environment: publicationFacts(sceneEnvironment()), inputs: publicationInputs(), samples: publicationSamples,
		topology: "sha256:1c", clocks: []bundle.Clock{{ID: record.ClockID, Source: record.ClockID}}, state: honest,
		start: func(_ int, s *bundle.LaunchStart) { s.Nodes = []string{"gpu-07"} },
	}
}

// sceneEnvironment is what a run writes down about its host and its target.
func sceneEnvironment() record.Environment {
	env := record.Environment{}
	for name, value := range map[string]any{
		"clock.source": "tsc", "server.engine": "vllm", "server.version": "0.11.0", "gpu.count": 8, "server.models": []string{"openai/gpt-oss-20b"},
	} {
		env.Set(name, value)
	}
	for _, key := range spec.JoinKeys(spec.Inference) {
		env.Set("join."+key, key)
	}
	return env
}

// openLoop makes the scene an open loop of so many requests per second.
func (s *scene) openLoop(rate float64) {
	s.rate = rate
	closed := s.run
	s.run = func(r *spec.Run) {
		closed(r)
		r.Spec.Workload.ConcurrencyModel = spec.OpenLoop
		r.Spec.Load.Concurrency, r.Spec.Load.Rate = nil, []float64{rate}
		r.Spec.Load.Duration, r.Spec.Load.Warmup = unit.Duration(sceneWindow), &spec.Warmup{Duration: unit.Duration(sceneWarmup)}
	}
}

// facts builds the scene's bundle and gathers what checks look at.
func (s scene) facts(t *testing.T) *Facts {
	t.Helper()
	f := s.gathered(t)
	if s.against != nil {
		baseline := clean()
		baseline.draw = 1
		s.against(&baseline)
		f.Hold(baseline.facts(t))
		f.Manifest.Inputs.Baseline = &bundle.Input{Name: "declared", Digest: f.Against.Manifest.Digest}
	}
	if s.state != nil {
		f.Statements = s.state(f)
	}
	if s.spoil != nil {
		s.spoil(f)
	}
	return f
}

// gather writes the scene's bundle and reads it again.
func (s scene) gather(t *testing.T) *Facts {
	t.Helper()
	p := s.plan(t)
	b := s.bundle(t, p)
	e, c, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	b.Manifest.Created = sceneDay.Add(-time.Minute) // bundles are stamped with the time of the test
	f, err := Gather(b, p, e, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s scene) plan(t *testing.T) plan.Plan {
	t.Helper()
	text, err := os.ReadFile("../examples/publication-inference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := spec.Parse("publication-inference.yaml", text)
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	doc.Run.Spec.Trials.MinReplicates = 5 // as many as the checks over launches begin with
	doc.Run.Spec.Workload.Correctness.AllowedExceptions = []string{"gsm8k: a scene has no answers"}
	if s.run != nil {
		s.run(doc.Run)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s scene) bundle(t *testing.T, p plan.Plan) *bundle.Bundle {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := p.Encode()
	must(err)
	dir := filepath.Join(t.TempDir(), "scene")
	name := "scene"
	if s.draw > 0 {
		name = fmt.Sprint("scene-", s.draw)
	}
	w, err := bundle.Create(dir, bundle.Header{RunID: name, Spec: []byte("x"), Plan: encoded})
	must(err)
	must(w.SetEnvironment(s.environment))
	must(w.SetInputs(s.inputs))
	must(w.SetTopology(s.topology))
	must(w.SetClocks(s.clocks))
	for launch := range s.launches {
		start := bundle.LaunchStart{
			Index: launch, Order: launch, Clock: record.ClockID,
			Wall: sceneDay.Add(time.Duration(launch) * sceneApart), EpochNS: int64(launch+1) * sceneApart,
		}
		if s.start != nil {
			s.start(launch, &start)
		}
		l, err := w.StartLaunch(start)
		must(err)
		must(l.Events.Append(record.Event{At: sceneWarmup, Name: record.WindowBegin},
			record.Event{At: sceneWarmup + sceneWindow, Name: record.WindowEnd}))
		if s.events != nil {
			s.events(launch, l)
		}
		balance := s.fill(t, launch, l)
		if s.balance != nil {
			s.balance(launch, &balance)
		}
		mostInFlight := sceneUsers
		if s.rate > 0 {
			mostInFlight *= 4
		}
		counted, err := json.Marshal(struct {
			Calls
			MostInFlight int `json:"mostInFlight"`
		}{balance, mostInFlight})
		must(err)
		must(l.Events.Append(record.Event{At: sceneWarmup + sceneWindow, Name: record.PointBalance, Detail: string(counted)}))
		if s.samples != nil {
			must(l.Samples.Append(s.samples(launch)...))
		}
		for when, at := range map[string]int{record.CalibrationBefore: 0, record.CalibrationAfter: s.launches - 1} {
			if launch != at {
				continue
			}
			text, err := json.Marshal(s.calibrated(when))
			must(err)
			must(l.Attach(record.CalibrationFile(when), text))
		}
		if s.steps != nil {
			must(l.Steps.Append(s.steps(launch)...))
		}
		end := bundle.LaunchEnd{Outcome: bundle.LaunchCompleted, Wall: start.Wall.Add(sceneLength)}
		if s.end != nil {
			s.end(launch, &end)
		}
		must(l.Close(end))
	}
	options := bundle.SealOptions{}
	if !s.unsigned {
		options.Signer, err = bundle.GenerateKey()
		must(err)
	}
	_, err = w.Seal(t.Context(), bundle.Completed, options)
	must(err)
	b, err := bundle.Open(dir)
	must(err)
	return b
}

// fill writes the requests of a closed loop: each user sends the next call when
// the last has ended. The noise is the launch's own, and small. It returns what the
// client counts.
func (s scene) fill(t *testing.T, launch int, l *bundle.Launch) (balance Calls) {
	t.Helper()
	random := rand.New(rand.NewPCG(1+2*s.draw, uint64(launch)))
	free := make([]int64, sceneUsers) // when each user is free again; they begin one by one
	for user := range free {
		free[user] = int64(user) * sceneStagger
	}
	arrivals := rand.New(rand.NewPCG(2+2*s.draw, uint64(launch)))
	next := 0.0 // when the next call of an open loop is due
	own := 1 + .005*random.NormFloat64()
	calls := s.warmups + s.requests
	if s.rate > 0 {
		calls = math.MaxInt // until the window has ended
	}
	for i := range calls {
		user := i % sceneUsers
		usage, input := int32(sceneTokens), int32(512)
		r := record.Request{
			ID: int64(i), Phase: record.Measure, User: int32(user), Due: free[user], Sent: free[user] + 20e3,
			Result: record.OK, Status: 200, FinishReason: "length", AskedInput: 512, AskedOutput: sceneTokens,
			UsageInput: &input, UsageOutput: &usage, PromptHash: random.Int64(), Stamps: "epoll+kernel", Protocol: "HTTP/1.1",
		}
		if i < s.warmups {
			r.Phase, r.Due, r.Sent = record.Warmup, free[user], free[user]+20e3
		} else if i < s.warmups+sceneUsers {
			free[user] = max(free[user], sceneWarmup)
			r.Due, r.Sent = free[user], free[user]+20e3
		}
		if s.rate > 0 {
			next += 1e9 * arrivals.ExpFloat64() / s.rate
			r.Due, r.Sent, r.User, r.Phase = int64(next), int64(next)+20e3, -1, record.Measure
			switch {
			case next < sceneWarmup:
				r.Phase = record.Warmup
			case next >= sceneWarmup+sceneWindow+2*sceneTTFT:
				return balance
			case next >= sceneWarmup+sceneWindow:
				r.Phase = record.Cooldown
			}
		}
		noise := func(of float64) int64 { return int64(of * own * (1 + .02*random.NormFloat64())) }
		at := r.Sent + noise(sceneTTFT)
		first := at
		r.First = &first
		events := []record.Chunk{{Request: r.ID, At: at - 1e6, Kind: record.Role, Bytes: 80}}
		for seq := range int32(sceneTokens) {
			events = append(events, record.Chunk{Request: r.ID, Seq: seq + 1, At: at, Kind: record.Content, Bytes: 100, TextBytes: 4})
			at += noise(sceneGap)
		}
		r.Done = at
		if i%16 == 5 {
			r.Flags = record.Unmarked
		}
		if s.request != nil {
			s.request(launch, &r, &events)
		}
		r.Chunks = int32(len(events))
		free[user] = r.Done
		balance.count(r.Result)
		if err := l.Requests.Append(r); err != nil {
			t.Fatal(err)
		}
		if err := l.Chunks.Append(events...); err != nil {
			t.Fatal(err)
		}
	}
	return balance
}

func (s scene) calibrated(when string) record.Calibration {
	spread := func(ns int64) record.ErrorSpread {
		return record.ErrorSpread{N: 1000, P50: ns / 2, P99: ns, Max: 2 * ns}
	}
	c := record.Calibration{
		Version: record.CalibrationVersion, When: when, Point: "concurrency=8", Loop: "closed", Streams: sceneUsers,
		TTFT: spread(100e3), Gap: spread(50e3), Stamp: spread(20e3), Lag: spread(20e3), Requests: 100, Events: 1000,
	}
	if s.calibration != nil {
		s.calibration(&c)
	}
	return c
}

// A trip is a scene with one fault, and what must be said about it.
type trip struct {
	check    string
	name     string
	spoil    func(*scene)
	severity finding.Severity
	want     string // part of the message
}

// trips lists the families' cases; every check outside of instrument has one.
var trips = slices.Concat(foreignTrips, coreTrips, ruleTrips, servingTrips, hygieneTrips, steadyTrips, integrityTrips, shownTrips, pairTrips)
