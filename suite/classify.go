package suite

import (
	"fmt"
	"slices"
)

// A Bottleneck is what the figures of a suite point at, by the first rule that
// fires. The rules and limits are those of the reference; they are thresholds, not
// tests, and the diagnosis of a single bundle (assay diagnose) goes further.
type Bottleneck struct {
	Type       string   `json:"bottleneck_type"`
	Confidence string   `json:"confidence"`
	Reasons    []string `json:"reasons"`
	Do         []string `json:"recommendations"`
	Unknown    []string `json:"unknown,omitempty"` // figures that were not measured
}

// A rule looks at one figure.
type rule struct {
	what       string
	role       string
	of         func(facts) *float64
	fires      func(v float64) bool
	reason     string // with the figure
	kind, sure string
	do         string
}

func above(limit float64) func(float64) bool { return func(v float64) bool { return v >= limit } }
func below(limit float64) func(float64) bool { return func(v float64) bool { return v < limit } }

var rules = []rule{
	{"spread of throughput", "vllm_concurrency_sweep", func(f facts) *float64 { return f.throughputCV }, above(10), "throughput of launches differs by %.3g %%", "host-bound", "high", "find out what else runs on the host, then measure again"},
	{"spread of TTFT", "vllm_concurrency_sweep", func(f facts) *float64 { return f.ttftCV }, above(12), "TTFT of launches differs by %.3g %%", "host-bound", "high", "find out what else runs on the host, then measure again"},
	{"spread of all-reduce", "allreduce_stability", func(f facts) *float64 { return f.stabilityCV }, above(5), "one exchange differs by %.3g %% from call to call", communicationBound, "medium", "look at the links and at what shares them"},
	{"slow tail of all-reduce", "allreduce_stability", func(f facts) *float64 { return f.slowTail }, above(1.15), "p99 of one exchange is %.3g times its median", communicationBound, "medium", "look for the rank or link that is late: assay comm --pairs"},
	{"all-gather against the link", "nccl_allreduce", func(f facts) *float64 { return f.gather }, below(.5), "an all-gather carries %.3g of what its link or the other operations do", communicationBound, "medium", "look at the links and at the settings of the library: assay comm --ops all_gather"},
	{"spread of algorithms", "nccl_algo_comparison", func(f facts) *float64 { return f.spread }, above(8), "algorithms differ by %.3g %%", communicationBound, "medium", "fix the best algorithm for the sizes that matter"},
	{"gap of the automatic choice", "nccl_algo_comparison", func(f facts) *float64 { return f.autoGap }, above(5), "the automatic choice is %.3g %% behind the best", communicationBound, "medium", "fix the best algorithm for the sizes that matter"},
	{"goodput over throughput", "vllm_concurrency_sweep", func(f facts) *float64 { return f.goodput }, below(.6), "only %.3g of the best throughput is within its limits", "host-bound", "medium", "find the knee of the sweep and stay below it"},
	{"copies to the device", "nvbandwidth", func(f facts) *float64 { return f.toDevice }, below(20e9), "copies to the device reach %.3g bytes a second", "host-transfer-bound", "medium", "check PCIe width and speed, and pinned memory"},
}

// communicationBound says that exchanges take more than their part, which only what computes
// beside them can show.
const communicationBound = "communication-bound"

// computing are the steps that compute.
var computing = []string{"gemm_sanity", "train_step", "vllm_concurrency_sweep", "vllm_request_rate_sweep"}

func classify(rows []Row) Bottleneck {
	out := Bottleneck{
		Type: "mixed", Confidence: "low", Reasons: []string{"no rule fires on what was measured"}, Do: []string{"assay diagnose says more of each bundle"},
		Unknown: []string{"ratio of several hosts to one", "memory bandwidth against its peak", "matrix products against their peak"},
	}
	found := false
	for _, r := range rules {
		row, ok := ran(rows, r.role)
		v := r.of(row.facts)
		switch {
		case !ok || v == nil:
			out.Unknown = append(out.Unknown, r.what)
		case !found && r.fires(*v):
			found = true
			reason := fmt.Sprintf(r.reason, *v)
			if row.StandIn != "" {
				reason += fmt.Sprintf(" (of %s)", row.StandIn)
			}
			out.Type, out.Confidence, out.Reasons, out.Do = r.kind, r.sure, []string{reason}, []string{r.do}
		}
	}
	if out.Type == communicationBound && !slices.ContainsFunc(computing, func(role string) bool { _, did := ran(rows, role); return did }) {
		out.Type, out.Confidence = "mixed", "low"
		out.Reasons = append(out.Reasons, "no step that computes ran, so that nobody can say whether exchanges limit anything")
	}
	return out
}
