package lint

import (
	"maps"
	"slices"
	"testing"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

var integrityTrips = []trip{
	{"quality-unchecked", "nobody asked", func(s *scene) {
		s.also(func(r *spec.Run) { r.Spec.Workload.Correctness.AllowedExceptions = nil })
	}, finding.Void, "correctness.suite names gsm8k, and the run has no graded answers to it"},
	{"stated-value", "twice as good", first(func(_ *Facts, s *Statement) {
		s.Value, s.Interval = s.Value/2, &stats.Interval{Lo: s.Value * .4, Hi: s.Value * .6}
	}), finding.Void, "the bundle gives 100 ms (-50.0 %), and its interval is ["},
	{"stated-value", "a tail that nobody measured", func(s *scene) {
		s.small()
		stating(func(f *Facts) { f.Statements[1].Value = .05 })(s)
	}, finding.Void, "ttft.v2 p99 = 50.0 ms is stated; the bundle gives 10"},
	{"stated-value", "in another unit", first(func(_ *Facts, s *Statement) { s.Unit = "ms" }), finding.Void, "is stated in ms, and the metric is in s"},
	{"unfilled-join-keys", "no pod", func(s *scene) { s.environment.Miss("join.pod_uid", "the environment has none of POD_UID") }, finding.Caution,
		"1 of 9 declared join keys are not in the bundle: pod_uid: the environment has none of POD_UID"},
	{"resumed", "the next morning", interrupted(nil), finding.Caution,
		"interrupted on Friday 2026-03-13 09:00 UTC and resumed 22h0m later: 2 of its 5 launches are from run earlier; launch 3 was cut short"},
	{"resumed", "with another driver", interrupted(func(r *bundle.Resumption) { r.Environment.Set("gpu.driver", "570.86") }), finding.Void, "the environment changed between the interruption and the resumption: gpu.driver: 570.86 → "},
	{"resumed", "a launch that went badly", interrupted(func(r *bundle.Resumption) { r.Repeated = []bundle.LaunchInfo{{Index: 1}} }), finding.Caution, "; launch 2 was cut short and made again"},
	{"resumed", "its first launch went badly", interrupted(func(r *bundle.Resumption) { r.Launches, r.Repeated = nil, []bundle.LaunchInfo{{Index: 0}} }), finding.Caution, "; launch 1 was cut short and made again"},
	{"resumed", "by another build", interrupted(func(r *bundle.Resumption) { r.Tool.SHA256 = "ab" }), finding.Void, "assay: ab → "},
	{"resumed", "between two sides", func(s *scene) {
		interrupted(func(r *bundle.Resumption) { r.Launches = []int{0} })(s)
		spoil := s.spoil
		s.spoil = func(f *Facts) {
			spoil(f)
			f.Plan.Run.Spec.Candidates = []spec.Candidate{{Name: "new", Target: *f.Plan.Run.Spec.Target}}
			f.Plan.Launches = []plan.Launch{{Index: 0}, {Index: 1, Side: "new"}, {Index: 2, Block: 1, Side: "new"}, {Index: 3, Block: 1}}
		}
	}, finding.Caution, "fell into block 1: its sides were measured 22h0m apart"},
	{"stated-interval", "not its own", first(func(_ *Facts, s *Statement) {
		s.Interval = &stats.Interval{Lo: s.Value * 1.1, Hi: s.Value * 1.2}
	}), finding.Void, "lies outside of its own interval"},
	{"stated-interval", "not the bundle's", first(func(_ *Facts, s *Statement) {
		s.Value, s.Interval = s.Value*.8, &stats.Interval{Lo: s.Value * .7, Hi: s.Value * .9}
	}), finding.Void, "and the bundle's 100 ms lies outside of it"},
	{"stated-interval", "another method", first(func(_ *Facts, s *Statement) { s.Method = "bootstrap over requests" }), finding.Caution, "it is said to be by bootstrap over requests"},
	{"stated-interval", "fewer launches", first(func(_ *Facts, s *Statement) { s.N = 3 }), finding.Caution, "rest on n = 3, and the bundle has 5 launches"},
	{"stated-interval", "a launch that is not there", first(func(_ *Facts, s *Statement) { s.Launches = []int{0, 1, 2, 3, 7} }), finding.Void, "cites launch index 7"},
	{"uncertified-percentile", "p99 of 40 requests", (*scene).small, finding.Void, "the bundle cannot bound it: too few requests (40 of 368)"},
	{"usage-mismatch", "more than was allowed", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, _ *[]record.Chunk) { *r.UsageOutput += 7 }
	}, finding.Void, "200 of 200 answers hold more tokens, by the server's count, than their requests allow"},
	{"usage-mismatch", "seven in every answer", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			*events = (*events)[:len(*events)-int(r.ID%6)]
			r.AskedOutput, *r.UsageOutput = 100, int32(len(*events)-1)+7
		}
	}, finding.Void, "the server counts 7 tokens more in every answer than it sends pieces, whether the answer holds 13 tokens or 18"},
	{"usage-mismatch", "by the tokenizer", func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Plan.Run.Spec.Workload.Tokenizer.Kind = spec.TokenizerFile
			f.Estimates.Counts = []metric.Count{{Of: metric.OfAnswer, Requests: 400, Ours: 20.9, Server: 27.9, Least: 7, Most: 7}}
		}
	}, finding.Void, "the server counts 27.9 tokens in an answer on average, and the named tokenizer counts 20.9"},
	{"served-model", "a smaller one in the pair", func(s *scene) {
		s.environment.Set("server.models", []string{"openai/gpt-oss-20b", "tiny"})
		s.against = func(*scene) {}
	}, finding.Void, "both runs ask for openai/gpt-oss-20b; the baseline's target serves openai/gpt-oss-20b, the candidate's openai/gpt-oss-20b, tiny"},
	{"served-model", "an answer to any name", func(s *scene) { s.environment.Set("server.models", []string{"tiny"}) },
		finding.Caution, "was asked for openai/gpt-oss-20b, and says that it serves tiny"},
	{"shared-server", "by address", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Target.URL, r.Spec.Target.Server = "http://inference.example:8000", nil })
	}, finding.Caution, "the 5 launches of the target share one server process: assay starts none"},
	{"shared-server", "one start for all", func(s *scene) {
		s.small()
		s.also(realism)
		s.also(func(r *spec.Run) { r.Spec.Target.Server.Restart = spec.RestartRun })
	}, finding.Note, "share one server process: target.server.restart is run"},
	{"missing-launches", "the slowest", func(s *scene) {
		s.spoil = func(f *Facts) {
			f.Manifest.Launches = slices.DeleteFunc(slices.Clone(f.Manifest.Launches), func(l bundle.LaunchInfo) bool { return l.Index == 2 })
		}
	}, finding.Void, "the plan has 5 launches, and the ledger lacks [2] of them"},
	{"missing-requests", "the failed ones", func(s *scene) {
		s.small()
		s.balance = func(launch int, c *Calls) {
			if launch == 1 {
				c.Begun, c.Failed = c.Begun+12, c.Failed+12
			}
		}
	}, finding.Void, "launch 2: the client began 60 calls, of which 12 failed, and the records hold 48, of which 0 failed"},
	{"cut-short", "half of the window", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Load.Duration = unit.Duration(2 * sceneWindow) })
	}, finding.Void, "launch 1: 40 requests in 10.5 s were measured, planned are 21"},
	{"outside-window", "the warm-up counts", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, _ *[]record.Chunk) { r.Phase = record.Measure }
	}, finding.Void, "40 of 240 measured requests were not sent in the measured window"},
	{"impossible-times", "launches overlap", func(s *scene) {
		s.small()
		s.start = func(launch int, start *bundle.LaunchStart) {
			start.Wall = sceneDay.Add(time.Duration(launch) * 5 * time.Second)
		}
	}, finding.Void, "launch 2 began 10s before launch 1 had ended"},
	{"impossible-times", "longer than the launch", func(s *scene) {
		s.end = func(launch int, e *bundle.LaunchEnd) { e.Wall = e.Wall.Add(-10 * time.Second) }
	}, finding.Void, "lasted 5s by the ledger, and its records go on for 1"},
	{"impossible-times", "answered before it was sent", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, _ *[]record.Chunk) { *r.First = r.Sent - 1 }
	}, finding.Void, "requests ended, or were answered, before they were sent"},
	{"copied-answers", "one launch five times", func(s *scene) {
		s.small()
		s.request = func(_ int, r *record.Request, events *[]record.Chunk) {
			*r.First, r.Done = r.Sent+sceneTTFT+137*r.ID, r.Sent+2*sceneTTFT+1013*r.ID
		}
	}, finding.Void, "launch 2: 40 of 40 answers took as long, to the nanosecond, as one that is there already"},
	{"shared-launches", "the baseline's records", func(s *scene) {
		s.against = func(b *scene) { b.draw = 0 }
	}, finding.Void, "10 files of raw records are in both bundles"},
	{"length-control", "one side may stop", func(s *scene) {
		s.small()
		s.against = func(b *scene) {
			no := false
			b.small()
			b.also(func(r *spec.Run) { r.Spec.Load.IgnoreEOS = &no })
		}
	}, finding.Void, "load.ignoreEOS is true for the target, and false for the baseline"},
	{"length-control", "stop words of a side", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Target.ExtraBody = map[string]any{"stop": []string{"."}} })
		s.against = func(b *scene) { b.small() }
	}, finding.Void, `target.extraBody.stop is ["."] for the target, and not given for the baseline`},
	{"mixed-tokenizers", "two files", func(s *scene) {
		s.against = func(b *scene) {
			b.small()
			b.inputs.Tokenizer = &bundle.Input{Name: "other.json", Digest: digest("1")}
		}
	}, finding.Void, "and the baseline's by sha256:"},
	{"unpaired-drift", "one after the other", func(s *scene) {
		s.against = func(b *scene) { b.start = anHourBefore }
	}, finding.Caution, "all launches of the baseline came before those of the candidate; their 5 and 5 launches show no trend"},
	{"unpaired-drift", "a drift that four launches each cannot show", func(s *scene) {
		s.small()
		s.launches, s.request = 4, creeping(.012, 4)
		s.against = func(b *scene) {
			b.small()
			b.launches, b.start, b.request = 4, anHourBefore, creeping(.012, 0)
		}
	}, finding.Caution, "in one row of time they move in one direction, as a drift does: "},
	{"unpaired-drift", "three launches", func(s *scene) {
		s.small()
		s.launches = 3
		s.against = func(b *scene) {
			b.small()
			b.launches, b.start = 3, anHourBefore
		}
	}, finding.Caution, "with 3 and 3 launches a drift cannot be seen (from 4 a side on it can)"},
	{"unpaired-drift", "launch by launch", func(s *scene) {
		s.small()
		s.request = slowing(5)
		s.against = func(b *scene) {
			b.small()
			b.start, b.request = anHourBefore, slowing(0)
		}
	}, finding.Void, "and the launches of both drift: TTFT p50 at concurrency=8 by +1."},
}

