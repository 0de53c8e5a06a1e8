package run

import (
	"math"
	"time"

	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/unit"
	"assay/workload"
	"assay/workload/arrival"
	"assay/workload/token"
)

// calibrationTime is how long calls are judged. With the answers before and after
// it a calibration takes about two seconds at 16 streams, three at 1,000.
const calibrationTime = time.Second

// calibrationSeed is that of the arrivals and prompts of a calibration: the same in
// every run, so that two of them can be compared.
const calibrationSeed = 1

// known is the point with which the client is measured: the demand, for a second, after
// a warm-up of two answers, over the first of which its users begin.
func (d demand) known(t record.KnownStream) plan.Point {
	answer := unit.Duration(answerTime(t))
	point := plan.Point{Name: d.point, Warmup: 2 * answer, Duration: unit.Duration(calibrationTime)}
	if d.streams > 0 {
		point.Concurrency = d.streams
		if d.together {
			point.Start = spec.StartTogether
		}
		return point
	}
	point.Arrival, point.Burstiness, point.Rate, point.MaxInFlight = arrival.Poisson.Name, 1, d.rate, math.MaxInt32
	// A slow rate needs time for some calls at all: ten of them, in at most 2 s.
	point.Duration = max(point.Duration, min(2*point.Duration, unit.Duration(10/d.rate*float64(time.Second))))
	return point
}

// knownClient is the client of the run, as far as it does not depend on its target.
func knownClient(cfg target.Config, point plan.Point) target.Config {
	return target.Config{
		Reader: readerFor(cfg), Readers: cfg.Readers, Spin: cfg.Spin, Connections: max(point.Concurrency, 1+int(point.Rate)),
		Ask: target.Ask{Model: "sim", Stream: true}, Timeout: time.Minute, Idle: cfg.Idle,
		AnswerLimit: cfg.AnswerLimit, KeepText: cfg.KeepText, Redact: cfg.Redact, Trace: cfg.Trace,
	}
}

// A knownSource asks what another asks, for answers of a known length.
type knownSource struct {
	workload.Source
	tokens int32
}

// Call implements workload.Source.
func (s knownSource) Call(point int32, id int64) record.Call {
	call := s.Source.Call(point, id)
	call.OutputTokens = s.tokens
	return call
}

// knownCalls are the prompts of the most demanding point, or, where those are not text or
// depend on the answers before, texts of the same lengths.
func (e *execution) knownCalls(tokens int) (workload.Source, error) {
	point, _ := e.plan.PointByIndex(demandOf(e.plan).index)
	w := e.plan.WorkloadOf(point)
	if w.Prompt.Task == spec.TextToText && w.Session == nil && point.TraceRef == "" {
		source, err := newSource(w, e.in.ready(), calibrationSeed)
		return knownSource{source, int32(tokens)}, err
	}
	shapes := lengths(w)
	if len(shapes) == 0 {
		shapes = []workload.Length{{InputTokens: assumedPrompt, Weight: 1}}
	}
	source, err := workload.NewSynthetic(calibrationSeed, shapes)
	return knownSource{source, int32(tokens)}, err
}

// assumedPrompt is the length, in tokens, of prompts that only the run finds out.
const assumedPrompt = 256

// ready is in, or, where the server has yet to be asked what its words cost, the same
// with the words of the embedded tokenizer.
func (in *inputs) ready() *inputs {
	if in.builder != nil {
		return in
	}
	other := *in
	other.use(token.Default())
	return &other
}
