package playbook

import (
	"fmt"
	"maps"
	"slices"

	"assay/analysis/breakdown"
	"assay/analysis/overlap"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// The cut-offs. A tail that grew by half while the median moved by less than a tenth
// is a tail problem; a part of a tenth is worth looking at. Whether a rank is a
// straggler is the verdict of package overlap.
const (
	tailGrew    = 1.5
	middleMoved = .1
	noticeable  = .1
	busyEnough  = .7
	newShare    = .01
	pressed     = .05
	deepQueue   = 1.0
	longPending = 60.0 // seconds between launches
)

// Questions of several playbooks.
var (
	inQueue  = Question{"do requests queue in the server?", "the server's own counters", queued, "measure again at half the load; the queue should be gone"}
	heldBack = Question{"are processors held back?", "control groups and CPU contention (PSI) of the host", throttled, "measure again without the limit, or on an idle host"}
)

var tailLatency = Playbook{
	Name:    "tail_latency_regression",
	Symptom: "the p99 of a latency grew, and its median did not",
	Reading: "a tail that grows alone is amplification (queues, pauses, restarts), not computation",
	Shows: func(e Evidence) Answer {
		a := Answer{Question: "did a p99 grow while the median stayed?", Reply: Missing, Figure: "a baseline: assay diagnose BUNDLE BASELINE"}
		if e.Baseline == nil {
			return a
		}
		if a.Reply, a.Figure = grownTail(e); a.Figure == "" {
			a.Reply, a.Figure = Missing, "TTFT, TPOT, gaps or E2E of the same points on both sides"
		}
		return a
	},
	Questions: []Question{
		inQueue, heldBack,
		{"do the slow requests come from one host?", "requests by the host that sent them", oneHost, "send the same load from the other hosts alone; the tail should go with the host"},
		{"was a load generator behind, or short of processors?", "the table generators, and requests from due to sent", strained, "measure again with more load generators; the tail should shrink with each one's share"},
		{"were there restarts or cold starts inside the measurement?", "the ledger of launches", restarted, "measure again with restart: run and compare"},
		{"are connections opened, and names looked up, while measuring?", "connections and look-ups of measured requests", connected, "measure again over connections that stay open, or by address"},
		{"do neighbours take the host's processors?", "steal and CPU contention (PSI) of the host", neighboured, "measure again on nodes of its own"},
	},
}

var lowUtilisation = Playbook{
	Name:    "low_gpu_utilization",
	Symptom: "throughput is low and the accelerators are idle",
	Reading: "the accelerators wait; utilisation does not say for what",
	Shows: func(e Evidence) Answer {
		a := Answer{Question: "were the accelerators idle?", Reply: Missing, Figure: "readings of the accelerators (gpu_utilisation.v1)"}
		for _, point := range e.points() {
			if row, ok := e.Estimates.Find(metric.GPUUtilisation.ID, "value", point.Index); ok {
				a.Reply, a.Figure = No, fmt.Sprintf("busy %.0f %% of the time at %s", 100*row.Value, point.Name)
				if row.Value < busyEnough {
					a.Reply = Yes
					return a
				}
			}
		}
		return a
	},
	Questions: []Question{
		heldBack,
		{"was a load generator behind, or short of processors?", "the table generators, and requests from due to sent", strained, "measure again with more load generators; throughput should rise"},
		{"does the loader or preprocessing keep up?", "the wait for input in every step", part(breakdown.Input, "the wait for input (data_ns of the table steps)"), "measure again with more workers of the loader (train.loaderWorkers)"},
		{"does storage hold steps up?", "the wait for input in every step", stored, "assay probe disk dataloader on that storage"},
		{"does the network stall?", "TCP segments that were sent again", retransmitted, "assay comm over the same links"},
		inQueue,
		{"would it be faster with its input at hand?", "steps with and without their input", cached, "measure again with cached input and compare"},
	},
}

var straggler = Playbook{
	Name:    "distributed_straggler",
	Symptom: "steps are uneven, or one node is slow",
	Reading: "a step is as slow as its slowest rank",
	Shows: func(e Evidence) Answer {
		a := Answer{Question: "do the others wait for one rank, or is one set of hosts slow?", Reply: Missing, Figure: "training steps of every rank (tables steps and buckets), or collectives of three ranks or more"}
		if reply, figure := slowSet(e); reply == Yes {
			a.Reply, a.Figure = Yes, figure
			return a
		}
		if len(e.Collectives.Ranks) > 0 {
			a.Reply, a.Figure = No, fmt.Sprintf("none of %d ranks of the collectives stands out", len(e.Collectives.Ranks))
		}
		for _, r := range e.Collectives.Ranks {
			if r.Outlier {
				a.Reply, a.Figure = Yes, fmt.Sprintf("rank %d on %s takes %.3g times as long as the median rank", r.Rank, r.Host, r.Own)
				return a
			}
		}
		for _, p := range e.Training.Points {
			v := p.Verdict
			switch {
			case v.Limit == overlap.LimitUnknown || p.Ranks < 2:
			case v.Rank != nil:
				a.Reply, a.Figure = Yes, p.Name+": "+v.Text
				return a
			default:
				a.Reply, a.Figure = No, p.Name+": "+v.Text
			}
		}
		return a
	},
	Questions: []Question{
		{"does the whole host fall behind, and not one rank of it?", "ranks by host: tables ranks, collectives and steps", wholeHost, "move the rank to another host, or another rank to this one"},
		{"is one set of hosts slower than the others?", "launches by the set of hosts that they were made on", slowSet, "assay probe on a host of each set"},
		{"do the hosts differ in what they are?", "facts of every host that took part", differing, "make them alike and measure again"},
		{"is communication what is slow?", "the exchange of gradients in every step", part(breakdown.Communication, "the exchange of gradients (table buckets)"), "assay comm over the same ranks"},
		{"is a PCIe link narrower or slower than it can be?", "width of PCIe links when the run began", linked, "seat the device again, or cordon the host and measure without it"},
		{"does a fabric link (NVLink, RDMA) fail or count errors?", "states and error counters of links when the run began", wired, "assay comm --pairs over the same ranks; replace the cable or cordon the host"},
		{"is a device throttled or hot?", "throttle reasons of the accelerators", slowed, "cool it, or cordon the host, and measure again"},
		{"are packets lost?", "TCP segments that were sent again", retransmitted, "assay comm with one rank on each of the two hosts"},
		{"does taking the rank away restore the others?", "a second run without the rank", isolated, "assay diagnose THAT THIS --isolated RANK"},
	},
}

var backpressure = Playbook{
	Name:    "scheduler_backpressure",
	Symptom: "work waits to be started while devices are idle",
	Reading: "the scheduler or a quota holds work back",
	Shows: func(e Evidence) Answer {
		a := Answer{Question: "did the run or its launches wait to begin?", Reply: Missing, Figure: "two launches or more, or a scheduler's queue"}
		if wait, ok := e.number("scheduler.queue_wait_seconds"); ok {
			a.Reply, a.Figure = No, fmt.Sprintf("%s in the scheduler's queue", unit.Format(wait, unit.Second))
			if wait > longPending {
				a.Reply = Yes
				return a
			}
		}
		longest := 0.0
		for i := 1; i < len(e.Manifest.Launches); i++ {
			before, after := e.Manifest.Launches[i-1], e.Manifest.Launches[i]
			if before.Ended.IsZero() {
				continue
			}
			longest = max(longest, after.Started.Sub(before.Ended).Seconds())
			a.Reply, a.Figure = No, fmt.Sprintf("at most %s between the end of a launch and the start of the next", unit.Format(longest, unit.Second))
			if longest > longPending {
				a.Reply = Yes
			}
		}
		return a
	},
	Questions: []Question{
		{"does the cluster's queue hold work back?", "time in the scheduler's queue, and its reasons", waited, "submit the same run at another hour, or to another partition"},
		{"were the nodes that the run asked for not to be had?", "the scheduler's reasons to wait", fragmented, "ask for fewer nodes, or without constraint and switches"},
		{"does it take long to make hosts ready?", "the start of each host", startedLate, "start one host alone: assay run --launcher ssh --hosts NAME"},
		{"did the scheduler take hosts back?", "voided launches and restarts of the job", takenBack, "the scheduler's own account: sacct -j JOB"},
		inQueue,
		{"is the placement more constrained than it need be?", "executionPolicy of the document", constrained, "submit it without exclusive topology"},
	},
}

// grownTail is the tail that grew most beside its own median, of every latency and point: a
// pause in the middle of answers is in E2E and never in TTFT. Where no median is on both
// sides, the mean stands for it. Where it is known which metric and point moved, it is theirs.
func grownTail(e Evidence) (Reply, string) {
	reply, figure, most := No, "", 0.0
	for _, point := range e.points() {
		for _, m := range e.latencies() {
			for _, statistic := range []string{"p99", "p95"} {
				tail, known := ratio(e, m, statistic, point.Index)
				middle := "p50"
				typical, both := ratio(e, m, middle, point.Index)
				if !both {
					middle = "mean"
					typical, both = ratio(e, m, middle, point.Index)
				}
				shows := tail >= tailGrew && typical < 1+middleMoved
				if !known || !both || reply == Yes && !shows || (reply == Yes) == shows && tail <= most {
					continue
				}
				most, figure = tail, fmt.Sprintf("%s at %s: %s × %.3g, %s × %.3g", m.Name, point.Name, statistic, tail, middle, typical)
				if shows {
					reply = Yes
				}
			}
		}
	}
	return reply, figure
}

// ratio is this run's value over the baseline's.
func ratio(e Evidence, m metric.Metric, statistic string, point int) (float64, bool) {
	now, ok1 := e.Estimates.Find(m.ID, statistic, point)
	before, ok2 := e.Baseline.Estimates.Find(m.ID, statistic, point)
	return now.Value / before.Value, ok1 && ok2 && before.Value > 0
}

func queued(e Evidence) (Reply, string) {
	reply, figure := Missing, "the server's queue (server_queue_depth.v1, server_queue_time.v1; set target.metrics)"
	for _, point := range e.points() {
		row, ok := e.Estimates.Find(metric.ServerQueueDepth.ID, "value", point.Index)
		if !ok {
			continue
		}
		figure = fmt.Sprintf("%.3g requests waited on average at %s", row.Value, point.Name)
		if row.Value >= deepQueue {
			return Yes, figure
		}
		reply = No
	}
	return reply, figure
}

func throttled(e Evidence) (Reply, string) {
	reply, figure := Missing, "readings of the host (cgroup.throttled, cpu.psi)"
	for _, h := range e.Client.Launches {
		if h.Throttled == nil && h.CPUPressure == nil {
			continue
		}
		if reply == Missing {
			reply, figure = No, "no control group held processors back, and nobody waited for one"
		}
		if h.Throttled != nil && *h.Throttled > 0 {
			return Yes, fmt.Sprintf("launch %d: held back for %.3g s (on the host that assay runs on)", h.Launch+1, *h.Throttled)
		}
		if h.CPUPressure != nil && *h.CPUPressure > pressed {
			reply, figure = Yes, fmt.Sprintf("launch %d: CPU contention (PSI) %.0f %% on the host that assay runs on", h.Launch+1, 100**h.CPUPressure)
		}
	}
	return reply, figure
}

func restarted(e Evidence) (Reply, string) {
	for _, l := range e.Manifest.Launches {
		if l.Outcome != bundle.LaunchCompleted {
			return Yes, fmt.Sprintf("launch %d %s: %s", l.Index+1, l.Outcome, l.Reason)
		}
	}
	if len(e.Manifest.Launches) == 0 {
		return Missing, "launches"
	}
	return No, fmt.Sprintf("%d launches, all completed; a server that died would have failed its launch", len(e.Manifest.Launches))
}

func connected(e Evidence) (Reply, string) {
	r := e.Requests
	if r.Measured == 0 {
		return Missing, "measured requests"
	}
	share := float64(r.New) / float64(r.Measured)
	figure := fmt.Sprintf("%d of %d requests opened a connection; the longest look-up of a name took %s", r.New, r.Measured, unit.Format(float64(r.DNSMax)/1e9, unit.Second))
	if share > newShare {
		return Yes, figure
	}
	return No, figure
}

func retransmitted(e Evidence) (Reply, string) {
	reply, figure := Missing, "the host's TCP counters (tcp.retransmits)"
	for _, h := range e.Client.Launches {
		if h.Retransmits == nil {
			continue
		}
		if reply == Missing {
			reply, figure = No, resent(h)
		}
		if h.Lossy() {
			return Yes, resent(h)
		}
	}
	return reply, figure
}

func resent(h metric.ClientHealth) string {
	if *h.Retransmits == 0 {
		return "no segment was sent again (on the host that assay runs on)"
	}
	return fmt.Sprintf("launch %d: TCP segments sent again: %.0f in %.3g s (on the host that assay runs on)", h.Launch+1, *h.Retransmits, h.Seconds)
}

// part asks whether a class has a noticeable share of the time.
func part(class breakdown.Class, needs string) func(e Evidence) (Reply, string) {
	return func(e Evidence) (Reply, string) {
		reply, figure := Missing, needs
		for _, index := range slices.Sorted(maps.Keys(e.Split)) {
			b := e.Split[index]
			if !slices.ContainsFunc(e.points(), func(p plan.Point) bool { return p.Index == index }) && e.Moved != nil {
				continue
			}
			for _, p := range b.Parts {
				if p.Class != class {
					continue
				}
				took, share := b.Mean(p)
				text := fmt.Sprintf("%s takes %s, %.1f %% of the %s at %s", p.Name, unit.Format(took, unit.Second), 100*share, b.Of, pointName(e.Plan, index))
				if share > noticeable {
					return Yes, text
				}
				reply, figure = No, text
			}
		}
		return reply, figure
	}
}

func pointName(p plan.Plan, index int) string {
	if point, ok := p.PointByIndex(index); ok {
		return point.Name
	}
	return fmt.Sprintf("point %d", index)
}

// constrained asks whether the run wants more than it needs.
func constrained(e Evidence) (Reply, string) {
	policy := e.Plan.ExecutionPolicy().PublicationGrade
	if yes := policy.TopologyExclusiveScheduling; yes != nil && *yes {
		return Yes, "executionPolicy asks for exclusive topology, which has to be free as a whole"
	}
	return No, "executionPolicy does not ask for exclusive topology"
}
