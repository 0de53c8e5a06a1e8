package lint

import (
	"fmt"
	"strconv"
	"strings"

	"assay/finding"
)

// SharedNodes fires when a publication-grade run did not have its nodes alone.
var SharedNodes = Check{
	ID: "shared-nodes", Code: "P-25", Severity: finding.Caution,
	Doc: "A run asks for the publication grade on nodes that it shares.",
	When: "publication only: isolation not declared, a processor limit below the host's, programs on " +
		"the devices before the run: a caution, and no publication grade",
	Applies: publication,
	Run:     sharedNodes,
}

func sharedNodes(f *Facts) Answer {
	policy := f.Plan.ExecutionPolicy().PublicationGrade
	var shared []string
	for _, p := range []struct {
		name  string
		value *bool
	}{
		{"dedicatedNodes", policy.DedicatedNodes}, {"stableBackgroundLoad", policy.StableBackgroundLoad},
		{"fixedTopology", policy.FixedTopology}, {"topologyExclusiveScheduling", policy.TopologyExclusiveScheduling},
	} {
		if p.value == nil || !*p.value {
			shared = append(shared, "executionPolicy.publicationGrade."+p.name+" is not true")
		}
	}
	threads, knowsThreads := f.number("cpu.threads")
	if limit, limited := f.number("cgroup.cpu_limit_cores"); limited && knowsThreads && limit < threads {
		shared = append(shared, fmt.Sprintf("a limit of %g of the host's %g processors", limit, threads))
	}
	if text, told := f.fact("gpu.processes"); told && f.Manifest.Environment["gpu.processes"].Value != nil && strings.Contains(text, "pid ") && f.startsServers() {
		shared = append(shared, "programs on the devices before the servers were started: "+text)
	}
	if len(shared) > 0 {
		return found(finding.Finding{
			Severity: finding.Caution,
			Message:  "not exclusive, so realism grade at most: " + summary(shared),
			Fix:      "run on nodes of its own",
			Evidence: shared,
		})
	}
	if !knowsThreads {
		return missing("the host's processors and its limits (cpu.threads, cgroup.cpu_limit_cores)")
	}
	return found()
}

// number is a fact that is a number; false when it is not known or is no number,
// such as the word for no limit.
func (f *Facts) number(name string) (float64, bool) {
	text, ok := f.fact(name)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// startsServers says that every side is a server that the run itself starts.
func (f *Facts) startsServers() bool {
	for _, side := range f.Plan.Sides() {
		if side.Target.Server == nil {
			return false
		}
	}
	return true
}
