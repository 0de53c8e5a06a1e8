package plan

import (
	"fmt"
	"slices"
	"time"

	"assay/spec"
	"assay/unit"
)

// What the plan decided, by its parts. Readers and makers ask these, so that nobody
// outside reaches into the document that the plan was made from: every default is
// filled here, and a part that the plan comes to decide by itself changes here alone.

// Decided is the whole document with every default filled.
func (p Plan) Decided() spec.RunSpec { return p.Run.Spec }

// Workload is what is asked of every side.
func (p Plan) Workload() spec.Workload { return p.Run.Spec.Workload }

// Load is how requests are sent; nil where none are.
func (p Plan) Load() *spec.Load { return p.Run.Spec.Load }

// Generators is how many processes send the load; 1 where the program sends it itself.
func (p Plan) Generators() int {
	if p.Run.Spec.Load == nil {
		return 1
	}
	return max(1, p.Run.Spec.Load.Generators)
}

// Evaluation is the tasks whose answers are graded; nil where there are none.
func (p Plan) Evaluation() *spec.Evaluation { return p.Run.Spec.Evaluation }

// AsksOnce reports whether every point asks every question of an evaluation once and then
// ends.
func (p Plan) AsksOnce() bool {
	return p.Run.Spec.Evaluation != nil && !p.Run.Spec.Evaluation.UnderLoad
}

// Target is who is asked, of several sides the baseline; nil where nobody is.
func (p Plan) Target() *spec.Target { return p.Run.Spec.Target }

// Facing is the plan with target in place of its own: that of one side.
func (p Plan) Facing(target *spec.Target) Plan {
	p.Run.Spec.Target = target
	return p
}

// Alone is the plan of one side as if it were the only one.
func (p Plan) Alone(target *spec.Target) Plan {
	p.Run.Spec.Candidates = nil
	return p.Facing(target)
}

// Known is the plan for a server whose truth is known: points of single requests, all of
// the load, to the end whatever becomes of it.
func (p Plan) Known() Plan {
	offered := *p.Run.Spec.Load
	offered.StopWhenSaturated = false
	p.Run.Spec.Load, p.Run.Spec.Workload.Session = &offered, nil
	p.Run.Spec.Evaluation = nil
	p.Part, p.Search = nil, nil
	return p
}

// Candidates are the other systems of a comparison.
func (p Plan) Candidates() []spec.Candidate { return p.Run.Spec.Candidates }

// Sides are the systems that the launches start; one without a name in a run of one.
func (p Plan) Sides() []spec.Side { return p.Run.Spec.Sides() }

// SharesServer reports whether some sides ask one and the same server.
func (p Plan) SharesServer() bool { return p.Run.Spec.SharesServer() }

// KeepsServer reports whether launches share one start of the server.
func (p Plan) KeepsServer() bool { return p.Run.Spec.KeepsServer() }

// Objectives are the limits that the run is to keep.
func (p Plan) Objectives() []spec.Objective { return p.Run.Spec.SLO }

// Intent is what the run is made for.
func (p Plan) Intent() spec.Intent { return p.Run.Spec.Intent }

// Class is the grade that the run asks for.
func (p Plan) Class() string { return p.Run.Spec.Intent.BenchmarkClass }

// Metrics are those that the run is to have.
func (p Plan) Metrics() spec.Metrics { return p.Run.Spec.Metrics }

// Trials is how often everything is measured, and how intervals are made.
func (p Plan) Trials() spec.Trials { return p.Run.Spec.Trials }

// Sets is how many sets of hosts the launches take turns on; 1 where there is one.
func (p Plan) Sets() int { return p.Run.Spec.Sets() }

// Comparison is what may be concluded from a difference.
func (p Plan) Comparison() spec.Comparison { return p.Run.Spec.Comparison }

// Signing is whether and by what the bundle is signed.
func (p Plan) Signing() spec.Signing { return p.Run.Spec.Provenance.Signing }

// Unacted is what the document states and no run acts on.
func (p Plan) Unacted() spec.Unacted { return spec.UnactedIn(p.Run, p.Defaults) }

// Sampling is the time between two readings of the host and its devices.
func (p Plan) Sampling() time.Duration {
	if p.Run.Spec.Observability.ProfileDepth == spec.DepthDeepDive {
		return 100 * time.Millisecond
	}
	return time.Second
}

// Depth says how deep the run is profiled, and what is recorded for it.
func (p Plan) Depth() string {
	s := p.Run.Spec
	text := fmt.Sprintf("%s: the host and its devices every %s", s.Observability.ProfileDepth, unit.Duration(p.Sampling()))
	if s.Target != nil {
		text += fmt.Sprintf(", the server's page every %s", s.Target.Metrics.Interval)
	}
	if s.Train != nil && s.Train.Profile != nil {
		text += ", a profiler's trace of training steps"
	}
	return text
}

// Playbooks are the names of those that a diagnosis walks.
func (p Plan) Playbooks() []string { return p.Run.Spec.Observability.ScenarioPlaybooks }

// BottleneckAnalysis is how a diagnosis names what limits the run.
func (p Plan) BottleneckAnalysis() spec.BottleneckAnalysis { return p.Run.Spec.BottleneckAnalysis }

// JoinKeys are the keys by which telemetry is to be joined with the run.
func (p Plan) JoinKeys() []string { return p.Run.Spec.Observability.Correlation.StableJoinKeys }

// Stated reports whether the author wrote the field at path, which has a default.
func (p Plan) Stated(path string) bool {
	return !slices.ContainsFunc(p.Defaults, func(d spec.Default) bool { return d.Path == path })
}

// Archive is the folder that a copy of the sealed bundle goes to; "" where the
// document names none.
func (p Plan) Archive(runID string) string {
	if !p.Stated("spec.sinks.rawArtifacts.pathTemplate") {
		return ""
	}
	folder, _ := p.Run.Spec.Sinks.RawArtifacts.Folder(runID)
	return folder
}

// Cost is what the system costs; nil where nobody says.
func (p Plan) Cost() *spec.Cost { return p.Run.Spec.Cost }

// Seed is the seed from which every random choice is drawn.
func (p Plan) Seed() int64 { return p.Run.Spec.Seed }

// DrawsSeed reports whether a run of this document takes another seed than this plan.
func (p Plan) DrawsSeed() bool {
	return p.Run.Spec.Target != nil && slices.ContainsFunc(p.Defaults, func(d spec.Default) bool { return d.Path == "spec.seed" })
}

// Train is the training that is measured; nil where there is none.
func (p Plan) Train() *spec.Train { return p.Run.Spec.Train }

// Collectives are the collectives that are measured; nil where there are none.
func (p Plan) Collectives() *spec.Collectives { return p.Run.Spec.Collectives }

// OnHosts says that other hosts are measured one by one: each by a probe, or every two
// by what goes between them.
func (p Plan) OnHosts() bool {
	s := p.Run.Spec
	far := func(l *spec.Launcher) bool {
		return l != nil && (l.Kind == spec.LaunchSSH || l.Kind == spec.LaunchSlurm)
	}
	return s.Probe != nil && far(s.Probe.Launch) || s.Collectives != nil && s.Collectives.Pairs && far(s.Collectives.Launch)
}

// ExecutionPolicy is the order of points and what else governs the run.
func (p Plan) ExecutionPolicy() spec.ExecutionPolicy { return p.Run.Spec.ExecutionPolicy }
