package spec

import (
	"time"

	"assay/unit"
)

// The scenarios of MLPerf LoadGen.
const (
	SingleStream = "single_stream"
	MultiStream  = "multi_stream"
	ServerLoad   = "server"
	Interactive  = "interactive"
	Offline      = "offline"
)

// MLPerf offers load as one of MLPerf LoadGen's scenarios does and judges it by
// that scenario's rules. What comes out is comparable in method; it is no MLPerf
// result, which takes a submission.
type MLPerf struct {
	// Which scenario: single_stream sends the next query when the last has
	// ended, multi_stream the same with several samples in a query, server and
	// interactive send at the Poisson times of load.rate, offline sends all
	// samples at once.
	Scenario string `json:"scenario" required:"true" enum:"mlperfScenarios"`

	// The published benchmark whose latency limits and number of samples apply
	// where none are given here.
	Benchmark string `json:"benchmark,omitzero" enum:"mlperfBenchmarks" use:"implies"`

	// The shortest valid test.
	MinDuration unit.Duration `json:"minDuration,omitzero" default:"10m" above:"0s" max:"30d"`

	// The fewest queries of a valid test. By default what early stopping needs at
	// the scenario's percentile: 64 for single_stream, 662 for multi_stream, 459
	// for server and interactive; 1 for offline.
	MinQueries int `json:"minQueries,omitzero" min:"1" max:"1000000000"`

	// The samples of one query: 1, in multi_stream 8, in offline 24576 or as many
	// as the benchmark has.
	Samples int `json:"samples,omitzero" min:"1" max:"10000000"`

	// The percentile that is estimated or must keep its limit: 90 for
	// single_stream, 99 for the others.
	Percentile float64 `json:"percentile,omitzero" above:"0" below:"100"`

	// server and interactive: the limit of the time to the first token.
	MaxTTFT unit.Duration `json:"maxTTFT,omitzero" above:"0s" max:"30d"`

	// server and interactive: the limit of the time per output token after it.
	MaxTPOT unit.Duration `json:"maxTPOT,omitzero" above:"0s" max:"30d"`

	// The longest test of single_stream and multi_stream, which else go on until
	// both minima are reached. 0s means no limit.
	MaxDuration unit.Duration `json:"maxDuration" min:"0s" max:"30d"`
}

// Arrives reports whether queries of the scenario arrive at a rate.
func (m *MLPerf) Arrives() bool { return m.Scenario == ServerLoad || m.Scenario == Interactive }

// A publishedBenchmark is one of MLPerf Inference: its limits in milliseconds at the
// 99th percentile and its samples, from mlperf.conf 6.0.17. Zero means that it
// has no such scenario.
type publishedBenchmark struct {
	name                                               string
	serverTTFT, serverTPOT, interactiveTTFT, interTPOT int
	samples                                            int
}

var publishedBenchmarks = []publishedBenchmark{
	{"llama2-70b", 2000, 200, 450, 40, 24576},
	{"llama3_1-405b", 6000, 175, 4500, 80, 8313},
	{"llama3_1-8b", 2000, 100, 500, 30, 13368},
	{"mixtral-8x7b", 2000, 200, 0, 0, 15000},
	{"deepseek-r1", 2000, 80, 1500, 15, 4388},
	{"gpt-oss-120b", 3000, 80, 2000, 15, 6396},
}

func publishedNames() []string {
	var names []string
	for _, p := range publishedBenchmarks {
		names = append(names, p.name)
	}
	return names
}

// The fewest queries from which LoadGen's early stopping says anything: one over
// the limit for an estimate, none for a limit that is kept.
var earlyQueries = map[string]int{SingleStream: 64, MultiStream: 662, ServerLoad: 459, Interactive: 459, Offline: 1}

