package claim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// sound is the evidence of a publication-grade run that nothing can be said
// against: five launches of 400 requests at eight users.
func sound() Evidence {
	five := func(v float64, n int) (list []metric.LaunchValue) {
		for i := range 5 {
			list = append(list, metric.LaunchValue{Launch: i, Value: v * (1 + .001*float64(i-2)), N: n})
		}
		return list
	}
	row := func(m metric.Metric, statistic string, v float64) metric.Row {
		cv := .0016
		return metric.Row{
			Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Better: m.Better, CV: &cv, PerLaunch: five(v, 400),
			Estimate: stats.Estimate{Value: v, Interval: stats.Interval{Lo: .98 * v, Hi: 1.02 * v}, Confidence: .95, N: 5, Method: stats.MeanMethod},
		}
	}
	throughput := row(metric.OutputThroughput, "value", 18240)
	throughput.PerLaunch = five(18240, 1)
	env := record.Environment{}
	env.Set("gpu.0.model", "H200")
	env.Set("server.engine", "vllm")
	env.Set("server.version", "0.11")
	s := spec.RunSpec{
		Intent:   spec.Intent{BenchmarkClass: spec.PublicationGrade, Headline: spec.HeadlineLatency},
		Workload: spec.Workload{Model: "m", Precision: "bf16", SequenceLengthMix: []spec.SequenceLength{{InputTokens: 512, OutputTokens: 128, Weight: 1}}, ConcurrencyModel: "closed_loop"},
		Target:   &spec.Target{API: "openai-chat", Server: &spec.Server{Command: []string{"vllm"}, Restart: spec.RestartLaunch}},
		Trials:   spec.Trials{MinReplicates: 5, ConfidenceLevel: .95},
		SLO:      []spec.Objective{{Metric: "ttft", Percentile: 99, Max: unit.Duration(300 * time.Millisecond)}},
	}
	return Evidence{
		Manifest: bundle.Manifest{RunID: "r", PlanDigest: "sha256:0123456789abcdef", Environment: env, Inputs: bundle.Inputs{Model: &bundle.Input{Name: "m", Digest: "sha256:1"}, Seeds: map[string]string{"run": "7"}}},
		Status:   bundle.Completed, Signed: true,
		Plan: plan.Plan{Run: spec.Run{Spec: s}, Points: []plan.Point{{Name: "concurrency=8", Concurrency: 8, Duration: unit.Duration(time.Minute)}}},
		Estimates: metric.Estimates{Confidence: .95, Launches: []int{0, 1, 2, 3, 4}, Rows: []metric.Row{
			throughput, row(metric.TTFT, "p50", .1), row(metric.TTFT, "p99", .2), row(metric.ErrorRate, "value", 0), row(metric.EnergyPerRequest, "value", 40),
		}},
		Client: metric.Client{Bounds: &metric.Bounds{TTFT: metric.Bound{Seconds: 1e-4, Statistic: "p99"}, Gap: metric.Bound{Seconds: 1e-5, Statistic: "p99"}}},
	}
}

// The interval of launches that were made within a day is called that of the sitting.
func TestSittingIsNamed(t *testing.T) {
	e := sound()
	for _, tt := range []struct {
		apart time.Duration
		want  bool
	}{{time.Hour, true}, {48 * time.Hour, false}} {
		from := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		e.Manifest.Launches = []bundle.LaunchInfo{{Started: from}, {Index: 1, Started: from.Add(tt.apart)}}
		c := Make(e, "test").Claims[0]
		if said := strings.Contains(c.Sentence, "95 % for this sitting,"); said != tt.want || c.OneSitting != tt.want {
			t.Errorf("launches %s apart: one sitting %v, want %v: %s", tt.apart, c.OneSitting, tt.want, c.Sentence)
		}
	}
}

// A p99 of ten launches is published, of five it is not, and what needs no tail is.
func TestTailsArePublishedOfTen(t *testing.T) {
	e := sound()
	graded := func(launches int) (published []string) {
		for i := range e.Estimates.Rows {
			row := &e.Estimates.Rows[i]
			for len(row.PerLaunch) < launches {
				row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: len(row.PerLaunch), Value: row.PerLaunch[0].Value, N: row.PerLaunch[0].N})
			}
		}
		for _, c := range Make(e, "test").Claims {
			if strings.Contains(c.Sentence, "publication grade") {
				published = append(published, c.Metric+" "+c.Statistic)
			}
		}
		return published
	}
	if five := graded(5); len(five) != 1 || five[0] != metric.EnergyPerRequest.ID+" value" {
		t.Errorf("of five launches %v are published, want energy alone", five)
	}
	if ten := graded(10); len(ten) != 4 {
		t.Errorf("of ten launches %v are published, want all four", ten)
	}
}

