package bench

import (
	"math"
	"strconv"

	"assay/spec"
	"assay/unit"
)

// A sweep is what is measured where nobody says what.
type sweep struct{ users, batchSizes []int }

var (
	// shortSweep answers "how fast is my server" in a few minutes: from a server that
	// one user has to itself to one that is busy.
	shortSweep = sweep{[]int{1, 4, 16, 64}, []int{1, 8, 48}}

	// genaiSweep is genai-bench's own.
	genaiSweep = sweep{[]int{1, 2, 4, 8, 16, 32, 64, 128, 256}, []int{1, 2, 4, 8, 24, 48, 96}}
)

// sweep is the one that stands in for what was not given.
func (m *maker) sweep() sweep {
	if m.v.text("genai-bench-sweep") != "" {
		return genaiSweep
	}
	return shortSweep
}

// How long a point is measured where nobody says how long, and how long a quick look
// takes at it.
const (
	usualTime   = unit.Duration(30_000_000_000)
	quickTime   = unit.Duration(10_000_000_000)
	quickWarmup = unit.Duration(2_000_000_000)
)

// countedTime is how long a point may take that only a number of requests ends.
const countedTime = "30m"

// load says how much is asked, how fast and how often.
func (m *maker) load() {
	l, w := m.run.Spec.Load, &m.run.Spec.Workload
	batches := w.Prompt.Task == spec.TextToEmbeddings || w.Prompt.Task == spec.TextToRerank
	rates, users := m.rates("rate"), m.counts("num-concurrency")
	asked := len(m.v.list("rate"))+len(m.v.list("num-concurrency")) > 0
	switch {
	case len(rates) > 0 && len(users) > 0:
		m.fail("--rate: got it beside --num-concurrency, want one of them: requests leave on a schedule, or when an answer has come")
	case len(rates) > 0:
		w.ConcurrencyModel, l.Rate = spec.OpenLoop, rates
		l.Arrival = m.oneOf("arrival", spec.ArrivalPoisson, spec.ArrivalConstant, spec.ArrivalGamma)
		if text := m.v.text("burstiness"); text != "" {
			l.Burstiness = m.number("burstiness", text)
		}
	default:
		if m.v.text("arrival") != "" || m.v.text("burstiness") != "" {
			m.fail("--arrival, --burstiness: got no --rate, want one: they belong to an open loop")
		}
		l.Concurrency = users
	}
	if !asked {
		l.Concurrency = m.sweep().users
		if batches {
			l.Concurrency = []int{1}
		}
	}
	sizes := m.counts("batch-size")
	switch {
	case batches && w.Prompt.Dataset == nil:
		l.BatchSizes = sizes
		if len(sizes) == 0 {
			l.BatchSizes = m.sweep().batchSizes
		}
		if len(users) > 0 && (len(users) > 1 || users[0] != 1) {
			m.note("--num-concurrency is measured beside batch sizes; genai-bench asks %s with one user whatever it says", w.Prompt.Task)
		}
	case len(sizes) > 0 && batches:
		m.note("--batch-size does nothing beside a data set: each of its rows is a request")
	case len(sizes) > 0:
		m.note("--batch-size does nothing for %s, as in genai-bench", w.Prompt.Task)
	}
	m.limits()
	m.launches()
}

