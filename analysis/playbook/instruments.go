package playbook

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/breakdown"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// An Instrument is a probe that the document names for a class of bottleneck
// (bottleneckAnalysis.instrumentation), and what of it is in the bundle.
type Instrument struct {
	Class string `json:"class"`
	Probe string `json:"probe"`
	Reply Reply  `json:"reply"` // yes where the bundle has its readings, missing where not
	Found string `json:"found"`
}

// probes say what the bundle holds of a probe by the name that documents use; empty means
// nothing. To add one, write its name and what is looked for.
var probes = map[string]struct {
	find func(e Evidence) string
	need string
}{
	"model_server_metrics": {estimated(metric.ServerQueueDepth, metric.KVCacheUsageMax, metric.ServerPreemptions), "the server's page (target.metrics)"},
	"queue_depth":          {estimated(metric.ServerQueueDepth), "the server's page (target.metrics)"},
	"gpu_counters":         {estimated(metric.GPUUtilisation), "readings of the accelerators, on a host that has some"},
	"ncu":                  {nothing, "assay triage --profile -- COMMAND, beside the run"},
	"nccl_traces":          {communicated, "a run of collectives or training: assay comm, assay train"},
	"rdma_probes":          {nothing, "assay probe network on the hosts"},
	"nvlink_exporter":      {factsLike("nvlink"), "facts of NVLink, on a host that has it"},
	"storage_probes":       {storage, "readings of the host's disks, or assay probe disk"},
	"dataloader_metrics":   {loaded, "a training run: assay train"},
	"network_probes":       {counted, "the host's TCP counters"},
	"scheduler_timing":     {factsLike("scheduler.queue_wait_seconds"), "a run by a scheduler: --launcher slurm"},
	"job_startup_trace":    {factsLike("launcher.start_up_seconds"), "a run on other hosts: --launcher ssh or slurm"},
}

// Instruments says what the bundle holds of the probes that its document names, class by
// class in the order of the taxonomy.
func Instruments(e Evidence) (list []Instrument) {
	asked := e.Plan.BottleneckAnalysis()
	for _, class := range asked.Taxonomy {
		for _, name := range asked.Instrumentation[class] {
			one := Instrument{Class: class, Probe: name, Reply: Missing, Found: "assay knows no probe of this name"}
			if p, known := probes[name]; known {
				one.Found = p.need
				if found := p.find(e); found != "" {
					one.Reply, one.Found = Yes, found
				}
			}
			list = append(list, one)
		}
	}
	return list
}

func nothing(Evidence) string { return "" }

func estimated(list ...metric.Metric) func(e Evidence) string {
	return func(e Evidence) string {
		for _, row := range e.Estimates.Rows {
			if slices.ContainsFunc(list, func(m metric.Metric) bool { return m.ID == row.Metric }) {
				return fmt.Sprintf("%s at %s", row.Metric, pointName(e.Plan, row.Point))
			}
		}
		return ""
	}
}

func factsLike(part string) func(e Evidence) string {
	return func(e Evidence) string {
		for name, f := range e.Manifest.Environment {
			if strings.Contains(name, part) && f.Value != nil {
				return "facts of the environment: " + part
			}
		}
		return ""
	}
}

func probed(kind string) func(e Evidence) string {
	return func(e Evidence) string {
		for _, p := range e.Plan.Points {
			if p.Kind() == plan.KindProbe && strings.Contains(p.Name, kind) {
				return "point " + p.Name
			}
		}
		return ""
	}
}

func storage(e Evidence) string {
	if point := probed("disk")(e); point != "" {
		return point
	}
	return busiestDisks(e)
}

func communicated(e Evidence) string {
	if n := len(e.Collectives.Rows); n > 0 {
		return fmt.Sprintf("%d results of collectives", n)
	}
	if len(e.Training.Points) > 0 {
		return "the exchange of gradients in training steps"
	}
	return ""
}

func loaded(e Evidence) string {
	for _, p := range e.Training.Points {
		if data, ok := p.Part("data"); ok {
			return fmt.Sprintf("steps wait %s for their input at %s", unit.Format(data.Value, unit.Second), p.Name)
		}
	}
	return ""
}

func counted(e Evidence) string {
	for _, h := range e.Client.Launches {
		if h.Retransmits != nil {
			return "TCP counters of the host"
		}
	}
	return ""
}

// An Overhead is the share of the time that one of the parts has into which the document
// divides it (bottleneckAnalysis.decomposeOverheads).
type Overhead struct {
	Point string   `json:"point"`
	Part  string   `json:"part"`
	Share *float64 `json:"share,omitempty"` // absent where nothing tells
}

// parts are the classes of time behind each part.
var parts = map[string][]breakdown.Class{
	"compute":       {breakdown.Compute},
	"communication": {breakdown.Communication},
	"storage":       {breakdown.Input},
	"orchestration": {breakdown.ControlPlane, breakdown.Client},
}

// Overheads divides the time of every point that was split.
func Overheads(e Evidence) (list []Overhead) {
	for _, point := range e.Plan.Points {
		split, ok := e.Split[point.Index]
		if !ok {
			continue
		}
		for _, name := range e.Plan.BottleneckAnalysis().DecomposeOverheads {
			one := Overhead{Point: point.Name, Part: name}
			for _, p := range split.Parts {
				if !slices.Contains(parts[name], p.Class) {
					continue
				}
				_, share := split.Mean(p)
				if one.Share == nil {
					one.Share = new(float64)
				}
				*one.Share += max(0, share)
			}
			list = append(list, one)
		}
	}
	return list
}

// Asked are the playbooks that the document of the run names, in its order, and the names
// that no playbook has.
func Asked(p plan.Plan) (list []Playbook, unknown []string) {
	for _, name := range p.Playbooks() {
		book, err := Find(name)
		if err != nil {
			unknown = append(unknown, name)
			continue
		}
		list = append(list, book)
	}
	return list, unknown
}