func TestSentence(t *testing.T) {
	c := Make(sound(), "test")
	if c.Grade != Publication || len(c.Downgrades) != 0 {
		t.Errorf("grade %s, downgrades %v; want publication", c.Grade, c.Downgrades)
	}
	if len(c.Claims) != 4 {
		t.Fatalf("%d claims, want throughput, both TTFT and energy: %+v; refused %+v", len(c.Claims), c.Claims, c.Refused)
	}
	want := "output throughput 18240 tok/s [17875, 18605], at p99 TTFT ≤ 300ms, concurrency=8 (closed loop, 1m measured), model m, precision bf16, 512 in/128 out tokens, " +
		"openai-chat of vllm 0.11, server started anew for each launch, 1 × H200, errors 0 % [0, 0], client error ≤ 100 µs on TTFT and ≤ 10.0 µs on gaps (p99), open division, " +
		"mean of 5 launches (their median 18240 tok/s), 95 %, realism grade: a p99 is published of 10 launches or more."
	if got := c.Claims[0].Sentence; got != want {
		t.Errorf("sentence\n got %s\nwant %s", got, want)
	}
	if got := c.Claims[1]; got.Statistic != "p50" || !strings.Contains(got.Sentence, "with p99 TTFT 200 ms [196, 204]") || got.Requests != 400 {
		t.Errorf("a median must carry its tail: %+v", got)
	}
	for _, a := range c.Checklist {
		if missing := strings.Contains(a.Answer, "missing"); missing == a.Answered {
			t.Errorf("%s answered %v: %s", a.Question, a.Answered, a.Answer)
		}
	}
}