// limits says how long a point lasts. genai-bench cuts shares of the requests
// from both ends of a run and keeps their time in its rates; here the first share
// is sent as warm-up, before the window, and the last is not sent at all.
func (m *maker) limits() {
	l := m.run.Spec.Load
	l.Requests = int(m.whole("max-requests-per-run"))
	if m.v.text("max-requests-per-run") != "" && l.Requests == 0 {
		m.fail("--max-requests-per-run: got %q, want a whole number above zero", m.v.text("max-requests-per-run"))
	}
	l.Duration = m.duration()
	warm, cool := m.share("warmup-ratio"), m.share("cooldown-ratio")
	if warm+cool >= 1 {
		m.fail("--warmup-ratio, --cooldown-ratio: got %g and %g, want less than 1 together: nothing would be left to measure", warm, cool)
	}
	switch {
	case m.v.text("warmup") != "" && m.v.text("warmup-ratio") != "":
		m.fail("--warmup: got it beside --warmup-ratio, want one of them")
	case m.v.text("warmup") != "":
		l.Warmup = &spec.Warmup{Duration: m.time("warmup")}
	case m.v.text("warmup-ratio") != "":
		l.Warmup = &spec.Warmup{Duration: part(l.Duration, warm), Requests: int(warm * float64(l.Requests))}
		if warm > 0 {
			m.note("--warmup-ratio %g: that share is sent before the window and neither its requests nor its time count; genai-bench leaves out the requests and keeps their time", warm)
		}
	case m.v.text("quick") != "":
		l.Warmup = &spec.Warmup{Duration: quickWarmup}
	}
	if cool > 0 {
		m.note("--cooldown-ratio %g: that share is not sent; load goes on until the last measured answer, so that the window ends under load", cool)
	}
	l.Duration = part(l.Duration, 1-warm-cool)
	if l.Requests > 0 {
		l.Requests = max(1, int(math.Round(float64(l.Requests)*(1-warm-cool))))
	}
}

// part is a share of a time, to the millisecond.
func part(d unit.Duration, share float64) unit.Duration {
	const millisecond = 1_000_000
	return unit.Duration(math.Round(float64(d)*share/millisecond)) * millisecond
}

// duration is how long a point is measured: minutes, as genai-bench has it, or a
// duration.
func (m *maker) duration() unit.Duration {
	own, asked := m.v.text("duration"), m.v.text("max-time-per-run")
	switch {
	case own != "" && asked != "":
		m.fail("--duration: got it beside --max-time-per-run, want one of them")
	case own != "":
		return m.time("duration")
	case asked != "":
		if minutes, err := strconv.Atoi(asked); err == nil && minutes > 0 {
			return unit.Duration(minutes) * 60_000_000_000
		}
		return m.time("max-time-per-run")
	case m.run.Spec.Load.Requests > 0:
		m.chose("a point ends after %s at the latest (--duration)", countedTime)
		d, _ := unit.ParseDuration(countedTime)
		return d
	}
	if m.v.text("quick") != "" {
		return quickTime
	}
	return usualTime
}

// time is a duration that an option gives.
func (m *maker) time(name string) unit.Duration {
	d, err := unit.ParseDuration(m.v.text(name))
	switch {
	case err != nil && name == "max-time-per-run":
		m.fail("--%s: got %q, want whole minutes or a duration such as 90s", name, m.v.text(name))
	case err != nil:
		m.fail("--%s: got %q, want a duration such as 90s", name, m.v.text(name))
	}
	return d
}

// share is a part of a run that an option gives.
func (m *maker) share(name string) float64 {
	text := m.v.text(name)
	if text == "" {
		return 0
	}
	share := m.number(name, text)
	if share < 0 || share >= 1 {
		m.fail("--%s: got %s, want a share from 0 to below 1", name, text)
		return 0
	}
	return share
}

// leastLaunches is the fewest that a spread can be told from.
const leastLaunches = 3

// launches says how often all of it is repeated.
func (m *maker) launches() {
	n := int(m.whole("launches"))
	m.run.Spec.Trials.Quick = m.v.text("quick") != ""
	switch {
	case m.v.text("launches") == "":
	case m.run.Spec.Trials.Quick:
		m.fail("--launches: got it beside --quick, which makes one launch: want one of them")
	case n < leastLaunches:
		m.fail("--launches: got %d, want at least %d: intervals are made from the spread between launches, and one or two show none; --quick makes one", n, leastLaunches)
	}
	if n == 0 {
		n = leastLaunches
	}
	m.run.Spec.Trials.MinReplicates = n
	if m.run.Spec.Seed = m.whole("seed"); m.run.Spec.Seed == 0 && m.v.NewSeed != nil {
		m.run.Spec.Seed, m.run.Spec.SeedDrawn = m.v.NewSeed(), true // else a second run would ask what the server's cache knows
	}
}
