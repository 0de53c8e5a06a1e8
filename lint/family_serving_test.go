package lint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/accuracy"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// shift moves a request and its stream in time.
func shift(r *record.Request, events *[]record.Chunk, by int64) {
	r.Due += by
	r.Sent += by
	answerLater(r, events, by)
}

// answerLater delays the answer of a request.
func answerLater(r *record.Request, events *[]record.Chunk, by int64) {
	*r.First += by
	r.Done += by
	for i := range *events {
		(*events)[i].At += by
	}
}

// each spoils every so manieth measured request.
func each(nth int64, spoil func(r *record.Request, events *[]record.Chunk)) func(*scene) {
	return func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			if r.Phase == record.Measure && r.ID%nth == 0 {
				spoil(r, events)
			}
		}
	}
}

// failing makes a request end without an answer.
func failing(outcome record.Outcome) func(r *record.Request, events *[]record.Chunk) {
	return func(r *record.Request, events *[]record.Chunk) {
		r.Result, r.UsageOutput, r.FinishReason = outcome, nil, ""
		*events = nil
	}
}

// told changes one fact of the environment.
func told(name string, value any) func(*scene) {
	return func(s *scene) { s.environment.Set(name, value) }
}

// asked changes the document on top of the clean one's changes.
func asked(change func(*spec.Run)) func(*scene) {
	return func(s *scene) {
		before := s.run
		s.run = func(r *spec.Run) {
			before(r)
			change(r)
		}
	}
}

// changes makes several changes.
func changes(list ...func(*scene)) func(*scene) {
	return func(s *scene) {
		for _, change := range list {
			change(s)
		}
	}
}

// digest is that of nothing in particular.
func digest(letter string) string { return "sha256:" + strings.Repeat(letter, 64) }

func open(rate float64) func(*scene) { return func(s *scene) { s.openLoop(rate) } }

// sentBy makes two load generators send the load, the second of which is changed.
func sentBy(change func(*record.Generator)) func(*scene) {
	return func(s *scene) {
		s.events = func(_ int, l *bundle.Launch) {
			for number, host := range []string{"a", "b"} {
				offset, bound := int64(5e12), int64(20e3)
				g := record.Generator{Generator: int32(number), Generators: 2, Host: host, Processors: 4, Offset: &offset, Bound: &bound, CPU: 1, Wall: 10, Verdict: record.GeneratorOK}
				if number == 1 {
					change(&g)
				}
				_ = l.Generators.Append(g)
			}
		}
	}
}

func pair(baseline func(*scene)) func(*scene) { return func(s *scene) { s.against = baseline } }

// read writes a gauge's readings of every second.
func read(source, name, scope string, at func(second int) float64) []record.Sample {
	var rows []record.Sample
	for second := range 14 {
		value := at(second)
		rows = append(rows, record.Sample{At: int64(second) * 1e9, Source: source, Name: name, Scope: scope, Value: &value})
	}
	return rows
}

func growing(perSecond float64) func(int) float64 {
	return func(second int) float64 { return perSecond * float64(second) }
}

func steadily(value float64) func(int) float64 { return func(int) float64 { return value } }

// probedCache adds prompts sent twice, the second time with a quick first token.
func probedCache(launch int, l *bundle.Launch) {
	for i := range int64(4) {
		for n, wait := range []int64{100e6, 20e6} {
			id := 1e6 + 2*i + int64(n)
			phase := []record.Phase{record.CacheCold, record.CacheWarm}[n]
			due := id * 1e6
			_ = l.Requests.Append(record.Request{ID: id, Point: -1, Phase: phase, User: -1, Due: due, Sent: due, Done: due + 2*wait, Result: record.OK, PromptHash: 77 + i})
			_ = l.Chunks.Append(record.Chunk{Request: id, At: due + wait, Kind: record.Content, TextBytes: 4})
		}
	}
}

// knownPrompts makes all prompts of a launch be a few.
func knownPrompts(cached int32) func(*scene) {
	return each(1, func(r *record.Request, _ *[]record.Chunk) {
		r.PromptHash = 1 + r.ID%4
		if cached > 0 {
			r.UsageCached = &cached
		}
	})
}