// Whatever spoils the evidence is refused or lowers the grade, and says why.
func TestRefusals(t *testing.T) {
	long := stats.Unbounded
	tests := []struct {
		name   string
		spoil  func(*Evidence)
		grade  Grade
		claims int
		want   string // in a refusal or a downgrade
	}{
		{"unsigned", func(e *Evidence) { e.Signed = false }, Realism, 4, "nobody signed"},
		{"no headline was chosen", func(e *Evidence) { e.Plan.Run.Spec.Intent.Headline = "" }, Realism, 4, "did not choose what to lead with"},
		{"a server that all launches share", func(e *Evidence) { e.Plan.Run.Spec.Target.Server.Restart = spec.RestartRun }, Realism, 4, "launches share one server process: the target"},
		{"a server that others started", func(e *Evidence) { e.Plan.Run.Spec.Target.Server = nil }, Realism, 4, "launches share one server process"},
		{"a forbidding check was not made", func(e *Evidence) {
			e.Audit.Results = []lint.Result{{Check: "throttling", Severity: finding.Void, State: lint.NotChecked, Missing: "GPU clocks"}}
		}, Realism, 4, "throttling (GPU clocks is missing)"},
		{"neighbours", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: lint.NoisyNeighbours.ID, Severity: finding.Caution, Message: "launch 1: CPU contention (PSI) 99.0 %"}}
		}, Realism, 4, "noisy-neighbours: launch 1: CPU contention (PSI) 99.0 %"},
		{"shared nodes", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: lint.SharedNodes.ID, Severity: finding.Caution, Message: "not exclusive"}}
		}, Realism, 4, "shared-nodes: not exclusive"},
		{"isolation that nobody could look at", func(e *Evidence) {
			e.Audit.Results = []lint.Result{{Check: lint.NoisyNeighbours.ID, Severity: finding.Caution, State: lint.NotChecked, Missing: "samples"}}
		}, Realism, 4, "not checked: noisy-neighbours (samples is missing)"},
		{"void", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: "survivor-bias", Severity: finding.Void, Message: "4 % refused", Fix: "count them"}}
		}, Exploratory, 0, "survivor-bias: 4 % refused"},
		{"aborted", func(e *Evidence) { e.Status = bundle.Aborted }, Exploratory, 0, "the run is aborted"},
		{"too few launches", func(e *Evidence) { e.Estimates.Launches = []int{0, 1} }, Exploratory, 4, "2 completed launches, 5 declared"},
		{"nothing completed", func(e *Evidence) { e.Estimates.Launches = nil }, Exploratory, 0, "no launch was completed"},
		{"client never measured", func(e *Evidence) { e.Client.Bounds = nil }, Exploratory, 4, "own error was not measured"},
		{"limit missed", func(e *Evidence) { e.Estimates.Rows[2].Interval.Hi = .31 }, Publication, 3, "whether p99 TTFT ≤ 300ms holds is not certain: 200 ms [196, 310]"},
		{"limit broken", func(e *Evidence) { e.Estimates.Rows[2].Interval = stats.Interval{Lo: .31, Hi: .33} }, Publication, 3, "p99 TTFT ≤ 300ms does not hold"},
		{"limit uncertain", func(e *Evidence) { e.Estimates.Rows[2].Interval = long }, Publication, 1, "whether p99 TTFT ≤ 300ms holds is not certain"},
		{"no interval", func(e *Evidence) {
			e.Estimates.Rows[4].Interval, e.Estimates.Rows[4].Warnings = long, []string{"one replicate"}
		}, Publication, 3, "one replicate"},
		{"too wide", func(e *Evidence) { e.Estimates.Rows[4].Interval = stats.Interval{Lo: 10, Hi: 70} }, Publication, 3, "40.0 J [10.0, 70.0] is too uncertain: ± 75 %"},
		{"two launches", func(e *Evidence) { e.Estimates.Rows[4].PerLaunch = e.Estimates.Rows[4].PerLaunch[:2] }, Publication, 3, "2 launches: the spread"},
		{"a client too coarse for the median", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: "client-error", Severity: finding.Void, Message: "30 % of the p50 of TTFT",
				Scope: finding.Scope{Subject: finding.Speed, Metrics: []string{metric.TTFT.ID}, Statistics: []string{"p50"}}}}
		}, Publication, 3, "client-error: 30 % of the p50 of TTFT"},
		{"rates of a client that was late", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: "client-limit", Severity: finding.Void, Message: "late",
				Scope: finding.Scope{Subject: finding.Speed, Metrics: []string{metric.OutputThroughput.ID}, Points: []string{"concurrency=8"}}}}
		}, Publication, 3, "client-limit: late"},
		{"nothing of the accuracy", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: "no-score", Severity: finding.Void, Message: "nothing parsed", Scope: finding.Scope{Subject: finding.Accuracy}}}
		}, Exploratory, 4, "no-score: nothing parsed"},
		{"queue grew", func(e *Evidence) {
			e.Audit.Findings = []finding.Finding{{Check: lint.OverSaturation.ID, Severity: finding.Void, Message: "concurrency=8, launch 1: the queue grew",
				Scope: finding.Scope{Points: []string{"concurrency=8"}, Metrics: []string{metric.TTFT.ID}}}}
		}, Publication, 1, "the queue grew"},
		{"no limit and no tail", func(e *Evidence) {
			e.Plan.Run.Spec.SLO, e.Estimates.Rows[2].Interval = nil, long
		}, Publication, 1, "quoted only with its tail latency"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := sound()
			tt.spoil(&e)
			c := Make(e, "test")
			if c.Grade != tt.grade || len(c.Claims) != tt.claims {
				t.Errorf("grade %s with %d claims, want %s with %d: %+v", c.Grade, len(c.Claims), tt.grade, tt.claims, c.Refused)
			}
			said := strings.Join(c.Downgrades, "\n")
			for _, r := range c.Refused {
				said += "\n" + r.Reason
			}
			if !strings.Contains(said, tt.want) {
				t.Errorf("said %q, want %q in it", said, tt.want)
			}
		})
	}
}

// What an import does not tell is not claimed of it, and lengths are said as they
// are.
func TestChecklistSaysWhatIsThere(t *testing.T) {
	e := sound()
	e.Manifest.Source = &bundle.Source{Tool: "genai-bench", Unknown: []bundle.Gap{{ID: bundle.GapSeed, Detail: "there is no seed"}}}
	if got := reproducible(e); got.Answered || strings.Contains(got.Answer, "with every seed") || !strings.Contains(got.Answer, "missing: the seeds") {
		t.Errorf("an import without a seed: %q", got.Answer)
	}
	for scenario, want := range map[string]string{
		"D(100,100)": "fixed lengths", "E(64)": "fixed lengths", "N(480,240)/(300,150)": "lengths that vary", "U(50,100)": "lengths that vary", "dataset": "lengths that vary",
	} {
		e.Plan.Run.Spec.Workload.Prompt.Scenario = scenario
		if got := load(e).Answer; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", scenario, got, want)
		}
	}
	e.Plan.Run.Spec.Workload.Prompt.Scenario = ""
	e.Plan.Run.Spec.Workload.SequenceLengthMix = append(e.Plan.Run.Spec.Workload.SequenceLengthMix, spec.SequenceLength{InputTokens: 64, OutputTokens: 8, Weight: 1})
	if got := load(e).Answer; !strings.Contains(got, "a mix of 2 lengths") {
		t.Errorf("two lengths: %q", got)
	}
}

