// Package bottleneck says what limits a run: computation, communication, input or
// the control plane. It decides by where the time went, and looks for a second
// sign that agrees. That an accelerator was idle says only that it waited, not for
// what: utilisation alone never decides.
package bottleneck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/analysis/breakdown"
	"assay/metric"
	"assay/unit"
)

// Undetermined is the class of a run whose evidence points nowhere.
const Undetermined breakdown.Class = "undetermined"

// A Diagnosis is what limits one point, and why.
type Diagnosis struct {
	Point        string                      `json:"point"`
	Class        breakdown.Class             `json:"class"`
	How          string                      `json:"how"` // how sure, in words
	Shares       map[breakdown.Class]float64 `json:"shares,omitempty"`
	Because      []string                    `json:"because,omitempty"`
	Inspect      string                      `json:"inspect"`                // the first thing to look at
	Alternatives []string                    `json:"alternatives,omitempty"` // causes that nothing excludes
	Missing      []string                    `json:"missing,omitempty"`

	// Of training: the verdict on its steps and the figures behind it, and the rank
	// that the others wait for.
	Verdict  string   `json:"verdict,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Rank     *int     `json:"rank,omitempty"`
}

// Sentence says in one line what limits the point, or that nobody can say.
func (d Diagnosis) Sentence() string {
	if d.Class == Undetermined {
		return fmt.Sprintf("what limits it is not known (%s)", d.How)
	}
	return "limited by " + d.Limit()
}

// Limit is what limits the point: "communication (likely: it has 51.2 % of the time)".
func (d Diagnosis) Limit() string {
	return fmt.Sprintf("%s (%s)", strings.ReplaceAll(string(d.Class), "_", " "), d.How)
}

// Signs are what was read beside the time; nil was not measured.
type Signs struct {
	OnCPU       bool     // the processors themselves compute: there is no accelerator to be read
	GPUBusy     *float64 // share of the time
	KVCacheMax  *float64 // share
	Preemptions *float64
	QueueDepth  *float64 // requests
	Throttled   *float64 // seconds that a control group held processors back
	CPUPressure *float64 // share of the time in which some task waited for a processor
	Retransmits *float64 // TCP segments, where they are enough to explain anything

	Fabric   []string // what all-gathers and the stability of exchanges say against the links
	Exchange bool     // such measurements are there, whatever they say
}

// SignsOf gathers the signs of a point.
func SignsOf(e metric.Estimates, c metric.Client, point int) Signs {
	value := func(m metric.Metric) *float64 {
		if row, ok := e.Find(m.ID, "value", point); ok {
			return &row.Value
		}
		return nil
	}
	worst := func(of func(metric.ClientHealth) *float64) *float64 {
		var most *float64
		for _, h := range c.Launches {
			if v := of(h); v != nil && (most == nil || *v > *most) {
				most = v
			}
		}
		return most
	}
	return Signs{
		GPUBusy: value(metric.GPUUtilisation), KVCacheMax: value(metric.KVCacheUsageMax),
		Preemptions: value(metric.ServerPreemptions), QueueDepth: value(metric.ServerQueueDepth),
		Throttled:   worst(func(h metric.ClientHealth) *float64 { return h.Throttled }),
		CPUPressure: worst(func(h metric.ClientHealth) *float64 { return h.CPUPressure }),
		Retransmits: worst(func(h metric.ClientHealth) *float64 {
			if !h.Lossy() { // a few that explain nothing
				return nil
			}
			return h.Retransmits
		}),
	}
}

// What decides. Half of the time is a limit by any reading; a third is one only if
// nothing else comes near. Below a twentieth a cause is excluded.
const (
	decides  = .5
	leads    = .35
	ahead    = 1.5
	excludes = .05
	clear    = .7
	idle     = .5  // a busier accelerator agrees with computation
	cacheEnd = .95 // a fuller KV cache makes requests wait
)

// inspect is the first thing to look at, by class.
var inspect = map[breakdown.Class]string{
	breakdown.Compute:       "the engine: batch size and tokens per step, clocks and throttling, then a profile of its kernels",
	breakdown.Communication: "the links: the slowest rank's collectives, retransmitted packets, PCIe, NVLink and NIC counters",
	breakdown.Input:         "the loader: its workers, the storage it reads from, processors held back",
	breakdown.ControlPlane:  "the queue: admission and concurrency limits, KV cache, scheduler timing",
	breakdown.Client:        "the load generator: give it processors of its own, or split the load",
	Undetermined:            "what is missing below, before anything is tuned",
}

// Judge says what limits a point that was split into parts; b may be empty when
// nothing could be.
func Judge(point string, b breakdown.Breakdown, s Signs) Diagnosis {
	d := Diagnosis{Point: point, Class: Undetermined, Missing: b.Missing}
	if len(b.Parts) == 0 {
		d.How = "the time was not split"
		d.Missing = append(d.Missing, "a breakdown of the time: server counters for serving, step phases for training")
		return d.conclude(s, nil)
	}
	d.Shares = map[breakdown.Class]float64{}
	for _, p := range b.Parts {
		took, share := b.Mean(p)
		d.Shares[p.Class] += share
		if took < 0 { // a difference of two measurements, within their noise
			took, share = 0, 0
		}
		d.Because = append(d.Because, fmt.Sprintf("%s: %s, %.1f %% of the %s (%s)", p.Name, unit.Format(took, unit.Second), 100*share, b.Of, p.Source))
	}
	first, second := d.leaders()
	most, next := d.Shares[first], d.Shares[second]
	switch {
	case first == breakdown.Unexplained:
		d.How = fmt.Sprintf("%.1f %% of the time has no known cause", 100*most)
	case most >= decides, most >= leads && most >= ahead*next:
		d.Class = first
	default:
		d.How = fmt.Sprintf("no class stands out: %s has %.1f %%, %s %.1f %%", first, 100*most, second, 100*next)
	}
	if d.Class != Undetermined {
		d.weigh(most, s)
	}
	return d.conclude(s, d.Shares)
}

// leaders are the two classes with most of the time.
func (d Diagnosis) leaders() (first, second breakdown.Class) {
	classes := []breakdown.Class{breakdown.Compute, breakdown.Communication, breakdown.Input, breakdown.ControlPlane, breakdown.Client, breakdown.Unexplained}
	slices.SortStableFunc(classes, func(a, b breakdown.Class) int { return cmp.Compare(d.Shares[b], d.Shares[a]) })
	return classes[0], classes[1]
}

// weigh looks for a sign beside the time that agrees or contradicts.
func (d *Diagnosis) weigh(share float64, s Signs) {
	d.How = fmt.Sprintf("likely: it has %.1f %% of the time", 100*share)
	agrees := ""
	switch d.Class {
	case breakdown.Compute:
		switch {
		case s.OnCPU:
		case s.GPUBusy == nil:
			d.Missing = append(d.Missing, "a reading of the accelerators: that they were busy is assumed")
		case *s.GPUBusy < idle:
			d.Because = append(d.Because, fmt.Sprintf("but the accelerators were busy only %.0f %% of the time: the engine waits for something inside itself", 100**s.GPUBusy))
			d.Class, d.How = Undetermined, "the time says computation, the accelerators say waiting"
			return
		default:
			agrees = fmt.Sprintf("the accelerators were busy %.0f %% of the time", 100**s.GPUBusy)
		}
	case breakdown.ControlPlane:
		switch {
		case s.KVCacheMax != nil && *s.KVCacheMax > cacheEnd:
			agrees = fmt.Sprintf("the KV cache was %.0f %% full", 100**s.KVCacheMax)
		case s.QueueDepth != nil && *s.QueueDepth >= 1:
			agrees = fmt.Sprintf("%.3g requests waited on average", *s.QueueDepth)
		}
	case breakdown.Communication:
		switch {
		case len(s.Fabric) > 0:
			agrees = strings.Join(s.Fabric, "; ")
		case s.Retransmits != nil && *s.Retransmits > 0:
			agrees = fmt.Sprintf("%.0f segments were sent again", *s.Retransmits)
		}
	case breakdown.Input:
		if s.Throttled != nil && *s.Throttled > 0 {
			agrees = fmt.Sprintf("processors were held back for %.3g s", *s.Throttled)
		}
	}
	if agrees != "" {
		d.Because = append(d.Because, agrees)
		if share >= clear {
			d.How = fmt.Sprintf("clear: it has %.1f %% of the time, and a second sign agrees", 100*share)
		}
	}
}

// boundBy are the classes by the names that documents use.
var boundBy = map[breakdown.Class]string{
	breakdown.Compute: "compute_bound", breakdown.Communication: "comm_bound",
	breakdown.Input: "input_bound", breakdown.ControlPlane: "control_plane_bound",
}

// Within keeps to the classes that a document knows (bottleneckAnalysis.taxonomy): a limit
// of another class is not named as one, and the diagnosis says so. That the client limits
// a run is no class of the system, and always said.
func (d Diagnosis) Within(taxonomy []string) Diagnosis {
	name, known := boundBy[d.Class]
	if !known || len(taxonomy) == 0 || slices.Contains(taxonomy, name) {
		return d
	}
	d.How = fmt.Sprintf("the time says %s, which bottleneckAnalysis.taxonomy leaves out", strings.ReplaceAll(string(d.Class), "_", " "))
	d.Class, d.Inspect = Undetermined, inspect[Undetermined]
	return d
}

// A cause is something that makes an accelerator wait.
type cause struct {
	name     string
	class    breakdown.Class
	excluded func(s Signs) bool // by a sign; nil means that only time can exclude it
}

var causes = []cause{
	{"loader starvation", breakdown.Input, nil},
	{"processors held back or contended", "", func(s Signs) bool {
		return s.Throttled != nil && *s.Throttled == 0 && s.CPUPressure != nil && *s.CPUPressure < excludes
	}},
	{"queueing before the engine", breakdown.ControlPlane, func(s Signs) bool { return s.QueueDepth != nil && *s.QueueDepth < excludes }},
	{"network stalls", breakdown.Communication, nil},
	{"slow collectives", breakdown.Communication, nil},
	{"bad placement of processes and devices", "", nil},
}

// conclude names what to inspect and what nothing excludes.
func (d Diagnosis) conclude(s Signs, shares map[breakdown.Class]float64) Diagnosis {
	d.Inspect = inspect[d.Class]
	if d.Class == Undetermined && s.GPUBusy != nil {
		d.Because = append(d.Because, fmt.Sprintf("the accelerators were busy %.0f %% of the time, which says that they waited or not, and not for what", 100**s.GPUBusy))
	}
	split := shares != nil && shares[breakdown.Unexplained] < excludes
	for _, c := range causes {
		byTime := split && c.class != "" && shares[c.class] < excludes
		bySign := c.excluded != nil && c.excluded(s)
		if c.class != d.Class && !byTime && !bySign {
			d.Alternatives = append(d.Alternatives, c.name)
		}
	}
	return d
}
