package metric

import (
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// Declared is what the spec says and no record can tell: prices, power, what
// hardware and model can do, and the limits that a request must keep to be good.
type Declared struct {
	Cost   *spec.Cost
	Bounds *spec.Bounds
	Limits []Limit
	Train  *spec.Train
}

// A Limit is one objective of spec.slo that a single request keeps or misses.
type Limit struct {
	Metric string // as spec.slo names it

	// misses decides about one successful request, while its events are at hand.
	misses func(t *Timeline) bool
}

// declared is what the plan's spec says.
func declared(run spec.Run) *Declared {
	return &Declared{Cost: run.Spec.Cost, Bounds: run.Spec.Bounds, Limits: limitsOf(run), Train: run.Spec.Train}
}

// Limited reports whether spec.slo limits anything that a single request keeps or
// misses.
func Limited(run spec.Run) bool { return len(limitsOf(run)) > 0 }

// limitsOf gathers the limits of spec.slo, of two on one metric the tighter.
func limitsOf(run spec.Run) []Limit {
	most, least := map[string]unit.Duration{}, map[string]float64{}
	for _, o := range run.Spec.SLO {
		if have := most[o.Metric]; o.Max > 0 && (have == 0 || o.Max < have) {
			most[o.Metric] = o.Max
		}
		least[o.Metric] = max(least[o.Metric], o.Min)
	}
	var list []Limit
	add := func(name string, misses func(*Timeline) bool) { list = append(list, Limit{name, misses}) }
	for _, name := range limitable() {
		switch limit := most[name]; {
		case limit > 0 && name == "ttft":
			add(name, objective(plan.Objective{TTFT: limit}))
		case limit > 0 && name == "tpot":
			add(name, objective(plan.Objective{TPOT: limit}))
		case limit > 0 && name == "e2e":
			add(name, objective(plan.Objective{E2E: limit}))
		case limit > 0:
			add(name, beyond(name, func(v float64) bool { return v > limit.Seconds() }))
		case least[name] > 0:
			add(name, beyond(name, func(v float64) bool { return v < least[name] }))
		}
	}
	return list
}

// limitable are the names that spec.slo has for what each request has one of.
func limitable() []string {
	list := append([]string{"ttft", "tpot", "e2e"}, spec.RequestTimes...)
	return append(list, spec.RequestSpeeds...)
}

// objective judges as a search does, which has to decide while the load runs.
func objective(o plan.Objective) func(*Timeline) bool {
	return func(t *Timeline) bool {
		miss, _ := o.Misses(&t.Request, t.Events)
		return miss
	}
}

// beyond judges by the metric of that name. A request that cannot tell misses,
// unless there is nothing for it to keep.
func beyond(name string, tooFar func(float64) bool) func(*Timeline) bool {
	m := byName(name)
	return func(t *Timeline) bool {
		for _, v := range m.Each(t) {
			return tooFar(v)
		}
		return vacuous[name] == nil || !vacuous[name](t)
	}
}

// byName is the metric that spec.slo calls name.
func byName(name string) Metric {
	if m, ok := Called(name); ok {
		return m
	}
	panic("metric: spec.slo names " + name + ", which is not in All") // a bug in our own tables
}

// vacuous says of which requests a limit asks nothing: one token has no pace, one
// event no gap, and an answer without reasoning spends no time on it.
var vacuous = map[string]func(*Timeline) bool{
	"ttst": fewerEvents(2), "longest_gap": fewerEvents(2), "jitter_sd": fewerEvents(3), "jitter_step": fewerEvents(3),
	"tpot_done": oneToken(byUsage), "tpot_after_first": fewerEvents(2), "user_speed": atOnce(byUsage),
	"tpot_tokenizer": oneToken(byTokenizer), "tpot_done_tokenizer": oneToken(byTokenizer), "user_speed_tokenizer": atOnce(byTokenizer),
	"ttft_reasoning": noReasoning, "reasoning_time": noReasoning,
}

func fewerEvents(n int) func(*Timeline) bool {
	return func(t *Timeline) bool { have := t.outputEvents(); return 0 < have && have < n }
}

func oneToken(tokens count) func(*Timeline) bool {
	return func(t *Timeline) bool { n := tokens(t); return n != nil && *n < 2 && t.outputEvents() > 0 }
}

// atOnce holds for what has no measurable speed because all of it came together.
func atOnce(tokens count) func(*Timeline) bool {
	return func(t *Timeline) bool {
		first, _ := t.firstOutput()
		last, ok := t.lastOutput()
		return ok && first == last && tokens(t) != nil
	}
}

func noReasoning(t *Timeline) bool {
	_, found := t.firstOf(func(k record.ChunkKind) bool { return k == record.Reasoning })
	return !found && t.outputEvents() > 0
}

// gpus is how many the system under test occupies: as declared, or else those
// read beside the run.
func (p *Point) gpus() (float64, bool) {
	if c := p.cost(); c != nil {
		return float64(c.GPUCount), c.GPUCount > 0
	}
	list, ok := p.gpuMean("utilisation")
	return float64(len(list)), ok
}

func (p *Point) cost() *spec.Cost {
	if p.Declared == nil {
		return nil
	}
	return p.Declared.Cost
}

func (p *Point) bounds() *spec.Bounds {
	if p.Declared == nil {
		return nil
	}
	return p.Declared.Bounds
}
