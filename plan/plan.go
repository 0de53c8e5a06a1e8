// Package plan decides a run: it turns the question that a person declared into
// the frozen contract that machines carry out, with every default filled, every
// seed fixed and what the planned sample can certify said beforehand.
//
// It is pure: the same spec gives the same plan, byte for byte. It touches no
// clock, no network and no disk, and it does not run anything; package run does.
// Plans stand below bundles because both those who make bundles and those who
// judge them must read what was decided.
package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"assay/spec"
	"assay/unit"
)

// Version is the version of the plan's format. The minor number grows when
// something is added, the major number when something changes its meaning.
const Version = "1.6"

// A Plan is a run as decided: plan.json of its bundle.
type Plan struct {
	Version        string         `json:"version"`
	Name           string         `json:"name"`
	WorkloadDigest string         `json:"workloadDigest"`
	Run            spec.Run       `json:"run"`      // resolved: every default filled
	Defaults       []spec.Default `json:"defaults"` // what the author left to us
	Points         []Point        `json:"points"`
	Launches       []Launch       `json:"launches"`
	Search         *Search        `json:"search,omitempty"` // nil means that every point is run
	Part           *Part          `json:"part,omitempty"`   // nil means the whole
	Expected       Expected       `json:"expected"`
	Precision      Precision      `json:"precision"`
}

// A Point is one thing to measure: a level of load, the steps of a world of ranks,
// a collective of one size, or a probe.
type Point struct {
	Index       int     `json:"index"`
	Name        string  `json:"name"` // such as concurrency=4
	Concurrency int     `json:"concurrency,omitempty"`
	Rate        float64 `json:"rate,omitempty"` // requests per second

	// Scenario is the shape of the requests of this point, in a sweep over shapes;
	// empty where all points share the workload's. BatchSize is the documents of
	// each request, in a sweep over those; 0 where all points share them.
	Scenario  string `json:"scenario,omitempty"`
	BatchSize int    `json:"batchSize,omitempty"`

	Warmup         unit.Duration `json:"warmup"`
	WarmupRequests int           `json:"warmupRequests,omitempty"`
	Duration       unit.Duration `json:"duration"`
	Requests       int           `json:"requests,omitempty"` // or sessions, where they are what begins
	Cooldown       unit.Duration `json:"cooldown"`
	ThinkTime      unit.Duration `json:"thinkTime,omitempty"`
	Start          string        `json:"start,omitempty"` // how the users of a closed loop begin; empty means spread over half of the warm-up

	// Open loop: how calls arrive, and the most of them in flight.
	Arrival     string       `json:"arrival,omitempty"`
	Burstiness  float64      `json:"burstiness,omitempty"`
	Stages      []spec.Stage `json:"stages,omitempty"` // in place of Rate; in a closed loop, up to Concurrency users
	TraceRef    string       `json:"traceRef,omitempty"`
	TraceScale  float64      `json:"traceScale,omitempty"`
	MaxInFlight int          `json:"maxInFlight,omitempty"`

	// PrefillConcurrency is the most requests that wait for their first byte; 0
	// means no limit.
	PrefillConcurrency int          `json:"prefillConcurrency,omitempty"`
	Cancel             *spec.Cancel `json:"cancel,omitempty"` // requests given up on purpose

	// Query sends calls as the samples of queries; nil means one by one.
	Query *Query `json:"query,omitempty"`

	// Idle says that this part of a plan has nothing to send at the point.
	Idle bool `json:"idle,omitempty"`

	// Probe is the small requests sent beside the load; nil means none.
	Probe *spec.LoadProbe `json:"probe,omitempty"`

	// Ranks is the size of the world that measures the point; 0 where none does.
	// One of Steps, Collective and Micro says what is measured; all are nil for
	// requests to a target.
	Ranks      int         `json:"ranks,omitempty"`
	Steps      *Steps      `json:"steps,omitempty"`
	Collective *Collective `json:"collective,omitempty"`
	Micro      *Micro      `json:"micro,omitempty"`
}

// Open reports whether calls are sent when they are due, whatever became of
// those before them.
func (p Point) Open() bool { return p.Arrival != "" }

// A Launch is one fresh start of the system under test, the unit of
// replication.
type Launch struct {
	Index int   `json:"index"`
	Seed  int64 `json:"seed"`
	Order []int `json:"order"` // indexes of points, in the order they run; empty for a search

	// Side is which system it starts, and Block which comparison it belongs to;
	// empty in a run of one side.
	Side  string `json:"side,omitempty"`
	Block int    `json:"block,omitempty"`

	// Set is which hosts it is made on, from 1; 0 where all of them are one set.
	Set int `json:"set,omitempty"`
}

