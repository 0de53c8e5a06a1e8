package plan

import (
	"fmt"
	"math"

	"assay/spec"
	"assay/unit"
)

// The service time of a closed loop is what the run will find out. Until then
// these figures of a middling server stand in, and every figure that rests on
// them says so.
const (
	assumedFirstToken = 0.2  // seconds to the first token
	assumedPerToken   = 0.02 // seconds for each further token
)

// Expected is what a run will take, as far as it can be known beforehand.
type Expected struct {
	Seconds      float64       `json:"seconds"` // of load; start-up of servers comes on top
	Requests     int64         `json:"requests"`
	Apart        int64         `json:"apart,omitempty"` // requests outside of every point, on top
	InputTokens  int64         `json:"inputTokens"`
	OutputTokens int64         `json:"outputTokens"`
	CostUSD      *float64      `json:"costUSD,omitempty"` // absent without prices
	PerPoint     []PointExpect `json:"perPoint,omitempty"`
	Assumption   string        `json:"assumption,omitempty"` // what the counts rest on
}

// PointExpect is what one point of one launch will take.
type PointExpect struct {
	Point    int     `json:"point"`
	Seconds  float64 `json:"seconds"`
	Requests int64   `json:"requests"` // measured ones
}

func expect(p Plan) Expected {
	var e Expected
	var input, output, shortest, longest float64 // tokens; seconds of a request
	measuredOnly := true
	for i, point := range p.Points {
		in, out := meanLengths(p.WorkloadOf(point))
		service := assumedFirstToken + assumedPerToken*out
		if i == 0 {
			shortest = service
		}
		shortest, longest = min(shortest, service), max(longest, service)
		one := PointExpect{Point: point.Index, Seconds: point.Warmup.Seconds() + point.Duration.Seconds() + point.Cooldown.Seconds()}
		level, perUser := point.Rate, 1.0
		if point.Concurrency > 0 {
			level, perUser = float64(point.Concurrency), 1/(service+point.ThinkTime.Seconds())
			measuredOnly = false
		}
		one.Requests = int64(level * perUser * point.Duration.Seconds())
		if len(point.Stages) > 0 {
			one.Requests = int64(stagesArea(point.Stages) * perUser)
		}
		if point.Query != nil && point.Query.Once {
			one.Requests = int64(point.Query.Samples)
		}
		if limit := int64(point.Requests); limit > 0 && limit < one.Requests {
			one.Requests = limit
		}
		if p.AsksOnce() {
			one = asksOnce(point, level*perUser)
		}
		if p.Run.Spec.Workload.Session != nil {
			one.Requests = sessionRequests(p.Run, point, service)
		}
		e.PerPoint = append(e.PerPoint, one)
		e.Seconds += one.Seconds * float64(len(p.Launches))
		e.Requests += one.Requests * int64(len(p.Launches))
		input += in * float64(one.Requests*int64(len(p.Launches)))
		output += out * float64(one.Requests*int64(len(p.Launches)))
	}
	if !measuredOnly {
		e.Assumption = fmt.Sprintf("a closed loop sends as fast as the target answers; the counts assume %s per request (%s to the first token, %s for each further one)",
			serviceText(shortest, longest), unit.Format(assumedFirstToken, unit.Second), unit.Format(assumedPerToken, unit.Second))
	}
	if text := fileAssumption(p); text != "" {
		e.Assumption = text
	}
	if p.Search != nil {
		e.search(p) // its own assumption says more
		in, out := meanLengths(p.Run.Spec.Workload)
		input, output = float64(e.Requests)*in, float64(e.Requests)*out
	}
	e.InputTokens, e.OutputTokens = int64(input), int64(output)
	e.Apart = apart(p)
	e.CostUSD = cost(p.Run.Spec.Cost, e)
	return e
}

// asksOnce is what a pass over all questions takes, at so many in a second. How many there
// are is known where load.requests says it.
func asksOnce(point Point, rate float64) PointExpect {
	one := PointExpect{Point: point.Index, Requests: int64(point.Requests)}
	if rate > 0 {
		one.Seconds = float64(point.Requests) / rate
	}
	return one
}

// serviceText is the time of a request, or of the shortest and longest of a sweep.
func serviceText(shortest, longest float64) string {
	if shortest == longest {
		return unit.Format(longest, unit.Second)
	}
	return unit.Format(shortest, unit.Second) + " to " + unit.Format(longest, unit.Second)
}

// search guesses what a search will take: as if the answer lay half-way between
// the start and the highest level and every level took one probe.
func (e *Expected) search(p Plan) {
	s := p.Search
	middle := (s.Start + len(s.Levels)) / 2
	probes := min(s.Probes, 2+(middle-s.Start)/s.Step+int(math.Ceil(math.Log2(float64(s.Step+1)))))
	one := e.PerPoint[s.PointOf(middle, 0)]
	e.Seconds = float64(probes) * one.Seconds * float64(len(p.Launches))
	e.Requests = int64(probes) * one.Requests * int64(len(p.Launches))
	e.Assumption = fmt.Sprintf("a search takes as many probes as it needs; the counts assume %d in each launch, near %s, at most %d are made", probes, p.Points[s.PointOf(middle, 0)].Name, s.Probes)
}

// stagesArea is the load of stages times its time: calls in an open loop, seconds
// of users in a closed one.
func stagesArea(stages []spec.Stage) (area float64) {
	before := 0.0
	for _, s := range stages {
		level := max(s.Rate, float64(s.Concurrency)) // one of them is zero
		mean := level
		switch {
		case s.Ramp == spec.RampLinear:
			mean = (before + level) / 2
		case s.Ramp == spec.RampExponential && level != before:
			mean = (level - before) / math.Log(level/before)
		}
		area += mean * s.Duration.Seconds()
		before = level
	}
	return area
}

// meanLengths is the mean input and output length of the mix, in tokens.
func meanLengths(w spec.Workload) (input, output float64) {
	for _, l := range w.SequenceLengthMix {
		input += l.Weight * float64(l.InputTokens)
		output += l.Weight * float64(l.OutputTokens)
	}
	if !spec.AnswersText(w.Prompt.Task) {
		output = 0 // the mix has a one where there are none
	}
	return input, output
}

// cost is the price of the machines for the time plus the price of the tokens.
func cost(c *spec.Cost, e Expected) *float64 {
	if c == nil || (c.GPUHourlyUSD == 0 && c.InputPerMillionUSD == 0 && c.OutputPerMillionUSD == 0) {
		return nil
	}
	total := c.GPUHourlyUSD * float64(c.GPUCount) * e.Seconds / 3600
	total += c.InputPerMillionUSD * float64(e.InputTokens) / 1e6
	total += c.OutputPerMillionUSD * float64(e.OutputTokens) / 1e6
	return &total
}
