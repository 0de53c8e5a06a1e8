package diff

import (
	"fmt"

	"assay/metric"
	"assay/spec"
)

// systemPath is where a document declares what stands behind the address of its target.
const systemPath = "spec.target.system."

// declareSystem writes what a document declares about its target, in whichever of the
// two places, into its leaves.
func declareSystem(flat map[string]string, run spec.Run) {
	if run.Spec.Target == nil {
		return
	}
	s := run.SystemOf(run.Spec.Target)
	count := ""
	if s.GPUCount > 0 {
		count = fmt.Sprint(s.GPUCount)
	}
	for name, value := range map[string]string{"engine": s.Engine, "version": s.Version, "gpuType": s.GPUType, "gpuCount": count} {
		if value != "" {
			flat[systemPath+name] = value
		}
	}
}

// notKnown stands for what nobody declared and nothing could see.
const notKnown = "not known"

// systems lists what is known of neither of two systems behind different addresses.
// That is no agreement: whether they differ nobody can say, and no declared variable
// covers it. A target on the host that measured is described by the host's own facts,
// and an import says by itself that it knows no host.
func systems(a, b Side) []Change {
	x, y := a.Plan.Target(), b.Plan.Target()
	if x == nil || y == nil || a.Manifest.Source != nil || b.Manifest.Source != nil ||
		metric.Here(x) && metric.Here(y) || x.Address() == y.Address() {
		return nil
	}
	var list []Change
	unknown := func(name string) {
		list = append(list, Change{Path: systemPath + name, A: undeclared(x), B: undeclared(y), Kind: Plan})
	}
	s, t := a.Plan.Run.SystemOf(x), b.Plan.Run.SystemOf(y)
	if s.GPUType == "" && t.GPUType == "" {
		unknown("gpuType")
	}
	if s.GPUCount == 0 && t.GPUCount == 0 {
		unknown("gpuCount")
	}
	if s.Engine == "" && t.Engine == "" && !namesEngine(a) && !namesEngine(b) {
		unknown("engine")
	}
	return list
}

// undeclared says what stands in for a declaration that is missing.
func undeclared(t *spec.Target) string {
	if metric.Here(t) {
		return "the measuring host's"
	}
	return notKnown
}

// namesEngine reports whether the server says what engine it is.
func namesEngine(s Side) bool { return s.Manifest.Environment["server.engine"].Value != nil }