// New plans run, which must be valid. Faults of the document are the parser's to
// report; New refuses only what cannot be planned.
func New(run spec.Run) (Plan, error) {
	resolved, defaults := spec.Resolve(run)
	digest, err := spec.WorkloadDigest(resolved)
	if err != nil {
		return Plan{}, fmt.Errorf("digest of the workload: %w", err)
	}
	p := Plan{
		Version:        Version,
		Name:           resolved.Metadata.Name,
		WorkloadDigest: digest,
		Run:            resolved,
		Defaults:       defaults,
	}
	if resolved.Spec.Load != nil {
		if p.Points, p.Search, err = points(resolved); err != nil {
			return Plan{}, err
		}
	}
	worlds, err := rankPoints(resolved)
	if err != nil {
		return Plan{}, err
	}
	for _, point := range worlds {
		point.Index = len(p.Points)
		p.Points = append(p.Points, point)
	}
	p.Launches = p.launches()
	p.Expected = expect(p)
	p.Precision = precision(p)
	return p, nil
}

// points lists the levels of load that the spec asks for.
func points(run spec.Run) ([]Point, *Search, error) {
	load := run.Spec.Load
	base := Point{
		Warmup: load.Warmup.Duration, WarmupRequests: load.Warmup.Requests,
		Duration: load.Duration, Requests: load.Requests,
		Cooldown: load.Cooldown, ThinkTime: load.ThinkTime, Start: load.Start,
		PrefillConcurrency: load.PrefillConcurrency, Cancel: load.Cancel, Probe: load.Probe,
	}
	if load.MLPerf != nil {
		return mlperfPoints(run, base), nil, nil
	}
	open := run.Spec.Workload.ConcurrencyModel != spec.ClosedLoop
	if open {
		base.Arrival, base.MaxInFlight = load.Arrival, load.MaxInFlight
		if load.Arrival == spec.ArrivalGamma {
			base.Burstiness = load.Burstiness
		}
	}
	if load.Search != nil {
		s, list, err := search(run, base)
		return list, s, err
	}
	return swept(run, base, open), nil, nil
}

// mostUsers is the largest number of users of any stage.
func mostUsers(stages []spec.Stage) int {
	most := 0
	for _, s := range stages {
		most = max(most, s.Concurrency)
	}
	return most
}

// stagesTime is how long stages last together.
func stagesTime(stages []spec.Stage) unit.Duration {
	var total unit.Duration
	for _, s := range stages {
		total += s.Duration
	}
	return total
}

// launch fixes the seed and the order of points of launch number index. Launches
// with the same seed number ask the same.
func (p Plan) launch(index int, seedNumber int64) Launch {
	l := Launch{Index: index, Seed: Seed(p.Run.Spec.Seed, "launch", seedNumber)}
	if p.Search != nil {
		return l // it decides as it goes
	}
	for _, point := range p.Points {
		l.Order = append(l.Order, point.Index)
	}
	rng := rand.New(rand.NewPCG(uint64(Seed(l.Seed, "order", 0)), 0))
	if p.Run.Spec.Load != nil && p.Run.Spec.Load.Order == spec.OrderRandomised {
		rng.Shuffle(len(l.Order), func(i, j int) { l.Order[i], l.Order[j] = l.Order[j], l.Order[i] })
	}
	p.shuffleSteps(l.Order, rng)
	return l
}

// Seed derives the seed for one purpose from a parent seed. It keeps 53 bits,
// the most that every JSON reader returns unchanged.
func Seed(parent int64, purpose string, number int64) int64 {
	h := sha256.New()
	for _, n := range []int64{parent, number} {
		if err := binary.Write(h, binary.BigEndian, n); err != nil {
			panic(err) // a hash takes every write
		}
	}
	h.Write([]byte(purpose))
	return int64(binary.BigEndian.Uint64(h.Sum(nil)) >> 11)
}

// Encode is the plan's canonical JSON: plan.json.
func (p Plan) Encode() ([]byte, error) {
	data, err := spec.Canonical(p)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return data, nil
}

// Decode reads what Encode wrote, and plans of later minor versions.
func Decode(data []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, fmt.Errorf("plan.json: %w", err)
	}
	if major(p.Version) != major(Version) {
		return Plan{}, fmt.Errorf("plan.json has version %q, this program reads %s: use a newer assay", p.Version, Version)
	}
	return p, nil
}

// PointByIndex returns the point with the given index.
func (p Plan) PointByIndex(index int) (Point, bool) {
	i := slices.IndexFunc(p.Points, func(q Point) bool { return q.Index == index })
	if i < 0 {
		return Point{}, false
	}
	return p.Points[i], true
}

func major(version string) string {
	for i, c := range version {
		if c == '.' {
			return version[:i]
		}
	}
	return version
}
