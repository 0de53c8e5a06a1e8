package claim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/bundle"
)

// reproducible answers item by item what somebody else needs to do it again.
func reproducible(e Evidence) Answer {
	a := Answer{Question: "reproducibility: can somebody else do it again?", Items: items(e)}
	var lacks []string
	for _, i := range a.Items {
		if !i.Known {
			lacks = append(lacks, i.Name)
		}
	}
	a.Answered = len(lacks) == 0
	a.Answer = fmt.Sprintf("%d of %d items are known", len(a.Items)-len(lacks), len(a.Items))
	if !a.Answered {
		a.Answer += "; missing: " + strings.Join(lacks, ", ")
	}
	return a
}

// items are hardware, software, inputs, seeds, variance and who vouches for them.
func items(e Evidence) []Item {
	in, env := e.Manifest.Inputs, e.Manifest.Environment
	var list []Item
	add := func(name, value, otherwise string) {
		list = append(list, Item{Name: name, Known: value != "", Value: cmp.Or(value, otherwise)})
	}
	add("the plan", short(e.Manifest.PlanDigest), "the manifest names none")
	seeds := ""
	if len(in.Seeds) > 0 && !e.Manifest.Unknown(bundle.GapSeed) {
		seeds = fmt.Sprintf("%d, one of the run and one of each launch", len(in.Seeds))
	}
	add("the seeds", seeds, "not recorded")
	hardware := targetHardware(e, e.Plan.Target())
	if strings.HasSuffix(hardware, "not known") || strings.HasSuffix(hardware, "unknown") {
		hardware = ""
	}
	add("the hardware", hardware, "neither seen nor declared (target.system)")
	add("the measuring host", said(env, "cpu.model"), "not recorded")
	add("operating system and kernel", strings.TrimSpace(said(env, "os.name")+" "+said(env, "kernel.release")), "not recorded")
	if driver := said(env, "gpu.driver"); driver != "" {
		add("the GPU driver", driver, "")
	}
	add("the engine's image or version", engineVersion(e), "the server names none and no image is pinned")
	model := ""
	if in.Model != nil && in.Model.Digest != "" {
		model = short(in.Model.Digest)
	}
	add("the model's digest", model, "the target does not tell it")
	spread := variance(e)
	text := ""
	if spread.Answered {
		text = spread.Answer
	}
	add("the variance across launches", text, "too few launches")
	add("what is not deterministic", residual(e), "")
	signature := ""
	if e.Signed {
		signature = "signed"
	}
	add("a signature", signature, "nobody signed the bundle")
	return list
}

// residual says what the recorded seeds and settings leave to chance: repeating a run
// gives its distribution again, not its bits.
func residual(e Evidence) string {
	s := e.Plan.Decided()
	var list []string
	if s.Target != nil {
		list = append(list, "when the server batches which requests, and with it the order of its sums")
	}
	if s.Load != nil && s.Load.Temperature > 0 {
		list = append(list, fmt.Sprintf("the server's sampling at temperature %g", s.Load.Temperature))
	}
	if s.Train != nil {
		list = append(list, fmt.Sprintf("kernels that torch chooses (deterministic algorithms are not demanded), and the order in which %s adds gradients", s.Train.Backend))
	}
	if s.Collectives != nil {
		list = append(list, fmt.Sprintf("the order in which %s adds, where an algorithm leaves it open", s.Collectives.Backend))
	}
	return strings.Join(append(list, "clocks, interrupts and where the kernel runs threads"), "; ")
}

// engineVersion is the pinned image, or what the server or the document says.
func engineVersion(e Evidence) string {
	if images := e.Manifest.Inputs.Images; len(images) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(images)))
		return first + " " + short(images[first])
	}
	if version := said(e.Manifest.Environment, "server.version"); version != "" {
		return strings.TrimSpace(said(e.Manifest.Environment, "server.engine") + " " + version)
	}
	if s := e.Plan.Run.SystemOf(e.Plan.Target()); s.Version != "" {
		return strings.TrimSpace(s.Engine+" "+s.Version) + " (declared)"
	}
	return ""
}
