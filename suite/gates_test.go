package suite

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/metric"
	"assay/report"
	"assay/stats"
)

// steadily is a report in which launches differ by so many percent.
func steadily(percent float64) report.Report {
	r := measured(3)
	cv := percent / 100
	for _, id := range []string{metric.OutputThroughput.ID, metric.DiskRead.ID} {
		r.Estimates.Rows = append(r.Estimates.Rows, metric.Row{Metric: id, Statistic: "value", CV: &cv, Estimate: stats.Estimate{Value: 5}})
	}
	return r
}

// Every gate of every preset can be passed by some host, and a host that cannot pass
// one is told what it lacks.
func TestGatesCanBeReached(t *testing.T) {
	t.Parallel()
	hosts := []struct {
		name  string
		host  Host
		lacks []string // over all gates; none means that everything passes
	}{
		{"two accelerators and a server", Host{Has: map[Need]bool{Accelerator: true, Torch: true}, Device: "cuda", Accelerators: 2, Ranks: 2, Model: "m", Target: "{}"}, nil},
		{"one accelerator and a server", oneGPU, []string{"two accelerators"}},
		{"one accelerator", Host{Has: oneGPU.Has, Device: "cuda", Accelerators: 1, Ranks: 1, Model: "m", Target: "{}", Simulated: true}, []string{"two accelerators", "a server under test (--url)"}},
		{"processors and torch", Host{Has: map[Need]bool{Torch: true}, Device: "cpu", Ranks: 2, Model: "m", Target: "{}", Simulated: true},
			[]string{"two accelerators", "an accelerator that torch can use", "a server under test (--url)"}},
		{"processors", Host{Device: "cpu", Ranks: 2, Model: "m", Target: "{}", Simulated: true}, []string{"a Python with torch (--python)"}},
	}
	for _, p := range All {
		if !p.Strict {
			continue
		}
		for _, tt := range hosts {
			card, _, err := runOf(t, p, tt.host, func(context.Context, string, []byte, string) (Outcome, error) {
				return Outcome{Report: steadily(3)}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var lacks []string
			for _, g := range card.Gates {
				if !g.Pass && len(g.Lacks) == 0 {
					t.Errorf("%s on %s: %s, and nobody is told why", p.Name, tt.name, g.text())
				}
				if !g.Pass {
					lacks = append(lacks, g.Lacks...)
				}
			}
			if pass := card.PassFail == Pass; pass != (len(tt.lacks) == 0) {
				t.Errorf("%s on %s: %s, lacking %q", p.Name, tt.name, card.PassFail, lacks)
			}
			for _, want := range tt.lacks {
				if !slices.ContainsFunc(lacks, func(text string) bool { return strings.Contains(text, want) }) {
					t.Errorf("%s on %s: nobody says that it lacks %s: %q", p.Name, tt.name, want, lacks)
				}
			}
			if i := slices.IndexFunc(lacks, func(text string) bool { return strings.Contains(text, "a step of preset") }); i >= 0 {
				t.Errorf("%s can never be passed: it takes %s", p.Name, lacks[i])
			}
		}
	}
}

// A spread that is too wide or was not measured does not pass, nor does that of the
// simulator.
func TestSpreadGates(t *testing.T) {
	t.Parallel()
	p, _ := Find("modern-llm")
	verdicts := func(h Host, r report.Report) (list []bool) {
		card, _, err := runOf(t, p, h, func(context.Context, string, []byte, string) (Outcome, error) { return Outcome{Report: r}, nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range card.Gates[3:] {
			list = append(list, g.Pass)
		}
		return list
	}
	simulated := oneGPU
	simulated.Simulated = true
	for _, tt := range []struct {
		name string
		host Host
		r    report.Report
		want []bool
	}{
		{"within", oneGPU, steadily(9), []bool{true, true, true}},
		{"too wide for some", oneGPU, steadily(13), []bool{true, false, false}},
		{"not measured", oneGPU, measured(3), []bool{false, false, false}},
		{"of the simulator", simulated, steadily(1), []bool{false, false, true}},
	} {
		if got := verdicts(tt.host, tt.r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Quick is quick: by its own estimate, any preset takes six minutes at most on one
// accelerator at size quick, and the first answer two.
func TestQuick(t *testing.T) {
	t.Parallel()
	for _, p := range All {
		most := 6 * time.Minute
		if p.Name == "common-answer-fast" {
			most = 2 * time.Minute
		} else {
			p.Size = quick
		}
		if got, n := p.Takes(oneGPU); got > most || n == 0 && len(p.Steps) > 0 {
			t.Errorf("%s: %d steps in about %v, want at most %v", p.Name, n, got, most)
		}
	}
	s := steps[slices.IndexFunc(steps, func(s Step) bool { return s.Name == "nvbandwidth" })]
	if got := s.Each(quick, oneGPU); got*20 > quick.Step {
		t.Errorf("20 copies of %v each take longer than the %v of a step", got, quick.Step)
	}
}

// On accelerators it is NCCL that exchanges; what one of them cannot do is left to
// processors, and is no coverage.
func TestWhoExchanges(t *testing.T) {
	t.Parallel()
	two := oneGPU
	two.Accelerators, two.Ranks = 2, 2
	processors := Host{Device: "cpu", Ranks: 4}
	for _, tt := range []struct {
		step    string
		host    Host
		want    string
		standIn string
	}{
		{"nccl_single_node", two, "backend: nccl, device: cuda, ranks: [2]", ""},
		{"nccl_single_node", oneGPU, "backend: nccl, device: cuda, ranks: [1]", "one accelerator, which exchanges nothing"},
		{"nccl_single_node", processors, "{ranks: [4]", "the host's processors"},
		{"pairs", two, "backend: nccl, device: cuda, ranks: [2]", ""},
		{"pairs", oneGPU, "{ranks: [2]", "the host's processors"},
		{"nccl_env_sensitivity", processors, "backend: gloo, device: cpu, ranks: [4]", "the host's processors"},
		{"train_step", two, "train: {ranks: [1, 2], single: true, device: cuda, backend: nccl", ""},
		{"train_step", oneGPU, "train: {ranks: [1], single: true, device: cuda, backend: nccl", ""},
	} {
		s := steps[slices.IndexFunc(steps, func(s Step) bool { return s.Name == tt.step })]
		if source := string(s.Spec(quick, tt.host)); !strings.Contains(source, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.step, tt.want, source)
		}
		if got := tt.host.standIn(s); got != tt.standIn {
			t.Errorf("%s on %d accelerators stands in as %q, want %q", tt.step, tt.host.Accelerators, got, tt.standIn)
		}
	}
}
