package metric

import (
	"assay/spec"
	"assay/unit"
)

// What results cost, by the prices of spec.cost: of the GPUs for the time of the
// window, and of the tokens of the window where an endpoint is paid by token.
var (
	CostPerMillionOutput = Metric{
		ID: "cost_per_million_output_tokens.v1", Name: "cost per million output tokens", Unit: unit.Dollar, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "Price of the measured window / millions of output tokens that arrived in it, counted as output_throughput.v1 counts them. The price is that of gpuCount GPUs for the length of the window, and of its tokens where the spec prices tokens; GPUs cost the same when they idle.",
		Of:  Whole(costPer(OutputThroughput.Whole, million)),
	}
	CostPerMillionTokens = Metric{
		ID: "cost_per_million_tokens.v1", Name: "cost per million tokens", Unit: unit.Dollar, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "Price of the measured window / millions of tokens, prompts and answers, that total_throughput.v1 counts in it.",
		Of:  Whole(costPer((*Point).totalRate, million)),
	}
	CostPerOutputToken = Metric{
		ID: "cost_per_output_token.v1", Name: "cost per output token", Unit: unit.Dollar, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}}, Detail: true,
		Doc: "Price of the measured window / output tokens that arrived in it.",
		Of:  Whole(costPer(OutputThroughput.Whole, 1)),
	}
	CostPerRequest = Metric{
		ID: "cost_per_request.v1", Name: "cost per request", Unit: unit.Dollar, Better: Lower, Scope: only(Declarations),
		Doc: "Price of the measured window / successful requests in it, counted as request_throughput.v2 counts them.",
		Of:  Whole(costPer(RequestThroughput.Whole, 1)),
	}
	CostPerGoodRequest = Metric{
		ID: "cost_per_good_request.v1", Name: "cost per good request", Unit: unit.Dollar, Better: Lower, Scope: only(Declarations, Objectives),
		Doc: "Price of the measured window / requests that goodput.v2 counts in it: what it costs to serve one request within the objectives.",
		Of:  Whole(costPer(Goodput.Whole, 1)),
	}
)

const (
	million = 1e6
	hour    = 3600 // seconds
	kWh     = 3.6e6
)

// costPer divides the price of a second by the work done in one, per so many.
func costPer(rate func(*Point) (float64, bool), each float64) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		c := p.cost()
		if c == nil {
			return 0, false
		}
		price, priced := p.pricePerSecond(c)
		done, known := rate(p)
		return each * price / done, priced && known && done > 0
	}
}

// pricePerSecond is what one second of the window costs; false without prices,
// or where tokens have a price and were not counted.
func (p *Point) pricePerSecond(c *spec.Cost) (usd float64, ok bool) {
	usd = c.GPUHourlyUSD * float64(c.GPUCount) / hour
	for _, priced := range []struct {
		perMillion float64
		rate       func(*Point) (float64, bool)
	}{{c.InputPerMillionUSD, InputThroughput.Whole}, {c.OutputPerMillionUSD, OutputThroughput.Whole}} {
		if priced.perMillion == 0 {
			continue
		}
		rate, known := priced.rate(p)
		if !known {
			return 0, false
		}
		usd += priced.perMillion * rate / million
	}
	return usd, usd > 0
}
