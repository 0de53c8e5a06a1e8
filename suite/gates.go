package suite

import (
	"fmt"
	"slices"
	"strings"
)

// How the gates of a preset ended.
const (
	Pass    = "pass"
	Fail    = "fail"
	NoGates = "none"
)

// A Gate is one demand of a strict preset.
type Gate struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"` // null when not measured, which does not pass
	Limit float64  `json:"limit"`
	Least bool     `json:"at_least,omitempty"` // the limit is the least; otherwise it is the most
	Pass  bool     `json:"pass"`

	// Lacks is what this host must have besides, or what failed on it, before the gate
	// can be passed; empty where the value alone decides.
	Lacks []string `json:"lacks,omitempty"`
}

// The canonical gates and the weights of the score are those of the reference.
const (
	fullCoverage     = 100
	advancedCoverage = 85
)

// gates are those of a strict preset. A spread that was measured on a stand-in is
// shown and does not pass.
func gates(p Preset, h Host, c Card) []Gate {
	rows := c.Rows
	list := []Gate{
		least("coverage_score_pct", c.Coverage.Score, fullCoverage, h.lackingAll(p, rows, subsystemRoles()...)),
		least("advanced_coverage_score_pct", c.Coverage.AdvScore, advancedCoverage, h.lackingAll(p, rows, singly(advanced)...)),
		aligned(p, h, c),
	}
	spread := func(name, role string, limit float64, of func(facts) *float64) {
		g := Gate{Name: name, Limit: limit}
		row, ok := ran(rows, role)
		if ok {
			g.Value = of(row.facts)
		}
		g.Lacks = h.lackingAll(p, rows, []string{role})
		g.Pass = g.Value != nil && *g.Value <= limit && row.StandIn == ""
		list = append(list, g)
	}
	spread("concurrency_tok_s_cv_p95_pct", "vllm_concurrency_sweep", 15, func(f facts) *float64 { return f.throughputCV })
	spread("rate_tok_s_cv_p95_pct", "vllm_request_rate_sweep", 10, func(f facts) *float64 { return f.throughputCV })
	spread("fio_seq_bw_cv_pct", "fio", 12, func(f facts) *float64 { return f.seqCV })
	return list
}

func least(name string, value, limit float64, lacks []string) Gate {
	g := Gate{Name: name, Value: &value, Limit: limit, Least: true, Pass: value >= limit}
	if !g.Pass {
		g.Lacks = lacks
	}
	return g
}

// aligned is the gate of alignment: one of inference and training must be ready.
func aligned(p Preset, h Host, c Card) Gate {
	ready := 0.
	for _, yes := range []bool{c.Alignment.Inference, c.Alignment.Training} {
		if yes {
			ready++
		}
	}
	inference, training := h.lackingAll(p, c.Rows, singly(inferenceRoles)...), h.lackingAll(p, c.Rows, singly(trainingRoles)...)
	var lacks []string
	if len(inference) > 0 && len(training) > 0 {
		lacks = []string{strings.Join(inference, " and ") + ", or " + strings.Join(training, " and ")}
	}
	return least("mlperf_ready", ready, 1, lacks)
}

// lackingAll is what keeps roles from being covered, each once. One of the roles of
// each alternative is enough.
func (h Host) lackingAll(p Preset, rows []Row, alternatives ...[]string) (list []string) {
	for _, roles := range alternatives {
		if stateOf(rows, roles...) == Covered {
			continue
		}
		for _, role := range roles {
			if text := h.lacking(p, rows, role); !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// lacking is what keeps a role from being covered.
func (h Host) lacking(p Preset, rows []Row, role string) string {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Role == role })
	if i < 0 {
		return fmt.Sprintf("a step of preset %s for %s", p.Name, role)
	}
	row := rows[i]
	steps := p.Resolve()
	at := slices.IndexFunc(steps, func(s Step) bool { return s.Name == row.Name })
	if text := h.Lacks(steps[at]); text != "" {
		return text
	}
	return fmt.Sprintf("%s, which was %s: %s", row.Name, row.Outcome, row.Reason)
}

// text is the gate in a line.
func (g Gate) text() string {
	value, verdict, limit := "not measured", "missed", "at most"
	if g.Value != nil {
		value = fmt.Sprintf("%.3g", *g.Value)
	}
	if g.Least {
		limit = "at least"
	}
	switch {
	case g.Pass:
		verdict = "kept"
	case g.Value != nil && !g.Least && *g.Value <= g.Limit:
		verdict = "within it, and does not count" // it is that of a stand-in
	}
	text := fmt.Sprintf("gate %s: %s, %s %g: %s", g.Name, value, limit, g.Limit, verdict)
	if len(g.Lacks) > 0 && !g.Pass {
		text += "; it takes " + strings.Join(g.Lacks, "; ")
	}
	return text
}
