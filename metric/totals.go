package metric

import (
	"assay/record"
	"assay/unit"
)

// Work per second of the whole system, and of one GPU of it.
var (
	TotalThroughput = Metric{
		ID: "total_throughput.v1", Name: "total throughput", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "input_throughput.v2 + output_throughput.v1: all tokens that were taken in or put out, per second of the measured window.",
		Of:  Whole((*Point).totalRate),
	}
	PrefillThroughput = Metric{
		ID: "prefill_throughput.v1", Name: "prefill throughput", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Prompt tokens, by usage, of successful requests whose first output arrived in the measured window, divided by its length. Where answers are long it tells sooner than input_throughput.v2, which waits for their end.",
		Of:  Whole(prefillRate),
	}
	DecodeThroughput = Metric{
		ID: "decode_throughput.v1", Name: "decode throughput", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "output_throughput.v1 less one token for each first output that arrived in the measured window: the first token is the prefill's.",
		Of: Whole(func(p *Point) (float64, bool) {
			rate, ok := OutputThroughput.Whole(p)
			firsts := 0
			for range p.begun {
				firsts++
			}
			return rate - float64(firsts)/p.Seconds(), ok
		}),
	}
	OutputThroughputPerGPU = Metric{
		ID: "output_throughput_per_gpu.v1", Name: "output throughput per GPU", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut, Only: []Condition{Telemetry}}, Detail: true,
		Doc: "output_throughput.v1 divided by the GPUs: spec.cost.gpuCount, or else those read beside the run.",
		Of:  Whole(perGPU(OutputThroughput.Whole)),
	}
	TotalThroughputPerGPU = Metric{
		ID: "total_throughput_per_gpu.v1", Name: "total throughput per GPU", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Workload: textOut, Only: []Condition{Telemetry}}, Detail: true,
		Doc: "total_throughput.v1 divided by the GPUs alike.",
		Of:  Whole(perGPU((*Point).totalRate)),
	}
)

func (p *Point) totalRate() (float64, bool) {
	in, told := InputThroughput.Whole(p)
	out, counted := OutputThroughput.Whole(p)
	return in + out, told && counted
}

// begun yields the successful requests whose first output arrived in the window.
func (p *Point) begun(yield func(*Timeline) bool) {
	for _, t := range p.Requests {
		first, ok := t.firstOutput()
		if t.Result == record.OK && ok && p.Begin <= first && first < p.End && !yield(t) {
			return
		}
	}
}

func prefillRate(p *Point) (float64, bool) {
	tokens := 0.0
	for t := range p.begun {
		if t.UsageInput == nil {
			return 0, false
		}
		tokens += float64(*t.UsageInput)
	}
	return tokens / p.Seconds(), tokens > 0 && p.Seconds() > 0
}

func perGPU(rate func(*Point) (float64, bool)) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		v, ok := rate(p)
		n, known := p.gpus()
		return v / n, ok && known
	}
}
