package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/metric"
)

// A bound is an error that a run printed about itself, and the true one of the same
// statistic, in nanoseconds. NaN is one that was not printed.
type bound struct{ printed, truth float64 }

func (b bound) holds() bool { return b.truth <= b.printed }

func (b bound) String() string {
	if math.IsNaN(b.printed) {
		return "none printed, truth " + duration(b.truth)
	}
	verdict := "holds"
	if !b.holds() {
		verdict = "does not hold"
	}
	return fmt.Sprintf("≤ %s printed, %s true: %s, %.1f times the truth", duration(b.printed), duration(b.truth), verdict, b.printed/b.truth)
}

// An ownBound is what a run printed of its TTFTs and gaps.
type ownBound struct{ ttft, gap bound }

func (o ownBound) print() {
	fmt.Printf("own error of TTFT: %v\nown error of gaps: %v\n", o.ttft, o.gap)
}

// ownBound compares what the run printed with the truth of all its launches.
func (m *measured) ownBound(columns []column) ownBound {
	var ttft, gap sample
	for _, c := range columns {
		ttft, gap = append(ttft, c.ttft...), append(gap, c.gap...)
	}
	own := ownBound{bound{unknown, ttft.at(.99)}, bound{unknown, gap.at(.99)}}
	if b := m.client.Bounds; b != nil {
		own.ttft.printed, own.gap.printed = m.errorOfTail()*1e9, b.Gap.Seconds*1e9
	}
	return own
}

// errorOfTail is the printed error of the p99 of TTFT, in seconds, over all launches.
func (m *measured) errorOfTail() float64 {
	row := metric.Row{Metric: metric.TTFT.ID, Statistic: "p99"}
	for _, h := range m.client.Launches {
		row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: h.Launch})
		for _, moved := range h.Moved {
			row.Point = moved.Point // a run has one
		}
	}
	own, _ := m.client.ErrorOf(row)
	return own.Seconds
}

// ownError makes many short runs at different loads and counts how often the printed own
// error bounds the true one, and how much wider it is.
func ownError(ctx context.Context, o options) error {
	p, err := placeFor(o.clientCores)
	if err != nil {
		return err
	}
	o.launches = 1
	p.head(o)
	if o.users == nil {
		o.users = []int{1, 3, 10, 30, 100, 300, 1000}
	}
	fmt.Printf("\n%5s %6s  %-62s %s\n", "run", "users", "TTFT, p99", "gaps, p99")
	var ttft, gap []bound
	for i := range o.runs {
		users := o.users[i%len(o.users)]
		_, own, err := o.assayColumns(ctx, p, load{users: users})
		if err != nil {
			return err
		}
		ttft, gap = append(ttft, own.ttft), append(gap, own.gap)
		fmt.Printf("%5d %6d  %-62v %v\n", i+1, users, own.ttft, own.gap)
	}
	summary("TTFT", ttft)
	summary("gaps", gap)
	return nil
}

// summary says how often the bounds held, and how wide they were.
func summary(name string, bounds []bound) {
	held := 0
	var widths []float64
	for _, b := range bounds {
		if b.holds() {
			held++
		}
		if !math.IsNaN(b.printed) {
			widths = append(widths, b.printed/b.truth)
		}
	}
	slices.Sort(widths)
	width := unknown
	if len(widths) > 0 {
		width = widths[len(widths)/2]
	}
	fmt.Printf("own error of %s: holds in %d of %d runs (aim 95 %%), at the median %.1f times the truth (aim at most 3)\n", name, held, len(bounds), width)
}
