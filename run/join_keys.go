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
	variables []string                          // of the environment, the first that is set
	find      func(*execution) (string, string) // the value, or why there is none
}

// joinKeys are the keys that assay knows to fill.
var joinKeys = []joinKey{
	{name: "run_id", find: func(e *execution) (string, string) { return e.runID(), "" }},
	{name: "benchmark_case_id", find: func(e *execution) (string, string) { return e.plan.WorkloadDigest, "" }},
	{name: "scheduler_run_id", variables: []string{"SLURM_JOB_ID", "SCHEDULER_RUN_ID"}, find: schedulerJob},
	{name: "job_uid", variables: []string{"JOB_UID", "SLURM_JOB_ID"}, find: schedulerJob},
	{name: "pod_uid", variables: []string{"POD_UID"}},
	{name: "node_name", variables: []string{"NODE_NAME", "SLURMD_NODENAME"}, find: func(e *execution) (string, string) { return factText(e.env["host.name"]) }},
	{name: "gpu_uuid", find: devicesOf},
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
		key, value, why := joinKeys[i], "", ""
		for _, name := range slices.Backward(key.variables) {
			if text, set := env(name); set && text != "" {
				value = text
			}
		}
		if value == "" && key.find != nil {
			value, why = key.find(e)
		}
		if value == "" && why == "" {
			why = "the environment has none of " + strings.Join(key.variables, ", ")
		}
		if why != "" {
			e.env.Miss("join."+declared, why)
		} else {
			e.env.Set("join."+declared, value)
		}
	}
}

// schedulerJob is the job in which this program has started ranks; empty where there is
// none.
func schedulerJob(e *execution) (value, why string) {
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

// devicesOf lists the devices of this host by their ids.
func devicesOf(e *execution) (value, why string) {
	var ids []string
	for name, fact := range e.env {
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
func column(name string, kinds ...plan.Kind) func(*execution) (string, string) {
	return func(e *execution) (string, string) {
		if !e.plan.Has(kinds...) {
			return "", "the run has no rows of that kind"
		}
		return "column " + name, ""
	}
}

func tracesOf(e *execution) (value, why string) {
	where, why := column("requests.trace_id", plan.KindServing)(e)
	for _, s := range e.sides {
		if t := s.target; why == "" && (t.Traceparent == nil || !*t.Traceparent || s.conn.client.Program != nil) {
			return "", "no traceparent is sent to the target"
		}
	}
	return where, why
}