func deriveMLPerf(s *RunSpec, note func(string, any)) {
	if s.Load == nil || s.Load.MLPerf == nil {
		return
	}
	const path = "spec.load.mlperf."
	m := s.Load.MLPerf
	var found publishedBenchmark
	for _, p := range publishedBenchmarks {
		if p.name == m.Benchmark {
			found = p
		}
	}
	ms := func(n int) unit.Duration { return unit.Duration(time.Duration(n) * time.Millisecond) }
	percentile, samples := 99.0, 1
	switch m.Scenario {
	case SingleStream:
		percentile = 90
	case MultiStream:
		samples = 8
	case Offline:
		samples = 24576
		if found.samples > 0 {
			samples = found.samples
		}
	case ServerLoad:
		setValue(&m.MaxTTFT, ms(found.serverTTFT), path+"maxTTFT", note)
		setValue(&m.MaxTPOT, ms(found.serverTPOT), path+"maxTPOT", note)
	case Interactive:
		setValue(&m.MaxTTFT, ms(found.interactiveTTFT), path+"maxTTFT", note)
		setValue(&m.MaxTPOT, ms(found.interTPOT), path+"maxTPOT", note)
	}
	setValue(&m.Percentile, percentile, path+"percentile", note)
	setValue(&m.Samples, samples, path+"samples", note)
	setValue(&m.MinQueries, earlyQueries[m.Scenario], path+"minQueries", note)
}

// mlperfAgrees wants a scenario to have the only say about the load.
func mlperfAgrees(c *checker) {
	l := c.run.Spec.Load
	if l == nil || l.MLPerf == nil || c.anyUnread("spec.load") {
		return
	}
	const path = "spec.load.mlperf"
	m := l.MLPerf
	open := c.run.Spec.Workload.ConcurrencyModel == OpenLoop
	switch {
	case m.Arrives() && !open:
		c.fail("spec.workload.concurrencyModel", "must be "+OpenLoop+" for scenario "+m.Scenario)
	case !m.Arrives() && open:
		c.fail("spec.workload.concurrencyModel", "must be "+ClosedLoop+" for scenario "+m.Scenario)
	}
	if m.Arrives() {
		mlperfServer(c, l)
	} else {
		mlperfQueries(c, l)
	}
	for _, other := range []struct {
		name    string
		written bool
	}{{"stages", l.Stages != nil}, {"traceRef", l.TraceRef != ""}, {"requests", l.Requests != 0}, {"cancel", l.Cancel != nil}} {
		if other.written {
			c.fail("spec.load."+other.name, "cannot be combined with mlperf")
		}
	}
	if l.Stream != nil && !*l.Stream && m.Arrives() {
		c.fail("spec.load.stream", "must be true: scenario "+m.Scenario+" limits the first token")
	}
	if m.Samples != 1 && (m.Scenario == SingleStream || m.Arrives()) {
		c.fail(path+".samples", "must be 1 for scenario "+m.Scenario)
	}
}

func mlperfServer(c *checker, l *Load) {
	const path = "spec.load.mlperf"
	m := l.MLPerf
	if len(l.Rate) == 0 {
		c.failGot("spec.load.rate", "nothing", "scenario "+m.Scenario+" needs a rate")
	}
	if l.Arrival != ArrivalPoisson && l.Arrival != "" {
		c.fail("spec.load.arrival", "must be poisson for scenario "+m.Scenario)
	}
	if m.MaxTTFT == 0 || m.MaxTPOT == 0 {
		c.failGot(path, "no maxTTFT or maxTPOT", "scenario "+m.Scenario+" needs both, or a benchmark that has them")
	}
	if m.MaxDuration != 0 {
		c.fail(path+".maxDuration", "belongs to single_stream and multi_stream")
	}
}

func mlperfQueries(c *checker, l *Load) {
	const path = "spec.load.mlperf"
	m := l.MLPerf
	for _, other := range []struct {
		name    string
		written bool
	}{{"concurrency", l.Concurrency != nil}, {"thinkTime", l.ThinkTime != 0}, {"prefillConcurrency", l.PrefillConcurrency != 0}, {"cooldown", l.Cooldown != 0}} {
		if other.written {
			c.fail("spec.load."+other.name, "scenario "+m.Scenario+" decides how queries follow each other")
		}
	}
	if m.MaxTTFT != 0 || m.MaxTPOT != 0 {
		c.fail(path, "maxTTFT and maxTPOT belong to server and interactive")
	}
	if m.MaxDuration != 0 && m.MaxDuration < m.MinDuration {
		c.fail(path+".maxDuration", "must not be below minDuration")
	}
	if m.Scenario == Offline && l.Warmup != nil && *l.Warmup != (Warmup{}) {
		c.fail("spec.load.warmup", "the one query of scenario offline has no warm-up")
	}
	if m.Scenario == Offline && m.MinQueries != 1 {
		c.fail(path+".minQueries", "must be 1: scenario offline is one query of many samples")
	}
}
