package lint

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"assay/analysis/diff"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// onNodes gives a run four hosts, of which the third has one fact of its own.
func onNodes(name string, common, odd any, more ...string) func(*scene) {
	return func(s *scene) {
		s.small()
		stating(func(f *Facts) {
			for i := range 4 {
				env := record.Environment{}
				env.Set(name, common)
				if i == 2 {
					env.Set(name, odd)
				}
				for _, other := range more {
					env.Set(other, 16)
				}
				f.Manifest.Nodes = append(f.Manifest.Nodes, bundle.Node{Name: fmt.Sprintf("gpu%d", i+1), Environment: env})
			}
		})(s)
	}
}

var coreTrips = []trip{
	{"node-differs", "driver", onNodes("gpu.driver", "575.51.03", "570.86.10"), finding.Caution, "gpu.driver: 570.86.10 on gpu3, and 575.51.03 on the others"},
	{"node-differs", "quota", onNodes("cgroup.cpu_limit_cores", "unlimited", 0.5), finding.Caution, "cgroup.cpu_limit_cores: 0.5 on gpu3"},
	{"node-differs", "narrow link", onNodes("pci.0000:07:00.0.link_width", 16, 8), finding.Caution, "pci.0000:07:00.0.link_width: 8 on gpu3, and 16 on the others"},
	{"node-degraded", "narrow link", onNodes("gpu.0.pcie_width", 16, 8, "gpu.0.pcie_width_max"), finding.Caution, "host gpu3: gpu.0.pcie_width is 8 of 16"},
	{"node-degraded", "dead link", onNodes("gpu.0.nvlinks", []string{"0 active x", "1 active x"}, []string{"0 active x", "1 inactive"}), finding.Caution, "host gpu3: gpu.0.nvlinks: 1 of 2 are inactive"},
	{"node-degraded", "errors", onNodes("gpu.0.nvlink_errors", 0, 12), finding.Caution, "host gpu3: gpu.0.nvlink_errors is 12"},
	{"node-degraded", "no path", onNodes("rdma.mlx5_0.port1.path", "ok", "the port is 1: DOWN"), finding.Caution, "host gpu3: rdma.mlx5_0.port1.path: the port is 1: DOWN"},
	{"node-degraded", "heat", onNodes("gpu.0.throttle_reasons", []string{}, []string{"hw_thermal_slowdown", "sync_boost"}), finding.Caution, "host gpu3: gpu.0.throttle_reasons: hw_thermal_slowdown"},
	{"unconstrained-headline", "an error rate is no latency", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) {
			r.Spec.Intent.Headline, r.Spec.SLO = spec.HeadlineThroughput, []spec.Objective{{Metric: "error_rate", MaxRatio: .01}}
		})
	}, finding.Caution, "throughput without a latency constraint"},
	{"weak-baseline", "precision", func(s *scene) {
		s.small()
		s.against = func(b *scene) { b.also(func(r *spec.Run) { r.Spec.Workload.Precision = "fp32" }) }
	}, finding.Void, "differ in 1 knobs besides runtime_version: precision (fp32 → bf16)"},
	{"weak-baseline", "sweep of two settings", func(s *scene) {
		s.small()
		s.against = func(b *scene) { b.also(func(r *spec.Run) { r.Spec.Workload.Precision = "fp32" }) }
		stating(func(f *Facts) {
			f.Tuning = []Tuning{{Knob: "precision", Better: "higher", Settings: []Setting{{Value: "fp32", Result: 2}, {Value: "bf16", Result: 1}}}}
		})(s)
	}, finding.Void, "precision (fp32 → bf16)"},
	{"apples-to-oranges", "driver", func(s *scene) {
		s.small()
		s.against = func(b *scene) { b.environment.Set("gpu.driver", "570.86.10") }
	}, finding.Void, "1 things differ besides runtime_version, so the comparison is exploratory: gpu.driver: 570.86.10 → 575.51.03"},
	{"apples-to-oranges", "exploratory", func(s *scene) {
		s.small()
		s.also(realism)
		s.against = func(b *scene) {
			b.also(realism)
			b.environment.Set("gpu.driver", "570.86.10")
		}
	}, finding.Caution, "gpu.driver"},
	{"apples-to-oranges", "a setting of the server", changes(pair(same), having(func(f *Facts) {
		f.Changes = []diff.Change{{Path: "spec.target.server.env.DELAY", A: "not given", B: "40", Kind: diff.Plan, Variable: "server.env.DELAY"}}
	})), finding.Caution, "server.env.DELAY differs, not runtime_version: spec.target.server.env.DELAY: not given → 40"},
	{"cherry-picked-run", "one launch", first(func(_ *Facts, s *Statement) { s.Launches = []int{3} }), finding.Void, "cites 1 of 5 launches (rank "},
	{"cherry-picked-run", "failed launches", func(s *scene) {
		s.small()
		s.launches = 6
		s.end = func(launch int, e *bundle.LaunchEnd) {
			if launch == 4 {
				*e = bundle.LaunchEnd{Outcome: bundle.LaunchFailed, Reason: "server died"}
			}
		}
	}, finding.Caution, "rest on 5 of 6 launches: launch 5: failed: server died"},
	{"tail-blindness", "mean alone", stating(func(f *Facts) { f.Statements = f.Statements[:1] }), finding.Void, "ttft.v2 mean = 100 ms is stated without a tail; p99 = 10"},
	{"tail-blindness", "no end", stating(func(f *Facts) { f.Statements[1].Interval = &stats.Unbounded }), finding.Void, "the interval of ttft.v2 p99 has no end"},
	{"silent-slo-violation", "stated", tightObjective, finding.Void, "output_throughput.v1 is stated without its objectives: 100 % of the requests at concurrency=8 missed them"},
	{"silent-slo-violation", "not stated", func(s *scene) {
		tightObjective(s)
		s.state = nil
	}, finding.Caution, "throughput beyond the objectives: 100 % of the requests at concurrency=8 missed them (at most 100 %, allowed 2 %); goodput is 0 req/s"},
	{"construct-mismatch", "another run", first(func(_ *Facts, s *Statement) { s.Cites = []Cited{{Run: "b7"}} }), finding.Void, "it cites run b7, this is run scene"},
	{"construct-mismatch", "another seed", first(func(_ *Facts, s *Statement) { s.Cites = []Cited{{Run: "scene", Seed: "3"}} }), finding.Void, "it cites seed 3, the run has 20260313"},
	{"no-variance", "two launches", func(s *scene) { s.launches = 2 }, finding.Void, "completed launches: 2, and an interval needs at least 3"},
	{"no-variance", "a quick look", func(s *scene) {
		s.small()
		s.launches = 1
		s.also(func(r *spec.Run) { r.Spec.Trials.Quick = true })
	}, finding.Note, "completed launches: 1, and an interval needs at least 3"},
	{"no-variance", "no interval", first(func(_ *Facts, s *Statement) { s.Interval = nil }), finding.Void, "ttft.v2 mean = 100 ms is stated without an interval; over 5 launches it is ["},
	{"no-variance", "ranks of five", first(func(_ *Facts, s *Statement) { s.Method = "median, order statistics" }),
		finding.Void, "is by ranks (median, order statistics) of 5 values: with fewer than 6"},
	{"wrong-scope", "no synchronisation", trained(func(launch int, s *record.Step) {
		if launch == 1 && s.Rank == 2 {
			s.End = s.Start + 1200e3
		}
	}), finding.Caution, "20 steps are shorter than the time in which their kernels ran, such as 1.20 ms against 80.0 ms on rank 2 of launch 2"},
	{"wrong-scope", "prompt tokens", stating(func(f *Facts) {
		input, _ := f.Estimates.Find(metric.InputThroughput.ID, "value", 0)
		f.Statements[2].Value += input.Value
	}), finding.Caution, "counts the tokens of the prompts: output alone is"},
	{"best-of-n", "the best", func(s *scene) {
		s.request = slowLaunch(3)
		first(func(f *Facts, s *Statement) {
			row, _ := f.rowOf(*s)
			for _, v := range row.PerLaunch {
				s.Value = min(s.Value, v.Value)
			}
		})(s)
	}, finding.Void, "equals the best of 5 launches; over all of them it is"},
	{"best-of-n", "in words", first(func(_ *Facts, s *Statement) { s.Statistic = "min" }), finding.Void, "is by its own words the best of 5 launches"},
	{"perfect-speedup", "eight of eight", both(trained(func(_ int, s *record.Step) { *s.Comm = 11e6 }), scaled(func(s *Statement) {
		s.Scaling.Points[2] = ScalingPoint{Workers: 8, Speedup: 8, GlobalBatch: 256}
	})), finding.Caution, "8× on 8 workers, while 11 % of a step is communication"},
	{"superlinear-efficiency", "with an interval", scaled(func(s *Statement) {
		s.Scaling.Points[2].Speedup, s.Scaling.Points[2].Interval = 9.12, &stats.Interval{Lo: 8.8, Hi: 9.44}
	}), finding.Caution, "efficiency 1.14 [1.1, 1.18] on 8 workers"},
	{"friday-afternoon", "one sitting", func(*scene) {}, finding.Note, "all 5 launches were made within 1m20s on Friday 2026-03-13"},
	{"friday-afternoon", "one side first", func(s *scene) {
		s.small()
		s.start = func(launch int, start *bundle.LaunchStart) { start.Side = []string{"a", "a", "a", "b", "b"}[launch] }
	}, finding.Caution, "every launch of a came before those of b"},
	{"friday-afternoon", "two sittings", func(s *scene) {
		s.small()
		s.against = func(b *scene) {
			b.start = func(_ int, start *bundle.LaunchStart) {
				start.Wall, start.Nodes = start.Wall.Add(-72*time.Hour), []string{"gpu-07"}
			}
		}
	}, finding.Caution, "the baseline was measured from Tue 2026-03-10 09:00"},
	{"throttling", "heat", func(s *scene) {
		s.small()
		sampled(s, "throttle.sw_thermal_slowdown", func(second float64) float64 {
			if second > 8 {
				return 1
			}
			return 0
		})
	}, finding.Void, "launch 3, GPU-0a: SW_THERMAL_SLOWDOWN in 27 % of 11 readings"},
	{"throttling", "power", func(s *scene) {
		s.small()
		sampled(s, "throttle.sw_power_cap", func(float64) float64 { return 1 })
	}, finding.Caution, "the power limit held the clocks down: launch 3, GPU-0a: SW_POWER_CAP in 100 %"},
	{"throttling", "clock", func(s *scene) {
		s.small()
		sampled(s, "clock.sm", func(second float64) float64 { return 1980 - 30*second })
	}, finding.Void, "launch 3, GPU-0a: clock 1950 → 1650 MHz"},
	{"throttling", "warming", func(s *scene) {
		s.small()
		sampled(s, "temperature", func(second float64) float64 { return 50 + 2*second })
	}, finding.Void, "temperature 52 → 72 °C"},
	{"throttling", "two clocks", func(s *scene) {
		s.small()
		s.against = func(b *scene) {
			before := b.samples
			b.samples = func(launch int) []record.Sample {
				list := before(launch)
				for i := range list {
					if list[i].Name == "clock.sm" {
						*list[i].Value = 1800
					}
				}
				return list
			}
		}
	}, finding.Void, "1965 MHz against 1800 MHz in the baseline"},
	{"placement-changed", "node", func(s *scene) {
		s.small()
		s.start = func(launch int, start *bundle.LaunchStart) {
			start.Nodes = []string{[]string{"gpu-07", "gpu-07", "gpu-07", "gpu-12", "gpu-07"}[launch]}
		}
	}, finding.Void, "launch 1 on gpu-07, launch 4 on gpu-12"},
	{"placement-changed", "device", func(s *scene) {
		s.small()
		before := s.samples
		s.samples = func(launch int) []record.Sample {
			list := before(launch)
			for i := range list {
				if launch == 4 && list[i].Scope == "GPU-1b" {
					list[i].Scope = "GPU-9z"
				}
			}
			return list
		}
	}, finding.Void, "launch 1 on GPU-0a, GPU-1b, launch 5 on GPU-0a, GPU-9z"},
	{"noisy-neighbours", "pressure", func(s *scene) {
		s.small()
		sampled(s, "cpu.psi.some.total", func(second float64) float64 { return .96 * second })
		s.without("started")
	}, finding.Caution, "launch 3: CPU contention (PSI) 96.0 % (limit 5 %), whose cannot be told"},
	{"noisy-neighbours", "others", func(s *scene) {
		s.small()
		sampled(s, "cpu.total", func(second float64) float64 { return .25 * second })
	}, finding.Caution, "launch 3: others used 9.40 of 64 processors (limit 5 %), and CPU contention (PSI) 0.1 %"},
	{"noisy-neighbours", "other machines", func(s *scene) {
		s.small()
		sampled(s, "cpu.steal.total", func(second float64) float64 { return 3 * second })
	}, finding.Caution, "launch 3: other machines took 4.5 % of the processor time (limit 1 %)"},
	{"noisy-neighbours", "realism", func(s *scene) {
		s.small()
		s.also(realism)
		sampled(s, "cpu.total", func(second float64) float64 { return .25 * second })
	}, finding.Note, "launch 3: others used 9.40 of 64 processors"},
	{"noisy-neighbours", "realism beside a crowd", func(s *scene) {
		s.small()
		s.also(realism)
		sampled(s, "cpu.psi.some.total", func(second float64) float64 { return .99 * second })
		s.without("started")
	}, finding.Caution, "launch 3: CPU contention (PSI) 99.0 % (limit 5 %), whose cannot be told"},
	{"own-contention", "client and server", func(s *scene) {
		s.small()
		sampled(s, "cpu.psi.some.total", func(second float64) float64 { return .96 * second })
	}, finding.Caution, "launch 3: CPU contention (PSI) 96.0 % (limit 5 %), while others used 0.05 of 64 processors"},
	{"own-contention", "realism", func(s *scene) {
		s.small()
		s.also(realism)
		sampled(s, "cpu.psi.some.total", func(second float64) float64 { return .1 * second })
	}, finding.Note, "launch 3: CPU contention (PSI) 10.0 %"},
	{"slowest-rank-hidden", "mean over ranks", both(slowRank, also(Statement{Metric: "step_time", Value: .1, Interval: &stats.Interval{Lo: .09, Hi: .11}, Aggregation: MeanOverRanks})),
		finding.Void, "launch 1: rank 3 takes 1.22× the median rank, and is the slowest in 100 % of 20 steps"},
	{"ranks-differ", "a variable and a driver", ranksOf(func(r *record.Rank) {
		if r.Rank == 2 {
			r.Driver, r.Tuning = "570.1", "NCCL_DEBUG_FILE=/tmp/2"
		}
	}), finding.Caution, "NCCL_ALGO is Ring on rank 0 and not set on rank 2; driver is 575.5 on rank 0 and 570.1 on rank 2"},
	{"ranks-differ", "processors", ranksOf(func(r *record.Rank) {
		if r.Rank == 1 {
			r.Affinity = "4-5,7"
		}
	}), finding.Caution, "number of processors is 4 on rank 0 and 3 on rank 1"},
	{"slowest-rank-hidden", "nobody averages", slowRank, finding.Note, "a rank holds up the others"},
	{"utilisation-as-outcome", "primary", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Metrics.Inference.Primary = []string{"gpu_utilization_pct"} })
	}, finding.Caution, "the spec's primary metric gpu_utilization_pct is a diagnostic"},
	{"pooled-requests", "narrow", first(func(_ *Facts, s *Statement) {
		s.N, s.Interval = 2000, &stats.Interval{Lo: s.Value * .9999, Hi: s.Value * 1.0001}
	}), finding.Void, "rests on n = 2000, while there are 5 launches"},
	{"chosen-after", "frozen late", func(s *scene) {
		s.small()
		s.start = func(launch int, start *bundle.LaunchStart) { start.Wall = start.Wall.Add(-time.Hour) }
	}, finding.Void, "the plan was frozen at 2026-03-13T08:59:00Z, after the first launch had begun at 2026-03-13T08:00:00Z"},
	{"chosen-after", "another metric", also(Statement{Metric: metric.Concurrency.ID, Value: 8, Interval: &stats.Interval{Lo: 7.9, Hi: 8.1}}),
		finding.Void, "concurrency.v1 is stated, but the frozen spec (sha256:"},
	{"chosen-after", "unsigned", func(s *scene) { s.small(); s.unsigned = true }, finding.Void, "nobody signed the bundle"},
	{"mutable-inputs", "tag", func(s *scene) { s.small(); s.inputs.Images = map[string]string{"vllm/vllm-openai:latest": ""} },
		finding.Void, "image vllm/vllm-openai:latest has no digest"},
	{"mutable-inputs", "command", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) {
			r.Spec.Target.Server.Command = []string{"docker", "run", "--gpus", "all", "vllm/vllm-openai:v0.11.0", "--port", "8000"}
		})
	}, finding.Void, "image vllm/vllm-openai:v0.11.0 is a tag"},
	{"mutable-inputs", "branch", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Target.Model = "openai/gpt-oss-20b@main" })
	}, finding.Void, "names the revision main, which can move"},
	{"scaling-kind", "batch grew", scaled(func(s *Statement) { s.Scaling.Points[2].GlobalBatch = 2048 }),
		finding.Caution, "called strong scaling, but its global batch grew from 256 on 1 workers to 2048 on 8"},
	{"quality-reached", "worse", also(Statement{Metric: "gsm8k", Quality: &Quality{Task: "gsm8k", Delta: -1.9, Interval: &stats.Interval{Lo: -2.6, Hi: -1.2}}}),
		finding.Void, "candidate -1.9 points [-2.6, -1.2] in gsm8k, tolerated are −1"},
	{"quality-reached", "target", also(Statement{Metric: "gsm8k", Quality: &Quality{Task: "gsm8k", Score: of(.71), Target: of(.75)}}),
		finding.Void, "gsm8k reached 0.71, the target is 0.75"},
	{"quality-reached", "graded worse", answering(1319, 40), finding.Void, "the answers are worse: gsm8k.exact_match at concurrency=8: -3.03 points [-3.93, -2.12] on 1319 items (40 lost, 0 gained), margin 1 point"},
	{"quality-reached", "graded too few", answering(100, 0), finding.Void, "the answers are not shown to be as good: gsm8k.exact_match at concurrency=8: +0 points [-2.95, +2.95] on 100 items"},
	{"line-through-two-points", "projection", scaled(func(s *Statement) {
		s.Scaling.Points = append(s.Scaling.Points[:2:2], ScalingPoint{Workers: 1024, Speedup: 700, GlobalBatch: 256, Projected: true})
	}), finding.Caution, "a line through 2 measured numbers of workers, [1 4], projected to 1024"},
	{"line-through-two-points", "beyond", scaled(func(s *Statement) {
		s.Scaling.Points = append(s.Scaling.Points, ScalingPoint{Workers: 64, Speedup: 50, GlobalBatch: 256, Projected: true})
	}), finding.Caution, "projected to 64 workers from at most 8 measured ones"},
	{"shared-nodes", "limit", func(s *scene) { s.small(); s.environment.Set("cgroup.cpu_limit_cores", 16.0) }, finding.Caution, "a limit of 16 of the host's 64 processors"},
}

