package reporttest

import (
	"fmt"
	"math"
	"testing"

	"assay/analysis/bottleneck"
	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/analysis/overlap"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// planned is a report without figures of a document about ranks or probes.
func planned(t testing.TB, name, body string) report.Report {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: `+name+`}, spec: `+body+`}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return report.Report{
		Version: report.Version, RunID: "20260102_030405__run__" + name, Status: "completed", Signature: judge.Unsigned, Plan: p,
		Estimates: metric.Estimates{Version: metric.EstimatesVersion, Code: "test", Confidence: .95, Launches: []int{0, 1, 2}},
	}
}

func about(t testing.TB, v float64) stats.Estimate {
	t.Helper()
	e, err := stats.Mean([]float64{.99 * v, v, 1.02 * v}, .95)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func of[T any](v T) *T { return &v }

// partIDs are the metrics of the parts of a step.
var partIDs = map[string]string{
	"data": metric.StepData.ID, "forward": metric.StepForward.ID, "backward": metric.StepBackward.ID, "exposed_communication": metric.StepExposed.ID,
	"optimizer": metric.StepOptimizer.ID, "other": metric.StepOther.ID,
}

// Trained is a run of two points whose second rank computes slowly.
func Trained(t testing.TB) report.Report {
	r := planned(t, "trained", `{intent: {workloadType: training}, workload: {model: m}, train: {ranks: [1, 2]}, trials: {minReplicates: 3}}`)
	r.Training = &overlap.Report{Version: overlap.Version}
	for i, point := range r.Plan.Points {
		one := overlap.Point{Point: point.Index, Name: point.Name, Ranks: point.Ranks, Steps: 90, Verdict: overlap.Verdict{Limit: "none", Text: "one rank waits for nobody"}}
		times := map[string]float64{"data": .001, "forward": .05, "backward": .11, "exposed_communication": .03 * float64(i), "optimizer": .008, "other": .001}
		step := .17 + .03*float64(i)
		for _, name := range []string{"data", "forward", "backward", "exposed_communication", "optimizer", "other"} {
			if v := times[name]; v > 0 {
				one.Parts = append(one.Parts, overlap.Part{Name: name, Metric: partIDs[name], Estimate: about(t, v), Share: v / step, PerLaunch: []float64{.99 * v, v, 1.02 * v}})
				for i, statistic := range []string{"mean", "sd", "min", "max", "p50", "p95", "p99"} {
					r.Estimates.Rows = append(r.Estimates.Rows, metric.Row{
						Metric: partIDs[name], Name: name, Statistic: statistic, Unit: unit.Second, Better: metric.Lower, Point: point.Index, Estimate: about(t, v*(1+.1*float64(i))),
					})
				}
			}
		}
		for rank := range point.Ranks {
			one.PerRank = append(one.PerRank, overlap.Rank{
				Rank: rank, Host: fmt.Sprintf("node%d", rank), Step: step, Spread: [2]float64{.98 * step, 1.05 * step}, Data: of(.001), Forward: of(.05), Backward: of(.11 + .03*float64(i)),
				Optimizer: of(.008), Compute: of(.11), Exposed: of(.03 * float64(i)), Comm: of(.07), Overlap: of(.57), ByTransfer: of(.02), ByWait: of(.01), Lateness: of(.012 * float64(rank)), Last: of(.9 * float64(rank)),
			})
			one.Memory = append(one.Memory, overlap.Memory{Rank: rank, Outcome: "ok", Parameters: of[int64](16 << 20), Gradients: of[int64](16 << 20), Optimizer: of[int64](32 << 20), Activations: of[int64](80 << 20), PeakAllocated: of[int64](180 << 20), Resident: of[int64](700 << 20)})
			one.Timeline = append(one.Timeline, overlap.Timeline{
				Rank: rank, Spans: []overlap.Span{{Name: "data", Begin: 0, End: .001}, {Name: "forward", Begin: .001, End: .05}, {Name: "backward", Begin: .05, End: .19}, {Name: "optimizer", Begin: .19, End: .2}},
				Buckets: [][3]float64{{.07, .1, 25 << 20}, {.09, .13, 25 << 20}, {.14, .19, 6 << 20}},
			})
		}
		if i == 1 {
			one.Verdict = overlap.Verdict{Limit: "slow_compute", Rank: of(1), Text: "rank 1 is last with 90 % of its buckets, 12 ms after rank 0", How: []string{"the clocks are known to within 20 µs"}}
			one.Clocks = []overlap.Clock{{Rank: 0, Bound: 1e-5}, {Rank: 1, Bound: 2e-5, Drift: of(-.4)}}
			one.Checks = []overlap.Check{{Name: "reference_loss", Value: of(8.3178), Expected: of(8.3178), Error: of(1e-8), Noise: of(2e-7), Passed: true}}
			one.FLOP = &overlap.FLOP{Convention: "palm", PerToken: 2.5e7, Hardware: 2.5e7, Parameters: 4226048, Embedding: 1081344, Peak: 989e12, PeakSource: "published", Precision: "bf16", Sequence: 128, Devices: 2}
			one.Traces = []overlap.Trace{{File: "rank-0.json", Rank: of(0), Span: .6, Compute: .4, Comm: .1, Exposed: .05, Kernels: 812, Top: []overlap.Kernel{{Name: "gemm", Count: 90, Seconds: .3}}}}
		}
		one.Launches = []int{0, 1, 2}
		r.Training.Points = append(r.Training.Points, one)
		r.Limits = append(r.Limits, bottleneck.Training(one, bottleneck.Signs{}))
		r.Estimates.Rows = append(r.Estimates.Rows, trainedRows(t, point, step)...)
	}
	return r
}

// trainedRows are the estimates of a point whose steps take so long.
func trainedRows(t testing.TB, point plan.Point, step float64) (rows []metric.Row) {
	add := func(m metric.Metric, statistic string, v float64) {
		rows = append(rows, metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Better: m.Better, Point: point.Index, Estimate: about(t, v)})
	}
	for i, statistic := range []string{"mean", "p50", "p90", "p95", "p99"} {
		add(metric.StepTime, statistic, step*(1+.02*float64(i)))
	}
	samples := float64(point.Steps.GlobalBatch*point.Ranks) / step
	add(metric.SamplesPerSecond, "value", samples)
	add(metric.TokensPerSecond, "value", 128*samples)
	if point.Ranks > 1 {
		add(metric.TrainingMFU, "value", .31)
		add(metric.CommunicationOverlap, "p50", .57)
		add(metric.ExposedCommunication, "p50", .03)
	}
	return rows
}

