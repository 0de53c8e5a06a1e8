package lint

import (
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

var ruleTrips = []trip{
	{"speedup-base", "nothing", scaled(func(s *Statement) { s.Base = nil }), finding.Void, "neither the kind nor the absolute value of its base"},
	{"speedup-base", "no value", scaled(func(s *Statement) { s.Base.Value = 0 }), finding.Void, "no absolute value and unit of its base (one_process)"},
	{"unexplained-subset", "one point of three", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Load.Concurrency = []int{8, 16, 32} })
		s.state = func(*Facts) []Statement {
			return []Statement{{Metric: metric.TTFT.ID, Statistic: "p99", Point: "concurrency=8", Interval: &stats.Interval{}}}
		}
	}, finding.Caution, "ttft.v2 is stated for 1 of 3 measured points; nothing says why not for [concurrency=16 concurrency=32]"},
	{"unexplained-subset", "not measured", func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Load.Concurrency = []int{8, 16} })
	}, finding.Caution, "1 of 2 planned points have no estimate and no reason: [concurrency=16]"},
	{"mean-of-rates", "arithmetic", stating(func(f *Facts) { f.Statements[2].Aggregation = ArithmeticOfRates }), finding.Void, "is the arithmetic mean of rates"},
	{"mean-of-rates", "harmonic mean of a cost", stating(func(f *Facts) { f.Statements[0].Aggregation = HarmonicOfRates }), finding.Void, "is a harmonic mean, and s is no rate"},
	{"mean-of-ratios", "speed-ups", also(Statement{Metric: "gain", Value: 1.4, Interval: &stats.Interval{Lo: 1.3, Hi: 1.5}, Aggregation: MeanOfRatios}),
		finding.Caution, "gain = 1.4 is the arithmetic mean of ratios"},
	{"not-deterministic", "varies", first(func(_ *Facts, s *Statement) { s.Deterministic, s.Interval = true, nil }),
		finding.Void, "is called deterministic, but 5 launches gave"},
	{"unchecked-normality", "one launch apart", func(s *scene) { s.launches, s.request = 8, slowLaunch(3) }, finding.Caution, "ttft.v2 mean at concurrency=8: W = 0."},
	{"unsound-comparison", "no interval", func(s *scene) {
		s.against = func(b *scene) { b.request = slowLaunches }
		first(func(_ *Facts, s *Statement) { s.Delta = &Delta{Ratio: .91} })(s)
	}, finding.Void, "differs by a factor of 0.91, with neither interval nor test of the difference; over 5 and 5 launches the ratio is 0.9"},
	{"centre-for-a-tail", "p95 for p99", stating(func(f *Facts) { f.Statements[1].Statistic = "p95" }),
		finding.Caution, "the objective is on p99 of ttft.v2, what is stated is [mean p95]; p99 at concurrency=8 is"},
	{"incomplete-manifest", "two lacking", func(s *scene) {
		s.small()
		s.environment.Miss("software.nccl_library", "not found")
		delete(s.environment, "gpu.0.vbios")
	}, finding.Void, "lacks 2 of 24 required fields: software.nccl_library, gpu.0.vbios"},
	{"parallel-timing", "offset", func(s *scene) {
		s.small()
		s.clocks = append(s.clocks, bundle.Clock{ID: "gpu-08"})
	}, finding.Caution, "clock gpu-08 is used beside CLOCK_MONOTONIC without a bound of their offset"},
	{"parallel-timing", "no clock", trained(func(_ int, s *record.Step) { s.Clock = "" }), finding.Caution, "400 of 400 steps do not say which clock timed them"},
	{"no-upper-bound", "nothing", stating(func(f *Facts) { f.Statements[2].Bound = nil }), finding.Note, "no upper bound is given"},
	{"no-upper-bound", "beyond", stating(func(f *Facts) { f.Statements[2].Bound.Value = 1 }), finding.Note, "is above its own bound of 1.00 tok/s"},
	{"misleading-chart", "categories", stating(func(f *Facts) { f.Statements[2].Chart = &Chart{X: AxisCategories, Lines: true, Points: true} }),
		finding.Note, "draws lines between categories that have no order and shows no intervals"},
}

// slowLaunches makes every request take a tenth longer.
func slowLaunches(launch int, r *record.Request, events *[]record.Chunk) {
	slowLaunch(launch)(launch, r, events)
}
