package main

import (
	"context"
	"time"
)

// pacerFigures are what is printed of an open loop.
var pacerFigures = append([]figure{
	{"due to last byte written p50 / p99 / p99.9", quantiles(func(c column) sample { return c.dueWritten }, .5, .99, .999), duration, func(load) []float64 { return micros(30, 200) }},
	{"due to received by the server p50 / p99", quantiles(func(c column) sample { return c.dueReceived }, .5, .99), duration, nil},
}, figures...)

// pacer measures open loops: how late requests leave.
func pacer(ctx context.Context, o options) error {
	p, err := placeFor(o.clientCores)
	if err != nil {
		return err
	}
	if o.rates == nil {
		o.rates = []float64{1000, 5000}
	}
	// Few events, or 5,000 answers a second would be more than one core of the server sends.
	o.answer.tokens = min(o.answer.tokens, 10)
	o.answer.ttft = min(o.answer.ttft, 20*time.Millisecond)
	p.head(o)
	for _, rate := range o.rates {
		l := load{rate: rate}
		columns, own, err := o.assayColumns(ctx, p, l)
		if err != nil {
			return err
		}
		print(l, pacerFigures, columns)
		own.print()
	}
	return nil
}
