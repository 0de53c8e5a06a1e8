package reporttest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/analysis/picture"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// Pictures are made up for every point of p: distributions of the given number of
// steps, and launches with warm-up, window and steady part.
func Pictures(p plan.Plan, steps int) *picture.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	set := &picture.Set{Version: picture.Version}
	launch := picture.Launch{}
	for i, point := range p.Points {
		for _, m := range []metric.Metric{metric.TTFT, metric.ITL, metric.TPOT, metric.E2E} {
			set.Distributions = append(set.Distributions, distribution(rng, m, point.Index, steps))
			set.Components = append(set.Components, picture.Components{Metric: m.ID, Name: m.Name, Point: point.Index, Between: .02, Within: .4, Share: .0025})
		}
		begin := 20 * float64(i)
		from, to := begin+6, begin+18
		launch.Windows = append(launch.Windows, picture.Window{
			Point: point.Index, Begin: begin, Measure: begin + 4, MeasureEnd: begin + 19, End: begin + 20, SteadyBegin: &from, SteadyEnd: &to, Verdict: "steady",
		})
		launch.End = begin + 20
	}
	for _, s := range []picture.Series{
		{Name: "TTFT p50", Source: "requests", Unit: unit.Second}, {Name: "TTFT p99", Source: "requests", Unit: unit.Second},
		{Name: "in flight", Source: "requests", Unit: unit.Request}, {Name: "output", Source: "requests", Unit: unit.TokenPerSecond},
		{Name: "queue", Source: "server", Unit: unit.Request}, {Name: "gpu.power", Source: "gpu", Scope: "0", Unit: unit.Watt},
		{Name: "gpu.power", Source: "gpu", Scope: "1", Unit: unit.Watt}, {Name: "CPU", Source: "client", Unit: unit.Ratio},
	} {
		s.Step = launch.End / float64(2*steps)
		s.Start = s.Step / 2
		for range 2 * steps {
			v := rng.ExpFloat64()
			s.Values = append(s.Values, &v)
		}
		s.Values[steps] = nil
		launch.Series = append(launch.Series, s)
	}
	for i := range 3 {
		launch.Launch = i
		set.Launches = append(set.Launches, launch)
	}
	return set
}

func distribution(rng *rand.Rand, m metric.Metric, point, steps int) picture.Distribution {
	d := picture.Distribution{Metric: m.ID, Name: m.Name, Unit: m.Unit, Point: point, N: 22222, Band: "95 % t interval over 3 launches"}
	v := .01 * (1 + float64(point))
	for i := range steps {
		v += .002 * rng.ExpFloat64()
		share := float64(i+1) / float64(steps)
		d.Value, d.Share = append(d.Value, v), append(d.Share, share)
		d.Lo, d.Hi = append(d.Lo, max(0, share-.02)), append(d.Hi, min(1, share+.02))
	}
	return d
}

// Sweep is a report of shapes × loads points with every metric, as a run of a
// million requests would give it: what a page must hold at most.
func Sweep(t testing.TB, shapes []string, loads []int) report.Report {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: sweep},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [1]}, trials: {minReplicates: 3}, slo: [{metric: ttft, max: 400ms}]}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	first := p.Points[0]
	p.Points = nil
	for _, shape := range shapes {
		for _, load := range loads {
			point := first
			point.Index, point.Scenario, point.Concurrency = len(p.Points), shape, load
			point.Name = strings.TrimSpace(fmt.Sprintf("%s concurrency=%d", shape, load))
			p.Points = append(p.Points, point)
		}
	}
	r := report.Report{
		Version: report.Version, RunID: "20260102_030405__run__sweep", Status: "completed", Signature: judge.Unsigned, Plan: p, Pictures: Pictures(p, 200),
		Estimates: metric.Estimates{Version: metric.EstimatesVersion, Code: "test", Confidence: .95, Launches: []int{0, 1, 2}},
	}
	for _, point := range p.Points {
		r.Estimates.Rows = append(r.Estimates.Rows, rowsOf(t, point)...)
		r.Estimates.Outcomes = append(r.Estimates.Outcomes, metric.Outcomes{Point: point.Index, Counts: map[record.Outcome]int{record.OK: 22222, record.Timeout: point.Index}})
	}
	return r
}

func rowsOf(t testing.TB, point plan.Point) []metric.Row {
	t.Helper()
	var rows []metric.Row
	load := float64(point.Concurrency)
	for k, m := range metric.All {
		statistics := []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}
		if m.Each == nil && m.Many == nil {
			statistics = []string{"value"}
		}
		for i, statistic := range statistics {
			v := (.01 + .002*load) * (1 + .3*float64(i)) * (1 + .2*float64(point.Index%5))
			if m.Unit == unit.TokenPerSecond || m.Unit == unit.RequestPerSecond {
				v = 500_000 * load / (load + 40) / (1 + float64(k%7))
			}
			est, err := stats.Mean([]float64{v, 1.03 * v, .96 * v}, .95)
			if err != nil {
				t.Fatal(err)
			}
			if statistic == "p99.9" {
				est.Interval = stats.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
			}
			row := metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Better: m.Better, Point: point.Index, Estimate: est}
			for i := range 3 {
				row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: i, Value: v, N: 7407})
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// FortyFive is the sweep that a page must stay small and quick for.
func FortyFive(t testing.TB) report.Report {
	return Sweep(t, []string{"D(100,100)", "D(100,1000)", "D(2000,200)", "N(480,240)/(300,150)", "D(7800,200)"}, []int{1, 2, 4, 8, 16, 32, 64, 128, 256})
}
