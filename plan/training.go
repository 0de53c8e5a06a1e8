package plan

import (
	"slices"
	"strings"

	"assay/spec"
	"assay/unit"
)

// A Kind says what a point measures.
type Kind string

// The kinds of point.
const (
	KindServing    Kind = "serving"    // requests to a target
	KindSteps      Kind = "steps"      // training steps of a world of ranks
	KindCollective Kind = "collective" // one collective operation at one size
	KindPairs      Kind = "pairs"      // every two ranks of a world, in both directions
	KindProbe      Kind = "probe"      // one probe of the hardware
)

// Kind says what the point measures.
func (p Point) Kind() Kind {
	switch {
	case p.Steps != nil:
		return KindSteps
	case p.Collective != nil && p.Collective.Op == OpPairs:
		return KindPairs
	case p.Collective != nil:
		return KindCollective
	case p.Micro != nil:
		return KindProbe
	}
	return KindServing
}

// Has says whether any point of the plan is of one of the kinds.
func (p Plan) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(p.Points, func(q Point) bool { return slices.Contains(kinds, q.Kind()) })
}

// Ranks says whether the point is measured by a world of ranks.
func (k Kind) Ranks() bool { return k == KindSteps || k == KindCollective || k == KindPairs }

// Steps is a point of training: every knob of it, decided. Workers get it as it is
// here.
type Steps struct {
	Backend      string          `json:"backend"`
	Device       string          `json:"device"`
	Parallelism  string          `json:"parallelism"` // ddp, fsdp or none
	Shape        spec.ModelShape `json:"shape"`
	Precision    string          `json:"precision"`   // fp32, bf16, fp16 or tf32
	Scaling      string          `json:"scaling"`     // strong or weak
	GlobalBatch  int             `json:"globalBatch"` // samples of one optimizer step over all ranks
	RankBatch    int             `json:"rankBatch"`   // samples of one optimizer step of each rank
	Accumulation int             `json:"accumulation"`
	Steps        int             `json:"steps"`
	Warmup       int             `json:"warmup"`
	BucketBytes  int64           `json:"bucketBytes"`
	Compression  string          `json:"compression"`
	Optimizer    string          `json:"optimizer"`
	Compile      bool            `json:"compile,omitempty"`
	Checkpoint   bool            `json:"checkpointing,omitempty"`
	Loaders      int             `json:"loaderWorkers"`
	LoadAhead    int             `json:"loadAhead"`
	Reference    bool            `json:"reference,omitempty"`
	Interleave   bool            `json:"interleave,omitempty"`
	TargetLoss   float64         `json:"targetLoss,omitempty"`
	SaveEvery    int             `json:"saveEvery,omitempty"` // steps between checkpoints; 0 saves none
	SaveDir      string          `json:"saveDir,omitempty"`
	Profile      *spec.Profile   `json:"profile,omitempty"`
	Emulate      *spec.Emulation `json:"emulate,omitempty"`
	Knob         string          `json:"knob,omitempty"`   // the one that varies over points
	Value        string          `json:"value,omitempty"`  // what it is here
	Across       string          `json:"across,omitempty"` // the second knob of a grid
	AcrossValue  string          `json:"acrossValue,omitempty"`
}

// Setting is what the knobs that vary are at this point; empty where none does.
func (s Steps) Setting() string {
	var list []string
	for _, knob := range [][2]string{{s.Knob, s.Value}, {s.Across, s.AcrossValue}} {
		if knob[0] != "" {
			list = append(list, knob[0]+"="+knob[1])
		}
	}
	return strings.Join(list, " ")
}

// A Micro is a point of one probe. Its variants are the probe's own; the rows of
// table trials name them.
type Micro struct {
	Probe      string        `json:"probe"`
	Device     string        `json:"device"`
	Duration   unit.Duration `json:"duration"` // of each variant
	Replicates int           `json:"replicates"`
	Threads    []int         `json:"threads,omitempty"`
	FileSize   int64         `json:"fileSize,omitempty"`
	Host       string        `json:"host,omitempty"` // that the network probe reaches
	Streams    int           `json:"streams,omitempty"`
	AllDevices bool          `json:"allDevices,omitempty"` // every accelerator of the host in turn
	Dir        string        `json:"dir,omitempty"`        // that a worker's checkpoint is written in
}

// Torch says that a worker with torch measures the probe: this program reaches no
// accelerator and has no library of kernels.
func (m Micro) Torch() bool {
	switch m.Probe {
	case "attention", "kv_cache", "matmul_search":
		return true
	}
	return m.OnDevice()
}

// OnDevice says that the probe takes an accelerator.
func (m Micro) OnDevice() bool {
	switch m.Probe {
	case "transfer", "peer_to_peer":
		return true
	case "memory", "matmul", "roofline", "checkpoint", "attention", "kv_cache", "matmul_search":
		return m.Device == "cuda"
	}
	return false
}

// A World is the points of a launch that one set of ranks measures.
type World struct {
	Ranks  int
	Points []Point
}

// Worlds groups the points of a launch, in its order, by the ranks that measure
// them. Points that no rank measures are left out.
func (p Plan) Worlds(l Launch) []World {
	var worlds []World
	for _, index := range l.Order {
		point, _ := p.PointByIndex(index)
		if !point.Kind().Ranks() {
			continue
		}
		if n := len(worlds); n > 0 && worlds[n-1].Ranks == point.Ranks && point.sameWorld(worlds[n-1].Points[0]) {
			worlds[n-1].Points = append(worlds[n-1].Points, point)
			continue
		}
		worlds = append(worlds, World{point.Ranks, []Point{point}})
	}
	return worlds
}

// sameWorld says that two points can follow each other in the same processes.
func (p Point) sameWorld(q Point) bool {
	a, b := p.backend(), q.backend()
	// A point that runs out of memory or compiles leaves a process that is no longer
	// fresh: training starts anew for every point.
	return a == b && p.Steps == nil && q.Steps == nil
}

func (p Point) backend() string {
	if p.Steps != nil {
		return p.Steps.Backend + " " + p.Steps.Device
	}
	return p.Collective.Backend + " " + p.Collective.Device + " " + strings.Join(p.Collective.Env, " ")
}

// rankPoints lists the points of training, collectives and probes.
func rankPoints(run spec.Run) ([]Point, error) {
	var list []Point
	s := run.Spec
	if s.Probe != nil {
		list = append(list, microPoints(*s.Probe)...)
	}
	if s.Collectives != nil {
		list = append(list, collectivePoints(*s.Collectives)...)
	}
	if s.Train != nil {
		steps, err := stepPoints(*s.Train, s.Workload.Precision)
		if err != nil {
			return nil, err
		}
		list = append(list, steps...)
	}
	return list, nil
}

func microPoints(p spec.Probe) []Point {
	var list []Point
	for _, name := range p.Probes {
		m := Micro{Probe: name, Device: p.Device, Duration: p.Duration, Replicates: p.Replicates, Threads: p.Threads, Streams: p.Streams, FileSize: int64(p.FileSize), AllDevices: p.AllDevices, Dir: p.Dir}
		hosts := []string{""}
		if name == "network" && len(p.Hosts) > 0 {
			hosts = p.Hosts
		}
		for _, host := range hosts {
			m.Host = host
			point := Point{Name: name, Micro: &m}
			if host != "" {
				point.Name += " " + host
			}
			own := m
			point.Micro = &own
			list = append(list, point)
		}
	}
	return list
}
