package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/spec"
)

// fact is what the environment says under name, as text; false when it does not.
func (f *Facts) fact(name string) (string, bool) {
	known, ok := f.Manifest.Environment[name]
	if !ok || known.Unavailable != "" || known.Value == nil {
		return "", false
	}
	return fmt.Sprint(known.Value), true
}

// here says that every side ran on the host that did the measuring: only then are
// the accelerators and processors that were read beside the run its own.
func (f *Facts) here() bool {
	sides := f.Plan.Sides()
	return len(sides) > 0 && !slices.ContainsFunc(sides, func(s spec.Side) bool { return !metric.Here(s.Target) })
}

// noGPUs says that the system under test ran on this host and that the host has
// no accelerator: nobody found one on the bus, or its library counted none.
func (f *Facts) noGPUs() bool {
	count, counted := f.fact("gpu.count")
	onBus, looked := f.fact("pci.gpus")
	return f.here() && (counted && count == "0" || !counted && looked && (onBus == "[]" || onBus == "0"))
}

// completed lists the launches that ended well, in the order they were started.
func (f *Facts) completed() []bundle.LaunchInfo {
	return slices.DeleteFunc(slices.Clone(f.Manifest.Launches), func(l bundle.LaunchInfo) bool {
		return l.Outcome != bundle.LaunchCompleted
	})
}
