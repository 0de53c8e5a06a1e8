package lint

import (
	"fmt"
	"strings"

	"assay/analysis/diff"
	"assay/finding"
	"assay/spec"
)

// WeakBaseline fires when the candidate has optimisations that the baseline was
// not given.
var WeakBaseline = Check{
	ID: "weak-baseline", Code: "P-01", Severity: finding.Void,
	Doc: "Baseline and candidate differ in knobs that make any engine faster.",
	When: "two runs or sides differ in precision, batching, compilation, attention, caching, " +
		"speculation or parallelism, unless a sweep of three settings shows that the baseline's is " +
		"its best (void for publication, otherwise a caution)",
	Applies: (*Facts).Compared,
	Run:     weakBaseline,
}

// knobs are the optimisations that both sides of a comparison must share, by the
// end of the path at which a difference shows. The name is what a sweep of
// settings is filed under (tuning[].knob).
var knobs = []struct{ name, path string }{
	{"precision", "spec.workload.precision"},
	{"batching", "spec.workload.batchingPolicy"},
	{"precision", "* --dtype"}, {"precision", "* --precision"}, {"precision", "* --quantization"},
	{"kv cache precision", "* --kv-cache-dtype"},
	{"batching", "* --max-num-seqs"}, {"batching", "* --max-batch-size"}, {"batching", "* --max-running-requests"},
	{"batching", "* --max-num-batched-tokens"}, {"chunked prefill", "* --enable-chunked-prefill"},
	{"compilation", "* --enforce-eager"}, {"compilation", "* --eager"}, {"compilation", "* --compilation-config"},
	{"compilation", "* --enable-torch-compile"}, {"compilation", "* -O"},
	{"compilation", "env.TORCH_COMPILE_DISABLE"}, {"compilation", "env.TORCHDYNAMO_DISABLE"},
	{"cuda graphs", "* --disable-cuda-graph"}, {"cuda graphs", "* --cuda-graph-max-bs"},
	{"attention", "* --attention-backend"}, {"attention", "env.VLLM_ATTENTION_BACKEND"}, {"attention", "python.flash_attn"},
	{"prefix caching", "* --enable-prefix-caching"}, {"prefix caching", "* --no-enable-prefix-caching"}, {"prefix caching", "* --disable-radix-cache"},
	{"speculative decoding", "* --speculative-config"}, {"speculative decoding", "* --speculative-algorithm"},
	{"parallelism", "* --tensor-parallel-size"}, {"parallelism", "* --tp"}, {"parallelism", "* --pipeline-parallel-size"},
	{"memory share", "* --gpu-memory-utilization"}, {"memory share", "* --mem-fraction-static"},
}

// Two settings have a better one by chance; three show a peak.
const fewestSettings = 3

func weakBaseline(f *Facts) Answer {
	if f.Plan.Workload().Precision == spec.AsServed && !f.knowsEngine() {
		return missing("the settings of both engines (workload.precision, or target.server.command)")
	}
	var text, names []string
	for _, c := range changedKnobs(f) {
		if !f.tuned(c) {
			text = append(text, fmt.Sprintf("%s (%s → %s)", c.name, c.A, c.B))
			names = append(names, c.String())
		}
	}
	if len(text) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: f.publishing(),
		Message: fmt.Sprintf("baseline and candidate differ in %d knobs besides %s: %s",
			len(text), f.Plan.Comparison().VariableUnderTest, summary(text)),
		Why:      "a speed-up over a baseline that was not tuned mixes the tuning with what is named",
		Fix:      "run the baseline with the candidate's settings, or show in a sweep of three settings that its own is its best (tuning in a file of statements)",
		Evidence: names,
	})
}

// knowsEngine says that assay started the engines and so knows their flags.
func (f *Facts) knowsEngine() bool {
	return f.startsServers() && (f.Against == nil || f.Against.startsServers())
}

// A changedKnob is an optimisation in which two sides differ.
type changedKnob struct {
	name string
	diff.Change
}

func changedKnobs(f *Facts) []changedKnob {
	var list []changedKnob
	for _, c := range f.Changes {
		for _, k := range knobs {
			if suffix, flag := strings.CutPrefix(k.path, "*"); k.path == c.Path || flag && strings.HasSuffix(c.Path, suffix) {
				list = append(list, changedKnob{k.name, c})
				break
			}
		}
	}
	return list
}

// tuned says that a sweep shows the baseline's setting to be its own best.
func (f *Facts) tuned(c changedKnob) bool {
	for _, t := range f.Tuning {
		if t.Knob != c.name || len(t.Settings) < fewestSettings {
			continue
		}
		best := t.Settings[0]
		for _, s := range t.Settings {
			if t.Better == "lower" && s.Result < best.Result || t.Better != "lower" && s.Result > best.Result {
				best = s
			}
		}
		if best.Value == c.A {
			return true
		}
	}
	return false
}