// Cautions travel with every sentence.
func TestCautionsStayWithClaims(t *testing.T) {
	e := sound()
	e.Audit.Findings = []finding.Finding{{Check: "client-limit", Severity: finding.Caution, Message: "busy"}}
	for _, c := range Make(e, "test").Claims {
		if !strings.HasSuffix(c.Sentence, "with caution: client-limit.") {
			t.Errorf("the caution is lost in %q", c.Sentence)
		}
	}
}

// A price stands beside the throughput that it was reached at, or is not quoted.
func TestPrice(t *testing.T) {
	e := sound()
	price, rate := e.Estimates.Rows[4], e.Estimates.Rows[4]
	price.Metric, price.Name, price.Unit = metric.CostPerRequest.ID, metric.CostPerRequest.Name, metric.CostPerRequest.Unit
	e.Estimates.Rows = append(e.Estimates.Rows, price)
	c := Make(e, "test")
	if said := c.Refused; len(said) != 1 || !strings.Contains(said[0].Reason, "only with the throughput") {
		t.Errorf("a price without a throughput: %+v", said)
	}
	rate.Metric, rate.Name, rate.Unit = metric.RequestThroughput.ID, metric.RequestThroughput.Name, metric.RequestThroughput.Unit
	e.Estimates.Rows = append(e.Estimates.Rows, rate)
	for _, one := range Make(e, "test").Claims {
		if one.Metric == price.Metric && strings.Contains(one.Sentence, "at the declared prices, with 40.0 req/s [39.2, 40.8]") {
			return
		}
	}
	t.Error("a price with its throughput is not claimed")
}

// A goodput of nothing is a limit that was missed.
func TestNoGoodput(t *testing.T) {
	e := sound()
	e.Plan.Run.Spec.SLO = nil
	row := e.Estimates.Rows[4]
	row.Metric, row.Name, row.Unit, row.Value, row.Interval = metric.Goodput.ID, metric.Goodput.Name, metric.Goodput.Unit, 0, stats.Interval{}
	e.Estimates.Rows = []metric.Row{row}
	if c := Make(e, "test"); len(c.Claims) != 0 || !strings.Contains(c.Refused[0].Reason, "no request kept the limits") {
		t.Errorf("%+v, want a refusal", c)
	}
}

// A run of which no sentence can be made says so, and what to do instead.
func TestNoSentence(t *testing.T) {
	e := sound()
	e.Estimates.Rows = nil
	if c := Make(e, "test"); len(c.Claims) != 0 || len(c.Refused) != 1 || c.Refused[0].ToDo == "" || !strings.Contains(c.Refused[0].Reason, "this run has none of them") {
		t.Errorf("%+v, want one refusal with its reason", c)
	}
}

// The claim that the spec chose before the run is marked, and a throughput says when
// nothing limits the latency that it was reached at.
func TestHeadline(t *testing.T) {
	two := func(headline string, slo bool) Evidence {
		e := sound()
		e.Plan.Run.Spec.Intent.Headline = headline
		e.Plan.Points = append(e.Plan.Points, plan.Point{Index: 1, Name: "concurrency=16", Concurrency: 16, Duration: unit.Duration(time.Minute)})
		for _, row := range e.Estimates.Rows {
			row.Point = 1
			e.Estimates.Rows = append(e.Estimates.Rows, row)
		}
		if !slo {
			e.Plan.Run.Spec.SLO = nil
		}
		return e
	}
	backwards := false // the levels of the load, as the spec lists them
	f := func(headline string, slo bool, metric, point, with string) {
		t.Helper()
		e := two(headline, slo)
		if backwards {
			slices.Reverse(e.Plan.Points)
		}
		var marked []Claim
		for _, c := range Make(e, "test").Claims {
			if c.Headline {
				marked = append(marked, c)
			}
		}
		if metric == "" && len(marked) == 0 {
			return
		}
		if len(marked) != 1 || marked[0].Metric != metric || marked[0].Point != point || !strings.Contains(marked[0].Sentence, with) {
			t.Errorf("headline %q, objectives %v: %+v; want %s at %s with %q", headline, slo, marked, metric, point, with)
		}
	}
	f("", true, "", "", "")
	f(spec.HeadlineThroughput, true, "output_throughput.v1", "concurrency=8", "at p99 TTFT ≤ 300ms")
	f(spec.HeadlineThroughput, false, "output_throughput.v1", "concurrency=8", "without a latency constraint")
	for _, backwards = range []bool{false, true} {
		f(spec.HeadlineLatency, true, "ttft.v2", "concurrency=16", "concurrency=16 (closed loop")
		f(spec.HeadlineLatency, false, "ttft.v2", "concurrency=8", "concurrency=8 (closed loop")
	}
}

