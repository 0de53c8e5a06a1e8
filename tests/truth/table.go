package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// A column is one client at one load: a launch of assay, or another program.
type column struct {
	name string
	own  bool // assay's: its bundle tells more than other clients do
	comparison
	cpu    float64 // seconds of the client's processor time; of a launch, its share of all
	events int     // received in that time, warm-up included; 0 where not known
	reads  int     // the same of reads
}

// A figure is a row of the table: some values of a column, and what they are to be at most.
type figure struct {
	name string
	of   func(column) []float64
	show func(float64) string
	aims func(load) []float64 // the most of each value; nil or NaN where nothing is aimed at
}

var unknown = math.NaN()

// quantiles shows those of one sample.
func quantiles(of func(column) sample, at ...float64) func(column) []float64 {
	return func(c column) []float64 {
		var list []float64
		for _, q := range at {
			list = append(list, of(c).at(q))
		}
		return list
	}
}

func micros(list ...float64) []float64 {
	for i := range list {
		list[i] *= 1e3
	}
	return list
}

// from gives aims from so many users upwards.
func from(users int, aims []float64) func(load) []float64 {
	return func(l load) []float64 {
		if l.users < users {
			return nil
		}
		return aims
	}
}

func aimsOfTTFT(l load) []float64 {
	switch {
	case l.users >= 1000:
		return micros(50, 1000)
	case l.users >= 100:
		return micros(unknown, 200)
	}
	return nil
}

// figures are what is printed of a closed loop. The aims are for a quiet machine with 16
// cores, the client on four.
var figures = []figure{
	{"TTFT error p50 / p99 / mean", func(c column) []float64 {
		return append(quantiles(func(c column) sample { return c.ttft }, .5, .99)(c), c.ttft.mean())
	}, duration, aimsOfTTFT},
	{"  counted from when it was due p50 / p99", quantiles(func(c column) sample { return c.ttftDue }, .5, .99), duration, nil},
	{"turnaround p50 / p99", quantiles(func(c column) sample { return c.turnaround }, .5, .99), duration, from(1000, micros(200, 2000))},
	{"stamp error p50 / p99 / p99.9", quantiles(func(c column) sample { return c.stamp }, .5, .99, .999), duration, nil},
	{"gap error p50 / p99", quantiles(func(c column) sample { return c.gap }, .5, .99), duration, from(1000, micros(unknown, 50))},
	{"  of shared reads too p50 / p99", quantiles(func(c column) sample { return c.everyGap }, .5, .99), duration, nil},
	{"gap σ beyond the truth", func(c column) []float64 { return []float64{c.ownGap.sigma() - c.trueGap.sigma()} }, duration, from(1000, micros(50))},
	{"events that shared a read", told(func(c column) float64 { return float64(c.shared) / float64(c.outputs) }), percent, from(1, []float64{.001})},
	{"collections in the window", told(func(c column) float64 { return float64(c.collections) }), count, from(1, []float64{0})},
	{"requests judged", func(c column) []float64 { return []float64{float64(c.requests)} }, count, nil},
	{"not in both records", told(func(c column) float64 { return float64(c.missing) }), count, from(1, []float64{0})},
	{"the server's own delay p50 / p99", quantiles(func(c column) sample { return c.late }, .5, .99), duration, nil},
	{"reading threads / of them awake", func(c column) []float64 {
		awake := 0
		if c.reading.Spin {
			awake = c.reading.Readers
		}
		return []float64{float64(c.reading.Readers), float64(awake)}
	}, count, nil},
	{"CPU seconds", func(c column) []float64 { return []float64{c.cpu} }, func(s float64) string { return fmt.Sprintf("%.2f", s) }, nil},
	{"events / reads per CPU second", func(c column) []float64 { return []float64{perCPU(c.events, c), c.readsPerCPU()} }, count, nil},
}

// readsPerCPU is how many reads the client made in a second of its processor time.
func (c column) readsPerCPU() float64 { return perCPU(c.reads, c) }

func perCPU(n int, c column) float64 {
	if n == 0 {
		return unknown
	}
	return float64(n) / c.cpu
}

// told is what only a bundle tells.
func told(value func(column) float64) func(column) []float64 {
	return func(c column) []float64 {
		if !c.own {
			return []float64{unknown}
		}
		return []float64{value(c)}
	}
}

// print shows every figure of every column; a value beyond its aim is marked.
func print(l load, figures []figure, columns []column) {
	fmt.Printf("\n%v\n", l)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		fmt.Fprintf(t, "\t%s", c.name)
	}
	fmt.Fprintln(t, "\taim, at most")
	for _, f := range figures {
		var aims []float64
		if f.aims != nil {
			aims = f.aims(l)
		}
		fmt.Fprint(t, f.name)
		for _, c := range columns {
			fmt.Fprintf(t, "\t%s", f.cell(f.of(c), aims))
		}
		fmt.Fprintf(t, "\t%s\n", f.cell(aims, nil))
	}
	t.Flush()
}

// cell shows values, and marks them where one is beyond its aim.
func (f figure) cell(values, aims []float64) string {
	var list []string
	missed := ""
	for i, v := range values {
		if math.IsNaN(v) {
			list = append(list, "–")
			continue
		}
		list = append(list, f.show(v))
		if i < len(aims) && v > aims[i] {
			missed = " (!)"
		}
	}
	return strings.Join(list, " / ") + missed
}

// duration shows nanoseconds as people read them.
func duration(ns float64) string {
	size := math.Abs(ns)
	switch {
	case size < 10*float64(time.Microsecond):
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case size < float64(time.Millisecond):
		return fmt.Sprintf("%.0f µs", ns/1e3)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

func count(n float64) string { return fmt.Sprintf("%.0f", n) }
