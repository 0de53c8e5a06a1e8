package run

import (
	"path/filepath"
	"slices"
	"strings"

	"assay/plan"
	"assay/record"
	"assay/target"
)

// trace is the trace of a launch; none where the target is not to know it, or is no
// server.
func (e *execution) trace(l plan.Launch) target.Trace {
	if t := e.side.target; t == nil || t.Traceparent == nil || !*t.Traceparent || e.conn.client.Program != nil {
		return target.Trace{}
	}
	return target.NewTrace(e.runID(), l.Index)
}

func (e *execution) runID() string { return filepath.Base(e.out.Dir()) }

// A joinKey is one of the contract's stable join keys and where a bundle has it: the
// fact join.NAME holds its value, or the column that does.
type joinKey struct {
	name      string
	variables []string // of the environment, the first that is set
	ofHost    bool     // every host of the run has its own

	// find is the value, or why there is none, where no variable has it; env are the facts
	// of the host.
	find func(e *execution, env record.Environment) (value, why string)
}

// joinKeys are the keys that assay knows to fill.
var joinKeys = []joinKey{
	{name: "run_id", find: func(e *execution, _ record.Environment) (string, string) { return e.runID(), "" }},
	{name: "benchmark_case_id", find: func(e *execution, _ record.Environment) (string, string) { return e.plan.WorkloadDigest, "" }},
	{name: "scheduler_run_id", variables: []string{"SLURM_JOB_ID", "SCHEDULER_RUN_ID"}, ofHost: true, find: schedulerJob},
	{name: "job_uid", variables: []string{"JOB_UID", "SLURM_JOB_ID"}, ofHost: true, find: schedulerJob},
	{name: "pod_uid", variables: []string{"POD_UID"}, ofHost: true},
	{name: "node_name", variables: []string{"NODE_NAME", "SLURMD_NODENAME"}, ofHost: true, find: func(_ *execution, env record.Environment) (string, string) { return factText(env["host.name"]) }},
	{name: "gpu_uuid", ofHost: true, find: devicesOf},
	{name: "rank_id", find: column("ranks.rank", plan.KindSteps, plan.KindCollective, plan.KindPairs)},
	{name: "request_id", find: column("requests.request", plan.KindServing)},
	{name: "trace_id", find: tracesOf},
}

// fillJoinKeys writes down the join keys that the plan declares, or why they are not
// there.
func (e *execution) fillJoinKeys() {
	env := lookup(e.opts.Environ)
	for _, declared := range e.plan.JoinKeys() {
		i := slices.IndexFunc(joinKeys, func(k joinKey) bool { return k.name == declared })
		if i < 0 {
			e.env.Miss("join."+declared, "this version knows no such key")
			continue
		}
		joinKeys[i].fill(e, e.env, env)
	}
}

// fillHostKeys does so for another host of the run, by what was captured there.
func (e *execution) fillHostKeys(facts record.Environment) {
	env := func(name string) (string, bool) {
		text, ok := facts["env."+name].Value.(string)
		return text, ok
	}
	for _, key := range joinKeys {
		if key.ofHost && slices.Contains(e.plan.JoinKeys(), key.name) {
			key.fill(e, facts, env)
		}
	}
}

func (k joinKey) fill(e *execution, facts record.Environment, env func(string) (string, bool)) {
	value, why := "", ""
	for _, name := range slices.Backward(k.variables) {
		if text, set := env(name); set && text != "" {
			value = text
		}
	}
	if value == "" && k.find != nil {
		value, why = k.find(e, facts)
	}
	if value == "" && why == "" {
		why = "the environment has none of " + strings.Join(k.variables, ", ")
	}
	if why != "" {
		facts.Miss("join."+k.name, why)
	} else {
		facts.Set("join."+k.name, value)
	}
}

// schedulerJob is the job in which this program has started ranks; empty where there is
// none.
func schedulerJob(e *execution, _ record.Environment) (value, why string) {
	value, _ = e.opts.Facts["scheduler.job"].Value.(string)
	return value, ""
}

func factText(f record.Fact) (value, why string) {
	text, ok := f.Value.(string)
	if !ok {
		return "", "not known: " + f.Unavailable
	}
	return text, ""
}

// devicesOf lists the devices of a host by their ids.
func devicesOf(_ *execution, env record.Environment) (value, why string) {
	var ids []string
	for name, fact := range env {
		if strings.HasPrefix(name, "gpu.") && strings.HasSuffix(name, ".uuid") {
			if id, _ := factText(fact); id != "" {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return "", "no GPU is seen from this host"
	}
	slices.Sort(ids)
	return strings.Join(ids, ","), ""
}

// column says where rows of some kinds have a key.
func column(name string, kinds ...plan.Kind) func(*execution, record.Environment) (string, string) {
	return func(e *execution, _ record.Environment) (string, string) {
		if !e.plan.Has(kinds...) {
			return "", "the run has no rows of that kind"
		}
		return "column " + name, ""
	}
}

func tracesOf(e *execution, env record.Environment) (value, why string) {
	where, why := column("requests.trace_id", plan.KindServing)(e, env)
	for _, s := range e.sides {
		if t := s.target; why == "" && (t.Traceparent == nil || !*t.Traceparent || s.conn.client.Program != nil) {
			return "", "no traceparent is sent to the target"
		}
	}
	return where, why
}