// quick gives scenes whose records are spoiled two launches, which is all that
// these checks need to see. Others are the clean one's, which is made once.
func quick(trips []trip) []trip {
	shorten := func(s *scene) {
		if all := clean().launches; s.launches == all && !s.untouched() {
			s.launches = 2
		}
	}
	for i, tt := range trips {
		trips[i].spoil = func(s *scene) {
			tt.spoil(s)
			shorten(s)
			if baseline := s.against; baseline != nil {
				s.against = func(b *scene) {
					baseline(b)
					shorten(b)
				}
			}
		}
	}
	return trips
}

// paced makes the arrivals of a launch equally far apart.
func paced(s *scene) {
	var count [2]int64
	s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
		if r.Phase == record.Measure {
			shift(r, events, int64(sceneWarmup)+count[launch]*25e6-r.Due)
			count[launch]++
		}
	}
}

var servingTrips = quick([]trip{
	{"coordinated-omission", "users in an open loop", changes(open(40), each(1, func(r *record.Request, _ *[]record.Chunk) { r.User = 3 })),
		finding.Void, "rate=40/s is an open loop in the plan, and"},
	{"coordinated-omission", "stated from sending", changes(open(40), each(10, func(r *record.Request, events *[]record.Chunk) {
		r.Sent += 2e9
		answerLater(r, events, 2e9)
	}), func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Statements = []Statement{{Metric: "e2e.v2", Statistic: "p99", Value: f.places()[0].quantile(.99, func(t PointTally) quantiler { return t.Service })}}
		}
	}), finding.Void, "that is stated counts from sending; from when the requests were due it is 2.2"},
	{"gaps-left-out", "pauses behind bursts", leavingOut(.2), finding.Caution, "20.0 % of the streams' time is in gaps that ITL and jitter leave out (launch 1, the most)"},
	{"gaps-left-out", "a late client", leavingOut(.02), finding.Note, "2.0 % of the streams' time"},
	{"collector-ran", "paused", collected(3, .004), finding.Caution, "in 2 of 2 measured windows: 6 times, the longest pause 4 ms at most"},
	{"generator-lost", "killed", sentBy(func(g *record.Generator) {
		g.Verdict, g.Error = record.GeneratorLost, "load generator 1 on b: its process was killed"
	}), finding.Void, "launch 1: load generator 1 on b: its process was killed"},
	{"generator-behind", "busy", sentBy(func(g *record.Generator) { g.CPU = 3.9 * g.Wall }), finding.Caution, "launch 1: load generator 1 on b used 98 % of its 4 processors, and 1 more such"},
	{"generator-behind", "late", changes(open(40), sentBy(func(*record.Generator) {}), each(1, func(r *record.Request, _ *[]record.Chunk) {
		if r.Host = "a"; r.ID%2 == 1 {
			r.Host, r.Shard, r.Sent = "b", 1, r.Due+20e6
		}
	})), finding.Caution, "launch 1: load generator 1 on b sent up to 20"},
	{"generator-clock", "loose", sentBy(func(g *record.Generator) { *g.Bound = 40e6 }), finding.Caution, "launch 1: load generator 1 on b has a clock that is known within 40"},
	{"generator-clock", "unknown", sentBy(func(g *record.Generator) { g.Offset, g.Bound = nil, nil }), finding.Caution, "launch 1: load generator 1 on b never exchanged stamps"},
	{"in-flight-cap", "touched", changes(open(40), asked(func(r *spec.Run) { r.Spec.Load.MaxInFlight = 8 })),
		finding.Void, "the limit of 8 in flight was reached in 2 of 2 launches, and 0 of"},
	{"in-flight-cap", "dropped", changes(open(40), each(40, failing(record.Dropped))), finding.Void, "calls were dropped (2."},
	{"survivor-bias", "many", each(20, failing(record.HTTPError)), finding.Void, "40 of 800 measured requests (5 %) did not succeed (http_error 40)"},
	{"survivor-bias", "some", each(400, failing(record.Truncated)), finding.Caution, "(0.25 %) did not succeed (truncated 2)"},
	{"survivor-bias", "as declared", changes(each(20, failing(record.HTTPError)), asked(func(r *spec.Run) {
		r.Spec.SLO = append(r.Spec.SLO, spec.Objective{Metric: "error_rate", MaxRatio: .1})
	})), finding.Note, "the objective allows 10 %"},
	{"output-length", "one token", each(20, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 1 }),
		finding.Void, "40 of 800 answers hold a single token, where 11 were asked for"},
	{"output-length", "shorter than asked", each(1, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 6 }),
		finding.Caution, "answers hold 6.0 tokens on average, 11.0 were asked for"},
	{"output-length", "counts below zero", each(20, func(r *record.Request, _ *[]record.Chunk) { r.UsageOutput, r.Flags = nil, "impossible_usage no_usage" }),
		finding.Void, "token counts of 40 of 800 answers cannot be true"},
	{"output-length", "shorter than the other's", changes(each(1, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 10; r.AskedOutput = 10 }), pair(each(1, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 20; r.AskedOutput = 20 }))),
		finding.Void, "answers hold 10.0 tokens on average, the baseline's 20.0"},
	{"output-length", "shorter than the other side's", changes(asked(func(r *spec.Run) {
		r.Spec.Candidates = []spec.Candidate{{Name: "new", Target: *r.Spec.Target}}
	}), func(s *scene) {
		s.start = func(launch int, l *bundle.LaunchStart) { l.Side = []string{spec.BaselineSide, "new"}[launch%2] }
		s.request = func(launch int, r *record.Request, _ *[]record.Chunk) {
			if launch%2 == 1 {
				*r.UsageOutput, r.AskedOutput = 5, 5
			}
		}
	}), finding.Void, "new, concurrency=8: answers hold 5.0 tokens on average, the baseline's 11.0"},
	{"output-length", "other ends", changes(pair(each(2, func(r *record.Request, _ *[]record.Chunk) { r.FinishReason = "stop" }))),
		finding.Caution, `100 % of the answers end with "length", of the baseline's 50 %`},
	{"prompt-cache", "counted", knownPrompts(400), finding.Void, "78 % of the prompt tokens came from the target's cache (by the answers' usage), the workload declares 0 %; 99 %"},
	{"prompt-cache", "of an earlier run", each(1, func(r *record.Request, _ *[]record.Chunk) { cached := int32(400); r.UsageCached = &cached }),
		finding.Void, "the launch sent them once, so that somebody asked the same before it"},
	{"prompt-cache", "probed", changes(knownPrompts(0), func(s *scene) { s.events = probedCache }), finding.Void, "has its first token 80 % sooner"},
	{"prompt-cache", "unknown", knownPrompts(0), finding.Caution, "nothing says what the target's cache made of it"},
	{"speculation-on-synthetic-text", "drafts", func(s *scene) {
		s.samples = func(int) []record.Sample {
			return append(read("server", "vllm:spec_decode_num_draft_tokens_total", "", growing(100)), read("server", "vllm:spec_decode_num_accepted_tokens_total", "", growing(78))...)
		}
	}, finding.Caution, "78 % of its draft tokens were accepted"},
	{"opening-wave", "cold start", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			if r.ID >= 40 && r.ID < 48 {
				answerLater(r, events, 300e6)
			}
		}
	}, finding.Void, "the first 8 requests of the window wait 4.0 times as long"},
	{"opening-wave", "on a busy host", onBusyHost(func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			if r.ID >= 40 && r.ID < 48 {
				answerLater(r, events, 300e6)
			}
		}
	}), finding.Caution, "; the host was busy, which may have done it"},
	{"starved-users", "two of eight", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			if r.User%4 == 1 {
				drawnOut(r, *events, 1.5)
			}
		}
	}, finding.Caution, "4 of 16 users wait 5"},
	{"littles-law", "stamps that end early", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			r.Due, r.Sent = r.Due+200e6, r.Sent+200e6
			slower(r, *events, 2)
		}
	}, finding.Caution, "by their stamps requests take 21"},
	{"littles-law", "more in flight than were counted", func(s *scene) {
		s.spoil = func(f *Facts) { *f.Tally.Points[0].MostInFlight = 4 }
	}, finding.Caution, "requests were in flight on average, by their stamps, and the client counted 4 at most"},
	{"users-in-step", "began together", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			shift(r, events, r.ID/sceneUsers*sceneAnswer-r.Due)
		}
	}, finding.Caution, "whenever one asks, 100 % of the other 7 ask within the same"},
	{"worse-under-load", "many users", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Load.Concurrency = []int{64, sceneUsers} })
		s.spoil = func(f *Facts) {
			f.Answers = graded(1319, 0)
			loaded := graded(1319, 40)
			few := &f.Answers.Tasks[0]
			few.Points[0].Point = 1 // the plan has the highest load first
			few.Points = append([]accuracy.Point{{Name: "concurrency=64", Scores: few.Points[0].Scores}}, few.Points...)
			for i := range f.Answers.Grades {
				f.Answers.Grades[i].Point = 1
			}
			f.Answers.Grades = append(f.Answers.Grades, loaded.Grades...)
		}
	}, finding.Void, "answers worse under load: gsm8k.exact_match at concurrency=64: -3.03 points"},
	{"few-answers", "short window", func(s *scene) {
		s.events = func(_ int, l *bundle.Launch) {
			_ = l.Events.Append(record.Event{At: sceneWarmup + 3*sceneAnswer, Name: record.WindowEnd})
		}
	}, finding.Note, "the window of 630 ms holds 2 whole answers per user"},
	{"drain-in-window", "long end", func(s *scene) {
		s.events = func(_ int, l *bundle.Launch) {
			_ = l.Events.Append(record.Event{At: sceneWarmup + 3*sceneWindow, Name: record.WindowEnd})
		}
	}, finding.Void, "after the last request was sent, and throughput is divided by all of it"},
	{"arrival-process", "paced", changes(open(40), paced), finding.Caution, "arrivals are declared poisson, whose counts have an index of dispersion of 1; the times at which requests were due have 0"},
	{"stream-granularity", "bursts", each(1, func(_ *record.Request, events *[]record.Chunk) {
		for i := 2; i < len(*events)-1; i++ {
			(*events)[i].At = (*events)[1].At
		}
	}), finding.Caution, "events come in bursts"},
	{"stream-granularity", "packed", each(1, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 21; r.AskedOutput = 21 }), finding.Caution, "an event holds about 2 tokens"},
	{"clock", "coarse", told("clock.source", "jiffies"), finding.Void, "clock source is jiffies"},
	{"clock", "slow", told("clock.source", "hpet"), finding.Caution, "clock source is hpet"},
	{"clock", "stepped", func(s *scene) {
		s.start = func(launch int, l *bundle.LaunchStart) {
			if launch > 0 {
				l.Wall = l.Wall.Add(-2 * time.Second)
			}
		}
	}, finding.Void, "was moved by 2s against CLOCK_MONOTONIC between launches 0 and 1"},
	{"clock", "not monotonic", func(s *scene) { s.start = func(_ int, l *bundle.LaunchStart) { l.Clock = "CLOCK_REALTIME" } }, finding.Void, `stamped by the clock "CLOCK_REALTIME"`},
	{"clock", "two hosts", func(s *scene) {
		s.spoil = func(f *Facts) { f.Manifest.Clocks = []bundle.Clock{{ID: "a"}, {ID: "b", BoundNS: 5e6}} }
	}, finding.Void, "the clock b is within ±5.00 ms of the first one, and the shortest median latency is"},
	{"new-connections", "handshakes", each(50, func(r *record.Request, _ *[]record.Chunk) { tls := int64(5e6); r.NewConn, r.TLS = true, &tls }),
		finding.Caution, "16 of 800 measured requests (2 %) opened a connection, 16 of them with a TLS handshake, which took 5.00 ms on average"},
	{"new-connections", "given up", changes(each(50, func(r *record.Request, _ *[]record.Chunk) { r.NewConn = true }), asked(func(r *spec.Run) {
		r.Spec.Load.Cancel = &spec.Cancel{Share: .02, After: unit.Duration(time.Second)}
	})), finding.Note, "giving up requests on purpose"},
	{"timeout-censoring", "both limits", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			switch {
			case r.Phase == record.Measure && r.ID%200 == 0:
				failing(record.Timeout)(r, events)
			case r.Phase == record.Measure && r.ID%200 == 1:
				failing(record.IdleTime)(r, events)
			}
		}
	}, finding.Caution, "4 reached target.timeout (10m0s) and 4 were silent for target.idleTimeout (1m0s)"},
	{"hidden-retries", "by assay", each(40, func(r *record.Request, _ *[]record.Chunk) { r.Flags = "no_done resent" }), finding.Caution, "assay sent 20 of 800 measured requests again, since the server had closed the kept connection"},
	{"hidden-retries", "by assay, seldom", each(400, func(r *record.Request, _ *[]record.Chunk) { r.Flags = "resent" }), finding.Note, "assay sent 2 of 800 measured requests again"},
	{"hidden-retries", "by a proxy", each(40, func(r *record.Request, _ *[]record.Chunk) { r.Flags = "no_done attempts=2" }), finding.Caution, "a proxy tried 20 of 800 measured requests more than once"},
	{"mixed-stages", "steps", asked(func(r *spec.Run) {
		r.Spec.Load.Concurrency = nil
		r.Spec.Load.Stages = []spec.Stage{{Duration: unit.Duration(time.Minute), Concurrency: 4}, {Duration: unit.Duration(time.Minute), Concurrency: 8}}
	}), finding.Caution, "stages goes through 2 loads"},
	{"mixed-stages", "stated without a point", changes(asked(func(r *spec.Run) { r.Spec.Load.Concurrency = []int{8, 16} }), func(s *scene) {
		s.spoil = func(f *Facts) { f.Statements = []Statement{{Metric: "ttft.v2", Statistic: "p99", Value: .1}} }
	}), finding.Caution, "ttft.v2 p99 is stated without its point, and the run has 2 of them"},
	{"averaged-percentiles", "as stated", func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Statements = []Statement{{Metric: "ttft.v2", Statistic: "p95", Value: .1, Aggregation: MeanOfPercentiles}}
		}
	}, finding.Caution, "ttft.v2 p95 is a mean of percentiles"},
	{"averaged-percentiles", "of points", func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Estimates.Rows = []metric.Row{
				{Metric: "ttft.v2", Statistic: "p95", Estimate: stats.Estimate{Value: .1}},
				{Metric: "ttft.v2", Statistic: "p95", Point: 1, Estimate: stats.Estimate{Value: .3}},
			}
			f.Statements = []Statement{{Metric: "ttft.v2", Statistic: "p95", Value: .2}}
		}
	}, finding.Caution, "is stated as 200 ms, which is the mean of those of 2 points"},
	{"simulated-target", "mock", told("server.engine", simulator), finding.Void, "the target says that it is assay-sim, and the plan calls it openai/gpt-oss-20b"},
	{"simulated-target", "in the clothes of vLLM", told("server.simulator", "llm-d-inference-sim: it tells its latencies"), finding.Void, "the target is llm-d-inference-sim: it tells its latencies, and the plan calls it openai/gpt-oss-20b"},
	{"simulated-target", "an HTTP server that is not vLLM's", told("server.http", "fasthttp"), finding.Note, "says that it is vllm, and answers through fasthttp, which vllm does not use"},
	{"simulated-target", "declared", changes(told("server.engine", simulator), asked(func(r *spec.Run) { r.Spec.Target.Server.Command = []string{"/usr/bin/assay", "sim"} })),
		finding.Note, "the target is assay-sim, as the plan declares"},
	{"simulated-target", "impossible", func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Estimates.Rows = append(slices.Clip(f.Estimates.Rows), metric.Row{Metric: "mfu.v1", Name: "MFU", Statistic: "value", Estimate: stats.Estimate{Value: 1.3, Interval: stats.Interval{Lo: 1.2, Hi: 1.4}}})
		}
	}, finding.Void, "MFU is 1.3, more than the hardware can do"},
	{"protocol-surface", "chat and completions", changes(pair(asked(func(r *spec.Run) { r.Spec.Target.API = "openai-completions" }))), finding.Caution, "the baseline is asked by openai-completions and the candidate by openai-chat"},
	{"protocol-surface", "sides", asked(func(r *spec.Run) {
		r.Spec.Candidates = []spec.Candidate{{Name: "new", Target: spec.Target{URL: "http://127.0.0.1:8001", API: "openai-chat", HTTP2: true}}}
	}), finding.Caution, "the candidate by openai-chat over HTTP/2"},
	{"protocol-surface", "deployments", changes(asked(func(r *spec.Run) { r.Spec.Target.System.DeploymentModel = "kserve_service" }), pair(asked(func(r *spec.Run) {
		r.Spec.Target.System.DeploymentModel = "deployment_per_gpu"
	}))), finding.Caution, "the baseline is asked by openai-chat of a deployment_per_gpu and the candidate by openai-chat of a kserve_service"},
	{"declared-system", "another engine", asked(func(r *spec.Run) { r.Spec.Target.System = spec.System{Engine: "SGLang", Version: "v0.11.0"} }),
		finding.Caution, `target.system.engine of the target is "SGLang", and the server calls itself "vllm"`},
	{"declared-system", "an old label", asked(func(r *spec.Run) { r.Metadata.Labels = map[string]string{"server_version": "0.9"} }),
		finding.Caution, `target.system.version of the target is "0.9", and the server calls itself "0.11.0"`},
	{"patched-engine", "edited", told("server.version", "0.11.0+local"), finding.Void, "runs version 0.11.0+local, whose source was changed after 0.11.0"},
	{"patched-engine", "edited, by date", told("server.version", "0.11.1.dev4+g1a2b3c4.d20260302"), finding.Void, "whose source was changed"},
	{"patched-engine", "no release", told("server.version", "0.11.1.dev4+g1a2b3c4"), finding.Caution, "built from source and no release"},
	{"patched-engine", "same image", changes(func(s *scene) { s.inputs.Images = map[string]string{"vllm": digest("a")} }, pair(changes(func(s *scene) { s.inputs.Images = map[string]string{"vllm": digest("a")} }, told("server.version", "0.10.2")))),
		finding.Void, "both runs name the same image, and what runs in it differs: server.version 0.10.2 → 0.11.0"},
	{"model-overrides", "fewer layers", asked(func(r *spec.Run) {
		r.Spec.Target.Server.Command = []string{"vllm", "serve", "m", "--hf-overrides.num_hidden_layers", "48"}
	}), finding.Void, "is started with --hf-overrides 48"},
	{"model-overrides", "random weights", asked(func(r *spec.Run) {
		r.Spec.Target.Server.Command = []string{"vllm", "serve", "m", "--load-format=dummy"}
	}), finding.Void, "random weights"},
	{"model-overrides", "other content", changes(func(s *scene) { s.inputs.Model = &bundle.Input{Name: "m", Digest: digest("a")} }, pair(func(s *scene) { s.inputs.Model = &bundle.Input{Name: "m", Digest: digest("b")} })),
		finding.Void, "both runs name the model m, and its content differs"},
	{"energy-window", "longer", func(s *scene) {
		s.samples = func(int) []record.Sample {
			return append(read("gpu", "power", "GPU-1", steadily(400)), read("gpu", "energy.total", "GPU-1", growing(600))...)
		}
	}, finding.Caution, "6300 J at 400 W are the energy of 15.8 s, and the work is that of a window of 10.5 s"},
	{"idle-device", "a server on the processors", func(s *scene) {
		s.samples = func(int) []record.Sample { return read("gpu", "utilisation", "GPU-1", steadily(.01)) }
	}, finding.Void, "no accelerator of the host was in use"},
	{"device-count", "half", asked(func(r *spec.Run) { r.Spec.Cost.GPUCount = 4 }), finding.Caution, "divide by spec.cost.gpuCount, 4, and the target works on 8 (--tensor-parallel-size 8)"},
	{"device-count", "of the host", asked(func(r *spec.Run) { r.Spec.Cost.GPUCount = 16; r.Spec.Target.Server = nil }), finding.Caution, "works on 8 (the devices of the host)"},
	{"stale-baseline", "three months", pair(func(s *scene) {
		s.start = func(_ int, l *bundle.LaunchStart) { l.Wall = l.Wall.AddDate(0, 0, -94) }
	}), finding.Caution, "the baseline was measured 94 days before the candidate"},
	{"quantised-times", "milliseconds", func(s *scene) {
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			for _, at := range []*int64{&r.Due, &r.Sent, r.First, &r.Done} {
				*at = *at / 1e6 * 1e6
			}
			for i := range *events {
				(*events)[i].At = (*events)[i].At / 1e6 * 1e6
			}
		}
	}, finding.Note, "all times are multiples of 1.00 ms, which is 10 % of the smallest median latency"},
})

// An open loop of which nothing can be said is told nothing.
func TestCleanOpenLoop(t *testing.T) {
	t.Parallel()
	s := clean()
	s.openLoop(40)
	audit := Run(s.facts(t))
	for _, f := range audit.Findings {
		if f.Severity != finding.Note {
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, r := range audit.Results {
		if r.State == NotChecked && r.Severity == finding.Void {
			t.Errorf("%s was not checked: %s is missing", r.Check, r.Missing)
		}
	}
}

// A pair of clean runs is told nothing about serving and comparing.
func TestCleanServingPair(t *testing.T) {
	s := clean()
	s.against = same
	for _, f := range Run(s.facts(t)).Findings {
		if f.Severity != finding.Note && slices.ContainsFunc(slices.Concat(serving, hygiene), func(c Check) bool { return c.ID == f.Check }) {
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
}
