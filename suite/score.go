package suite

import (
	"fmt"
	"time"

	"assay/analysis/nodes"
)

// A Card is what a suite says: scorecard.json. It is made after coverage and
// alignment, which it rests on.
type Card struct {
	Version string    `json:"version"`
	Preset  string    `json:"preset"`
	RunID   string    `json:"run_id"`
	Start   time.Time `json:"start_time"`
	End     time.Time `json:"end_time"`
	Smoke   bool      `json:"smoke,omitempty"`
	Device  string    `json:"device"`

	Rows       []Row      `json:"steps"`
	Layers     []Layer    `json:"layers"`
	Alignment  Alignment  `json:"mlperf_alignment"`
	Coverage   Coverage   `json:"coverage"`
	Gates      []Gate     `json:"gates,omitempty"`
	Bottleneck Bottleneck `json:"bottleneck"`

	// Nodes are how the hosts compare, of all steps together; null where there is one.
	Nodes *nodes.Report `json:"nodes,omitempty"`

	// Profiles are what profilers found in a step; those that this host lacks say so.
	Profiles []Profile `json:"profiles,omitempty"`

	// Complete says that nothing the canonical gates ask for is missing; it is not
	// the same as a suite in which nothing failed.
	Complete bool    `json:"canonical_complete"`
	Succeed  bool    `json:"suite_succeeded"`
	Score    float64 `json:"overall_score"`
	PassFail string  `json:"pass_fail"` // pass, fail, or none for a preset whose end no gate decides
}

// A Layer is a layer with its question and what was found.
type Layer struct {
	Name     string   `json:"name"`
	Question string   `json:"question"`
	Answers  []string `json:"answers,omitempty"`
	Open     []string `json:"open,omitempty"` // steps without an answer, and why
}

// What is known of a part.
const (
	Covered = "covered"
	StandIn = "stand_in" // measured on something else
	Missing = "missing"
)

// Coverage is which parts of a system the suite looked at.
type Coverage struct {
	Subsystems map[string]string `json:"subsystems"`
	Score      float64           `json:"coverage_score_pct"`
	Advanced   map[string]string `json:"advanced_signals"`
	AdvScore   float64           `json:"advanced_coverage_score_pct"`
	StandIns   float64           `json:"stand_in_pct"` // of the subsystems that something else stood in for; not in the score
	Class      string            `json:"class"`        // ≥ 80 high, ≥ 50 medium, else low
}

// subsystems name what a cluster consists of, and the roles that cover each.
var subsystems = []struct {
	name  string
	roles []string
}{
	{"sm_compute", []string{"gemm_sanity"}},
	{"hbm_memory", []string{"gpu_stream"}},
	{"gpu_gpu_communication", []string{"nccl_allreduce"}},
	{"gpu_cpu_transfer", []string{"nvbandwidth"}},
	{"ai_workloads", []string{"vllm_concurrency_sweep", "train_step"}},
}

// advanced are the signals beyond the subsystems. The reference counts eleven and
// does not name them all; these are ours.
var advanced = []string{
	"allreduce_stability", "allreduce_latency_comp", "allgather_control_plane", "nccl_alltoall", "nccl_algo_comparison",
	"train_step", "vllm_request_rate_sweep", "fio", "pairs", "network", "dataloader",
}

// subsystemRoles are the roles that cover each subsystem.
func subsystemRoles() (list [][]string) {
	for _, s := range subsystems {
		list = append(list, s.roles)
	}
	return list
}

// singly makes each role an alternative of its own.
func singly(roles []string) (list [][]string) {
	for _, role := range roles {
		list = append(list, []string{role})
	}
	return list
}

// stateOf is what is known of any of the roles.
func stateOf(rows []Row, roles ...string) string {
	state := Missing
	for _, role := range roles {
		if row, ok := ran(rows, role); ok {
			if row.StandIn == "" {
				return Covered
			}
			state = StandIn
		}
	}
	return state
}

func coverage(rows []Row) Coverage {
	c := Coverage{Subsystems: map[string]string{}, Advanced: map[string]string{}}
	for _, s := range subsystems {
		c.Subsystems[s.name] = stateOf(rows, s.roles...)
	}
	for _, role := range advanced {
		c.Advanced[role] = stateOf(rows, role)
	}
	c.Score, c.StandIns = percent(c.Subsystems, Covered), percent(c.Subsystems, StandIn)
	c.AdvScore = percent(c.Advanced, Covered)
	switch {
	case c.Score >= 80:
		c.Class = "high"
	case c.Score >= 50:
		c.Class = "medium"
	default:
		c.Class = "low"
	}
	return c
}