// Exchanged has a model that holds, one that does not, and two hosts.
func Exchanged(t testing.TB) report.Report {
	r := planned(t, "exchanged", `{intent: {workloadType: training}, workload: {model: m}, collectives: {ranks: [4], operations: [all_reduce, barrier], sizes: [1KiB, 32KiB, 1MiB, 32MiB], stability: 200, chunks: [8], pairs: true, algorithms: [auto, ring]}, trials: {minReplicates: 3}}`)
	c := &collectives.Report{Version: collectives.Version, Link: &collectives.Link{Rate: 1.25e9, Source: "declared in spec.collectives.linkRate"}}
	for _, p := range r.Plan.Points {
		if p.Kind() != plan.KindCollective || p.Collective.Profile != plan.ProfileSize {
			continue
		}
		took := 120e-6 + float64(p.Collective.Bytes)/5e8
		if p.Collective.Algorithm == "ring" {
			took *= 1.2
		}
		row := collectives.Row{
			Point: p.Index, Op: p.Collective.Op, Backend: "native", Asked: p.Collective.Algorithm, Algorithm: "ring", Ranks: 4, Bytes: p.Collective.Bytes, Count: p.Collective.Bytes / 4, DataType: "float32",
			InPlace: p.Collective.InPlace, Time: about(t, took), Checked: true, Samples: 60,
		}
		if p.Collective.Bytes > 0 {
			row.AlgBW, row.BusBW = of(about(t, float64(p.Collective.Bytes)/took)), of(about(t, 1.5*float64(p.Collective.Bytes)/took))
			c.Link.Best = max(c.Link.Best, row.BusBW.Value)
		}
		c.Rows = append(c.Rows, row)
	}
	c.Link.Share = c.Link.Best / c.Link.Rate
	c.Fits = []collectives.Fit{
		{Op: "all_reduce", Algorithm: "auto", Ranks: 4, Alpha: 120e-6, Beta: 5e8, Half: 6e4, Residual: .03, Usable: true, Rule: "the rule", Predicted: []collectives.Predicted{{Bytes: 1 << 15, Expected: 190e-6, Measured: 185e-6}, {Bytes: 1 << 20, Expected: 2.2e-3, Measured: 2.3e-3}}},
		{Op: "all_reduce", Algorithm: "ring", Ranks: 4, Alpha: 120e-6, Beta: 4e8, Half: 5e4, Residual: .4, Rule: "the rule", Refused: "one line is up to 40 % off, and two take 6 sizes"},
	}
	series := make([]float64, 200)
	for i := range series {
		series[i] = .07 + .002*math.Sin(float64(i))
	}
	series[77] = .12
	c.Stability = []collectives.Stability{{Op: "all_reduce", Algorithm: "auto", Ranks: 4, Bytes: 32 << 20, Iterations: 600, P50: .07, P99: .09, SlowTail: 1.29, CV: .06, Class: "high_jitter", Series: series}}
	c.Chunking = []collectives.Chunking{{Op: "all_reduce", Ranks: 4, Bytes: 32 << 20, Chunks: 8, Whole: about(t, .07), Cut: about(t, .08), Ratio: about(t, 1.14)}}
	c.Algorithms = []collectives.Algorithms{{Op: "all_reduce", Ranks: 4, Bytes: 32 << 20, BusBW: map[string]float64{"auto": 7.4e8, "ring": 6.2e8}, Best: "auto", Spread: .16, AutoGap: of(0.)}}
	m := collectives.Matrix{Ranks: 4, Hosts: []string{"node0", "node0", "node1", "node1"}, Groups: [][]int{{0, 1}, {2, 3}}, Guess: "by latency, ranks fall into 2 groups"}
	for i := range 4 {
		m.Latency, m.Bandwidth = append(m.Latency, make([]float64, 4)), append(m.Bandwidth, make([]float64, 4))
		for j := range 4 {
			if i != j {
				m.Latency[i][j], m.Bandwidth[i][j] = 10e-6+40e-6*float64((i/2+j/2)%2), 1e9-8e8*float64((i/2+j/2)%2)
			}
		}
	}
	c.Matrices = []collectives.Matrix{m}
	for i := range 4 {
		c.Ranks = append(c.Ranks, collectives.Rank{Rank: i, Host: m.Hosts[i], Last: .02, Lateness: of(4e-6), Own: 1, Outlier: false})
	}
	r.Collectives = c
	r.Findings = []finding.Finding{{Check: collectives.HighJitter, Severity: finding.Caution, Message: "bandwidth varies by 6 %"}}
	return r
}