func anHourBefore(_ int, s *bundle.LaunchStart) {
	s.Wall, s.Nodes = s.Wall.Add(-time.Hour), []string{"gpu-07"}
}

// slowing makes every launch slower than the one before it, counted from some number
// on.
func slowing(from int) func(int, *record.Request, *[]record.Chunk) {
	return creeping(.02, from)
}

func creeping(by float64, from int) func(int, *record.Request, *[]record.Chunk) {
	return func(launch int, r *record.Request, events *[]record.Chunk) {
		slower(r, *events, by*float64(from+launch))
	}
}

// The other checks of integrity have nothing against a clean run that is held
// against another one of the same system.
func TestIntegrityOfACleanPair(t *testing.T) {
	s := clean()
	s.against = func(*scene) {}
	for _, c := range integrity {
		if c.Applies != nil && !c.Applies(s.facts(t)) {
			continue
		}
		answer := c.Run(s.facts(t))
		worse := slices.ContainsFunc(answer.Findings, func(f finding.Finding) bool { return f.Severity != finding.Note })
		if worse || answer.Missing != "" {
			t.Errorf("%s: %+v", c.ID, answer)
		}
	}
}

// Several tokens to an event are no inflated count, and neither is the token that
// ends an answer.
func TestHonestUsage(t *testing.T) {
	for name, s := range map[string]Surplus{
		"packed":         {Answers: 100, Least: 3, Most: 40, Fewest: 6, Longest: 80},
		"equally long":   {Answers: 100, Least: 12, Most: 12, Fewest: 16, Longest: 16},
		"the last token": {Answers: 100, Least: 1, Most: 1, Fewest: 6, Longest: 80},
		"one too long":   {Bounded: 400, Beyond: 1},
	} {
		if got := inflated(s); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What people write in papers is rounded, and shortened to the unit they think in.
func TestScaleOf(t *testing.T) {
	for ratio, want := range map[float64]string{1000: "thousandths of the unit", .001: "thousands of the unit", 60.3: "minutes, or per minute", 2: ""} {
		if _, got := scaleOf(ratio); got != want {
			t.Errorf("%v: %q, want %q", ratio, got, want)
		}
	}
}

// interrupted makes the scene one that was stopped in its third launch and resumed the
// day after, on machines that change altered.
func interrupted(change func(*bundle.Resumption)) func(*scene) {
	return func(s *scene) {
		s.small()
		s.spoil = func(f *Facts) {
			m := &f.Manifest
			r := bundle.Resumption{
				RunID: "earlier", Digest: "sha256:00", Stopped: sceneDay, Resumed: sceneDay.Add(22 * time.Hour), Launches: []int{0, 1},
				Repeated: []bundle.LaunchInfo{{Index: 2, Outcome: bundle.LaunchAborted}},
				Tool:     m.Tool, Environment: maps.Clone(m.Environment), TopologyDigest: m.TopologyDigest, Inputs: m.Inputs,
			}
			f.Plan.Run.Spec.Target.Server = nil
			if change != nil {
				change(&r)
			}
			m.Resumed = []bundle.Resumption{r}
		}
	}
}

// A run that was resumed on the same machines carries a caution and nothing worse.
func TestResumedElsewhereOnly(t *testing.T) {
	s := clean()
	interrupted(nil)(&s)
	for _, f := range resumed(s.facts(t)).Findings {
		if f.Severity == finding.Void {
			t.Errorf("void on unchanged machines: %s", f.Message)
		}
	}
}