func percent(states map[string]string, want string) float64 {
	n := 0
	for _, state := range states {
		if state == want {
			n++
		}
	}
	return 100 * float64(n) / float64(len(states))
}

// Alignment is how far the suite has what MLPerf's benchmarks look at. It is not a
// submission and not a result of MLPerf.
type Alignment struct {
	Inference bool     `json:"inference_ready"`
	Training  bool     `json:"training_ready"`
	Overall   string   `json:"overall"` // aligned, inference_ready_only, training_ready_only or partial
	Missing   []string `json:"missing,omitempty"`
}

// What inference and training take to be ready.
var (
	inferenceRoles = []string{"vllm_concurrency_sweep", "vllm_request_rate_sweep"}
	trainingRoles  = []string{"train_step", "nccl_allreduce", "allreduce_stability", "nccl_alltoall"}
)

// fewestLaunches is how many starts a spread needs.
const fewestLaunches = 3

func alignment(rows []Row) Alignment {
	a := Alignment{Inference: true, Training: true}
	lack := func(ready *bool, format string, args ...any) {
		*ready = false
		a.Missing = append(a.Missing, fmt.Sprintf(format, args...))
	}
	for _, role := range inferenceRoles {
		row, ok := ran(rows, role)
		switch {
		case !ok:
			lack(&a.Inference, "%s", role)
		case row.StandIn != "":
			lack(&a.Inference, "%s of a real server, not of %s", role, row.StandIn)
		case !row.facts.slo:
			lack(&a.Inference, "limits of %s", role)
		case row.facts.launches < fewestLaunches:
			lack(&a.Inference, "%d launches of %s", fewestLaunches, role)
		}
	}
	for _, role := range trainingRoles {
		if row, ok := ran(rows, role); !ok {
			lack(&a.Training, "%s", role)
		} else if row.StandIn != "" {
			lack(&a.Training, "%s on an accelerator, not on %s", role, row.StandIn)
		}
	}
	switch {
	case a.Inference && a.Training:
		a.Overall = "aligned"
	case a.Inference:
		a.Overall = "inference_ready_only"
	case a.Training:
		a.Overall = "training_ready_only"
	default:
		a.Overall = "partial"
	}
	return a
}

// points are what the alignment adds to the score.
func (a Alignment) points(rows []Row) float64 {
	switch a.Overall {
	case "aligned":
		return 100
	case "inference_ready_only", "training_ready_only":
		return 80
	}
	for _, role := range []string{"vllm_concurrency_sweep", "vllm_request_rate_sweep", "train_step", "nccl_allreduce"} {
		if stateOf(rows, role) == Covered {
			return 40
		}
	}
	return 0
}

// score makes the card: alignment and coverage first, since it reads them.
func score(p Preset, h Host, rows []Row) Card {
	c := Card{Version: Version, Preset: p.Name, Device: h.Device, Rows: rows, Layers: layers(rows)}
	c.Alignment = alignment(rows)
	c.Coverage = coverage(rows)
	c.Bottleneck = classify(rows)
	c.Succeed = true
	for _, r := range rows {
		c.Succeed = c.Succeed && r.Outcome != Failed
	}
	c.Complete = c.Coverage.Score >= fullCoverage && c.Coverage.AdvScore >= advancedCoverage && c.Alignment.Overall != "partial"
	c.Score = .35*c.Coverage.Score + .35*c.Coverage.AdvScore + .30*c.Alignment.points(rows)
	c.PassFail = NoGates
	if p.Strict {
		c.Gates = gates(p, h, c)
		c.PassFail = Pass
	}
	for _, g := range c.Gates {
		if !g.Pass {
			c.PassFail = Fail
		}
	}
	return c
}

func layers(rows []Row) []Layer {
	var list []Layer
	for _, q := range Questions {
		l := Layer{Name: q.Layer, Question: q.Question}
		for _, r := range rows {
			switch {
			case r.Layer != q.Layer:
			case r.Outcome == Ran:
				text := fmt.Sprintf("%s? %s", r.Question, r.Answer)
				if r.StandIn != "" {
					text += fmt.Sprintf(" (of %s)", r.StandIn)
				}
				l.Answers = append(l.Answers, text)
			default:
				l.Open = append(l.Open, fmt.Sprintf("%s? %s: %s", r.Question, r.Outcome, r.Reason))
			}
		}
		if len(l.Answers)+len(l.Open) > 0 {
			list = append(list, l)
		}
	}
	return list
}