// Probed has a ladder of caches, a roofline and an interface.
func Probed(t testing.TB) report.Report {
	r := planned(t, "probed", `{intent: {workloadType: training}, workload: {model: m}, probe: {probes: [memory, cache, matmul, disk]}, trials: {minReplicates: 3}}`)
	h := &hardware.Report{Version: hardware.Version}
	add := func(probe, variant, what string, threads int, size int64, u unit.Unit, v float64) {
		h.Rows = append(h.Rows, hardware.Row{Probe: probe, Variant: variant, What: what, Threads: threads, Size: size, Unit: u, Estimate: about(t, v), Samples: 30})
	}
	add("memory", "triad", "bandwidth", 2, 1<<30, unit.BytePerSecond, 21e9)
	for i := 12; i < 28; i++ {
		v := 1.2e-9
		if i > 15 {
			v = 4e-9
		}
		if i > 20 {
			v = 90e-9
		}
		add("cache", unit.Bytes(1<<i).String(), "latency", 1, 1<<i, unit.Second, v)
	}
	add("matmul", "1024 fp32", "flops", 2, 0, unit.FLOPPerSecond, 35e9)
	h.Rows[len(h.Rows)-1].P99 = of(31e9)
	h.Levels = []hardware.Level{{Name: "L1", Size: 32 << 10, Stated: of[int64](32 << 10), Latency: 1.2e-9}, {Name: "L2", Size: 1 << 20, Latency: 4e-9}, {Name: "memory", Size: 1 << 27, Latency: 90e-9}}
	h.Roofline = &hardware.Roofline{Device: "cpu", Peak: 40e9, Memory: 20e9, Ridge: 2, Points: []hardware.RoofPoint{{Name: "triad", Intensity: .08, Reached: 1.5e9, Roof: 1.6e9}, {Name: "matmul", Intensity: 85, Reached: 35e9, Roof: 40e9}}}
	h.Network = []hardware.Interface{{Name: "eth0", Speed: of(1.25e9), MTU: 1500, Received: 2e9, Sent: 1e9, PeakIn: 4e8, PeakOut: 2e8, PacketsIn: 14e5, PacketsOut: 7e5, Retransmits: of(3.)}}
	r.Hardware = h
	return r
}

// Gridded is a run of two knobs of which the largest pair did not fit into memory.
func Gridded(t testing.TB) report.Report {
	r := planned(t, "gridded", `{intent: {workloadType: training}, workload: {model: m}, trials: {minReplicates: 3},
train: {ranks: [1], vary: {knob: parameters, values: [1M, 10M]}, across: {knob: batchSize, values: ["8", "64"]}}}`)
	r.Training = &overlap.Report{Version: overlap.Version}
	for i, point := range r.Plan.Points {
		one := overlap.Point{Point: point.Index, Name: point.Name, Ranks: 1, Steps: 90}
		if i == len(r.Plan.Points)-1 {
			one.Steps, one.Memory = 0, []overlap.Memory{{Outcome: "out_of_memory"}}
		} else {
			m := metric.TokensPerSecond
			r.Estimates.Rows = append(r.Estimates.Rows, metric.Row{Metric: m.ID, Name: m.Name, Statistic: "value", Unit: m.Unit, Better: m.Better, Point: point.Index, Estimate: about(t, 1000*float64(i+1))})
		}
		r.Training.Points = append(r.Training.Points, one)
	}
	return r
}

// Ranked are the three examples.
func Ranked(t testing.TB) map[string]report.Report {
	return map[string]report.Report{"trained": Trained(t), "exchanged": Exchanged(t), "probed": Probed(t)}
}