// Where the load to lead with has no latency that may be quoted, the sentence of the next
// one says so; where the finding forbids the limit itself, that load keeps nothing.
func TestHeadlineOfAnotherLoad(t *testing.T) {
	f := func(statistic, want string) {
		t.Helper()
		e := sound()
		e.Plan.Points = append(e.Plan.Points, plan.Point{Index: 1, Name: "concurrency=16", Concurrency: 16, Duration: unit.Duration(time.Minute)})
		for _, row := range e.Estimates.Rows {
			row.Point = 1
			e.Estimates.Rows = append(e.Estimates.Rows, row)
		}
		e.Audit.Findings = []finding.Finding{{
			Check: "client-error", Severity: finding.Void, Message: "too coarse",
			Scope: finding.Scope{Points: []string{"concurrency=16"}, Metrics: []string{metric.TTFT.ID}, Statistics: []string{statistic}},
		}}
		for _, c := range Make(e, "test").Claims {
			if c.Headline && (c.Point != "concurrency=8" || !strings.HasSuffix(c.Sentence, want)) {
				t.Errorf("with %s forbidden the headline is %q, want %q at its end", statistic, c.Sentence, want)
			}
		}
	}
	f("p50", ", in place of p50 TTFT at concurrency=16, which is refused.")
	f("p99", "10 launches or more.")
}

// The checklist of reproducibility names every item, and those that are missing.
func TestReproducible(t *testing.T) {
	known := func(e Evidence) map[string]bool {
		m := map[string]bool{}
		for _, i := range reproducible(e).Items {
			if i.Value == "" {
				t.Errorf("%s says nothing", i.Name)
			}
			m[i.Name] = i.Known
		}
		return m
	}
	e := sound()
	if got := known(e); !got["the hardware"] || !got["the engine's image or version"] || !got["a signature"] || !got["the variance across launches"] {
		t.Errorf("items %v of a sound run", got)
	}
	e.Signed, e.Plan.Run.Spec.Target.Server, e.Plan.Run.Spec.Target.URL = false, nil, "http://gpu.example:8000"
	if got := known(e); got["the hardware"] || got["a signature"] {
		t.Errorf("items %v of an unsigned run of hardware that nobody declared", got)
	}
	e.Plan.Run.Spec.Target.System = spec.System{GPUType: "H100", GPUCount: 8}
	if got := known(e); !got["the hardware"] {
		t.Errorf("declared hardware is not known: %v", got)
	}
}

// A number of which the client may have made a twentieth says so in its sentence, as does
// the tail beside another.
func TestWeakClaims(t *testing.T) {
	e := sound()
	e.Client.Bounds.TTFT.Usual = .012
	for _, c := range Make(e, "test").Claims {
		if weak := c.Metric == metric.TTFT.ID && c.Statistic == "p50"; weak != (c.Weak != "") {
			t.Errorf("%s of %s: weak %q", c.Statistic, c.Metric, c.Weak)
		} else if weak && !strings.Contains(c.Sentence, "of which up to 12.0 ms (12 %) may be the client's own delay, as a known stream shows") {
			t.Errorf("the weakness is lost in %q", c.Sentence)
		}
	}
	e.Client.Bounds.TTFT.Usual, e.Client.Bounds.TTFT.Seconds = 0, .02
	for _, c := range Make(e, "test").Claims {
		if c.Metric == metric.TTFT.ID && c.Statistic == "p50" && !strings.Contains(c.Sentence, "200 ms [196, 204] (of which up to 20.0 ms (10 %)") {
			t.Errorf("the weakness of the tail is lost in %q", c.Sentence)
		}
	}
}

// A tail that is forbidden stands beside nothing.
func TestVoidTail(t *testing.T) {
	e := sound()
	e.Plan.Run.Spec.SLO = nil
	e.Audit.Findings = []finding.Finding{{Check: "client-error", Severity: finding.Void, Message: "coarse",
		Scope: finding.Scope{Metrics: []string{metric.TTFT.ID}, Statistics: []string{"p99"}}}}
	for _, c := range Make(e, "test").Claims {
		if strings.Contains(c.Sentence, "p99 TTFT") {
			t.Errorf("a void tail is quoted in %q", c.Sentence)
		}
		if c.Metric == metric.TTFT.ID && !strings.Contains(c.Sentence, "its tail not known (client-error)") {
			t.Errorf("a median does not say that its tail is forbidden: %q", c.Sentence)
		}
	}
}