func of(v float64) *float64 { return &v }

// small leaves the scene as few requests as do where nothing is said about them.
func (s *scene) small() { s.requests, s.warmups = 40, 8 }

// without leaves out the readings of a source.
func (s *scene) without(source string) {
	before := s.samples
	s.samples = func(launch int) []record.Sample {
		return slices.DeleteFunc(before(launch), func(r record.Sample) bool { return r.Source == source })
	}
}

// also changes the document further.
func (s *scene) also(change func(*spec.Run)) {
	before := s.run
	s.run = func(r *spec.Run) {
		before(r)
		change(r)
	}
}

func realism(r *spec.Run) { r.Spec.Intent.BenchmarkClass = spec.RealismGrade }

func tightObjective(s *scene) {
	s.also(func(r *spec.Run) { r.Spec.SLO[0].Max = unit.Duration(50 * time.Millisecond) })
}

// slowLaunch makes every request of one launch take a tenth longer.
func slowLaunch(slow int) func(int, *record.Request, *[]record.Chunk) {
	return func(launch int, r *record.Request, events *[]record.Chunk) {
		if launch != slow {
			return
		}
		for i := range *events {
			(*events)[i].At += 10e6
		}
		*r.First += 10e6
		r.Done += 10e6
	}
}

// ranksOf makes a world of three ranks that are alike but for what change does.
func ranksOf(change func(*record.Rank)) func(*scene) {
	return func(s *scene) {
		s.small()
		s.spoil = func(f *Facts) {
			f.Processes = nil
			for rank := range int32(3) {
				joined := int64(1)
				r := record.Rank{Rank: rank, Ranks: 3, Joined: &joined, Device: "NVIDIA H200", Driver: "575.5",
					Affinity: fmt.Sprintf("%d-%d", 4*rank, 4*rank+3), Tuning: fmt.Sprintf("NCCL_ALGO=Ring\nNCCL_DEBUG_FILE=/tmp/%d", rank)}
				change(&r)
				f.Processes = append(f.Processes, Process{Rank: r})
			}
		}
	}
}

// Ranks that differ only in what is their own are alike.
func TestRanksAlike(t *testing.T) {
	t.Parallel()
	s := clean()
	ranksOf(func(*record.Rank) {})(&s)
	if got := RanksAlike.Run(s.facts(t)); len(got.Findings) != 0 {
		t.Errorf("%+v", got.Findings)
	}
}

// On which set of its hosts a launch is made was planned: that is no change of place, and
// another host in a set is.
func TestPlacementOnSets(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]int{"a": 0, "c": 1} {
		s := clean()
		s.small()
		s.start = func(launch int, start *bundle.LaunchStart) {
			start.Set, start.Nodes = launch%2+1, []string{[]string{"a", "b", "a", "b", last}[launch]}
		}
		if got := Placement.Run(s.facts(t)); len(got.Findings) != want {
			t.Errorf("the last launch on %s: %+v, want %d findings", last, got.Findings, want)
		}
	}
}

func slowRank(s *scene) {
	trained(func(_ int, s *record.Step) {
		if s.Rank == 3 {
			s.End = s.Start + 122e6
		}
	})(s)
}
