package metric

import (
	"assay/record"
	"assay/unit"
)

// Shares of what spec.bounds says that the hardware can do.
var (
	MFU = Metric{
		ID: "mfu.v1", Name: "MFU", Unit: unit.Share, Better: Higher, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "Model FLOPs utilisation: computed tokens per second × 2 × active parameters / (gpuCount × peakFLOPS). Computed are the output tokens and the prompt tokens that usage does not call cached. Two operations for each parameter and token is the forward pass of a dense model; the operations of attention, which grow with the context, are left out, so that long contexts use more than this says.",
		Of: Whole(func(p *Point) (float64, bool) {
			b := p.bounds()
			n, known := p.gpus()
			rate, counted := p.computedRate()
			if b == nil || b.PeakFLOPS == 0 || !known || !counted {
				return 0, false
			}
			return modelFLOPs(rate, 2*b.Active(), n, b.PeakFLOPS), true
		}),
	}
	MBU = Metric{
		ID: "mbu.v1", Name: "MBU", Unit: unit.Share, Better: Higher, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "Model bandwidth utilisation: (active parameters × bytesPerParameter + kvBytesPerToken × tokens in flight) / mean tpot.v1 / (gpuCount × memoryPerSecond). One step of decoding is taken to read the weights once and the KV cache of every request in flight once; tokens in flight are prompts and half of the answers, weighed by the time that each request was under way. It assumes one copy of the model over all GPUs and one token for each step and request: replicas read more, speculation reads less.",
		Of:  Whole(bandwidthUse),
	}
)

// modelFLOPs is the share of the peak that so many tokens per second of so many
// operations each use.
func modelFLOPs(tokensPerSecond, operations, gpus, peak float64) float64 {
	return tokensPerSecond * operations / (gpus * peak)
}

// computedRate is the tokens per second that went through the model: a prompt's
// cached ones did not.
func (p *Point) computedRate() (float64, bool) {
	cached, ok := p.perSecond(func(t *Timeline) (float64, bool) {
		if t.UsageCached == nil {
			return 0, true
		}
		return float64(*t.UsageCached), true
	})
	rate, counted := p.totalRate()
	return rate - cached, ok && counted
}

func bandwidthUse(p *Point) (float64, bool) {
	b := p.bounds()
	n, known := p.gpus()
	step, paced := p.meanPace()
	if b == nil || b.MemoryPerSecond == 0 || !known || !paced {
		return 0, false
	}
	moved := b.Active() * b.BytesPerParameter
	if b.KVBytesPerToken > 0 {
		tokens, counted := p.tokensInFlight()
		if !counted {
			return 0, false
		}
		moved += float64(b.KVBytesPerToken) * tokens
	}
	return moved / step / (n * float64(b.MemoryPerSecond)), true
}

// meanPace is the mean of tpot.v1.
func (p *Point) meanPace() (float64, bool) {
	sum, n := 0.0, 0
	for t := range p.Measured {
		if t.Result != record.OK {
			continue
		}
		for _, v := range t.pace(t.UsageOutput) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n), sum > 0
}

// tokensInFlight is how many tokens the requests under way held, averaged over
// the time of the window; false when the count of one is not known.
func (p *Point) tokensInFlight() (float64, bool) {
	held := 0.0
	for _, t := range p.Requests {
		under := min(t.Done, p.End) - max(t.Sent, p.Begin)
		if t.Result != record.OK || under <= 0 {
			continue
		}
		if t.UsageInput == nil || t.UsageOutput == nil {
			return 0, false
		}
		held += seconds(under) * (float64(*t.UsageInput) + float64(*t.UsageOutput)/2)
	}
	return held / p.Seconds(), p.Seconds() > 0
}
