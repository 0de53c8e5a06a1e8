package claim

import (
	"fmt"
	"slices"
	"strings"

	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// conditions lists what a number of a point holds under. What nobody knows is
// said to be unknown: a reader must see the gap.
func conditions(e Evidence, point plan.Point, side spec.Side) []Condition {
	if point.Kind() != plan.KindServing {
		return append(rankConditions(e, point), divisionCondition(e))
	}
	s := e.Plan.Decided()
	list := []Condition{{"load", loadOf(point, s.Workload)}}
	add := func(name, format string, args ...any) {
		list = append(list, Condition{name, fmt.Sprintf(format, args...)})
	}
	add("model", "model %s", s.Workload.Model)
	if s.Workload.Precision != "" {
		add("precision", "precision %s", s.Workload.Precision)
	}
	add("lengths", "%s", lengthsOf(e, e.Plan.WorkloadOf(point)))
	if side.Name != "" {
		add("side", "side %s", side.Name)
	}
	if t := side.Target; t != nil {
		system := e.Plan.Run.SystemOf(t)
		add("target", "%s%s", t.API, engineOf(e.Manifest.Environment, system))
		if lint.SharesServer(*t) {
			add("restarts", "launches share one server")
		} else {
			add("restarts", "server started anew for each launch")
		}
	}
	add("hardware", "%s", targetHardware(e, side.Target))
	if row, ok := e.Estimates.Find(metric.ErrorRate.ID, "value", point.Index); ok {
		add("errors", "errors %.3g %% [%.3g, %.3g]", 100*row.Value, 100*row.Interval.Lo, 100*row.Interval.Hi)
	}
	if b := e.Client.Bounds; b != nil {
		add("instrument", "client error ≤ %s on TTFT and ≤ %s on gaps (%s)", unit.Format(b.TTFT.Seconds, unit.Second), unit.Format(b.Gap.Seconds, unit.Second), b.TTFT.Statistic)
	}
	return append(list, divisionCondition(e))
}

func divisionCondition(e Evidence) Condition {
	return Condition{"division", DivisionOf(e).String()}
}

func loadOf(p plan.Point, w spec.Workload) string {
	loop := "closed loop"
	if p.Open() {
		loop = "open loop, " + p.Arrival
	}
	if w.Session != nil {
		loop += " of sessions"
	}
	return fmt.Sprintf("%s (%s, %s measured)", p.Name, loop, durationOf(p))
}

func durationOf(p plan.Point) string {
	if p.Requests > 0 {
		return fmt.Sprintf("%d requests", p.Requests)
	}
	return p.Duration.String()
}

// lengthsOf says how long requests are. A trace or data set has its own.
func lengthsOf(e Evidence, w spec.Workload) string {
	switch l := e.Plan.Load(); {
	case e.Plan.Evaluation() != nil:
		return "the questions of " + tasksOf(e.Plan.Evaluation())
	case l != nil && l.TraceRef != "":
		return "lengths of trace " + l.TraceRef
	case w.Prompt.Dataset != nil:
		return "prompts of " + w.DatasetRef
	case w.Prompt.Scenario != "":
		return "scenario " + w.Prompt.Scenario + documentsOf(w)
	case len(w.SequenceLengthMix) == 0:
		return "lengths unknown"
	}
	var parts []string
	for _, l := range w.SequenceLengthMix {
		text := fmt.Sprintf("%d in/%d out tokens", l.InputTokens, l.OutputTokens)
		if w.Prompt.Spread > 0 {
			text += fmt.Sprintf(" on average (%s, spread %g)", w.Prompt.Distribution, w.Prompt.Spread)
		}
		if len(w.SequenceLengthMix) > 1 {
			text += fmt.Sprintf(" at %.3g %%", 100*l.Weight)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " + ")
}

// tasksOf names the tasks of an evaluation.
func tasksOf(e *spec.Evaluation) string {
	var names []string
	for _, t := range e.Tasks {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// documentsOf says how many documents each request holds, where it holds several.
func documentsOf(w spec.Workload) string {
	if w.Prompt.Details.Documents < 2 {
		return ""
	}
	return fmt.Sprintf(" with %d documents a request", w.Prompt.Details.Documents)
}

// engineOf names what answered, as far as it said so or somebody declared it.
func engineOf(env record.Environment, declared spec.System) string {
	engine, version := said(env, "server.engine"), said(env, "server.version")
	switch {
	case engine == "" && version == "" && declared.Engine != "":
		return strings.TrimRight(" of "+declared.Engine+" "+declared.Version, " ") + " (declared)"
	case engine == "" && version == "":
		return " of an engine that did not name itself"
	case version == "":
		return " of " + engine
	}
	return strings.TrimRight(" of "+engine, " ") + " " + version
}

// targetHardware names what the target ran on: the measuring host, or what is declared
// about another.
func targetHardware(e Evidence, t *spec.Target) string {
	declared := e.Plan.Run.SystemOf(t).Hardware()
	switch {
	case t == nil || metric.Here(t):
		return hardwareOf(e.Manifest.Environment)
	case declared != "":
		return declared + " (declared)"
	}
	return "hardware of the target not known"
}

// hardwareOf names the accelerators of the host, or its processors where there is
// none. They are those of the host that measured.
func hardwareOf(env record.Environment) string {
	var names []string
	for name, fact := range env {
		if strings.HasPrefix(name, "gpu.") && strings.HasSuffix(name, ".model") && fact.Value != nil {
			names = append(names, fmt.Sprint(fact.Value))
		}
	}
	slices.Sort(names)
	if n := len(names); n > 0 {
		return fmt.Sprintf("%d × %s", n, strings.Join(slices.Compact(names), ", "))
	}
	if cpu := said(env, "cpu.model"); cpu != "" {
		return fmt.Sprintf("no accelerator seen, %s (%s threads)", cpu, said(env, "cpu.threads"))
	}
	return "hardware unknown"
}

func said(env record.Environment, name string) string {
	if fact, ok := env[name]; ok && fact.Value != nil {
		return fmt.Sprint(fact.Value)
	}
	return ""
}
