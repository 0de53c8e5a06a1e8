package metric

import (
	"math"

	"assay/record"
	"assay/unit"
)

// Little's law: in a steady state the requests in flight are the rate at which
// they pass times the time that each takes. concurrency.v1 is the left side.
var (
	LittleProduct = Metric{
		ID: "little_product.v1", Name: "rate × time (Little)", Unit: unit.Ratio, Better: Higher, Detail: true,
		Doc: "λ·W: requests that ended in the measured window, however, per second, times their mean service time from sent to done. In a steady state it equals concurrency.v1.",
		Of:  Whole((*Point).littleProduct),
	}
	LittleError = Metric{
		ID: "little_error.v1", Name: "off Little's law", Unit: unit.Share, Better: Lower, Detail: true,
		Doc: "How far the ratio of little_product.v1 to concurrency.v1 is from one. Well above zero, the load was not steady in the window, the window was short beside the answers, or records are missing.",
		Of: Whole(func(p *Point) (float64, bool) {
			product, ok := p.littleProduct()
			inFlight, known := Concurrency.Whole(p)
			return math.Abs(product/inFlight - 1), ok && known && inFlight > 0
		}),
	}
)

func (p *Point) littleProduct() (float64, bool) {
	passed := int64(0)
	for _, t := range p.Requests {
		if t.Result != record.Dropped && p.Begin <= t.Done && t.Done < p.End {
			passed += t.Done - t.Sent
		}
	}
	return seconds(passed) / p.Seconds(), p.Seconds() > 0
}
