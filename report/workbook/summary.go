package workbook

import (
	"fmt"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/unit"
)

// bookMetrics are what a row of the summary shows of a point, where it is known.
// Distributions have the median and the chosen percentile.
var bookMetrics = []metric.Metric{
	metric.TTFT, metric.TPOT, metric.TPOTDone, metric.E2E, metric.SessionTime,
	metric.RequestThroughput, metric.OutputThroughput, metric.ItemThroughput, metric.SoundThroughput,
	metric.SessionRate, metric.OfferedRate, metric.Goodput, metric.ErrorRate,
	metric.EnergyPerOutputToken, metric.CostPerMillionOutput,
}

// A bookStatistic is a statistic of a metric that has columns of its own.
type bookStatistic struct {
	metric    metric.Metric
	statistic string
}

func (s bookStatistic) name() string {
	if s.statistic == "value" {
		return s.metric.Name
	}
	return s.metric.Name + " " + s.statistic
}

// statisticsOf are those of a metric that the workbook shows first.
func (b *workbook) statisticsOf(m metric.Metric) []bookStatistic {
	if !m.Distributed() {
		return []bookStatistic{{m, "value"}}
	}
	if b.options.Percentile == "p50" {
		return []bookStatistic{{m, "p50"}}
	}
	return []bookStatistic{{m, "p50"}, {m, b.options.Percentile}}
}

// shownStatistics are those that some point has.
func (b *workbook) shownStatistics(r report.Report) (list []bookStatistic) {
	known := map[string]bool{}
	for _, row := range r.Estimates.Rows {
		if row.Point != metric.LaunchPoint {
			known[row.Metric+" "+row.Statistic] = true
		}
	}
	for _, m := range bookMetrics {
		if m.ID == metric.TPOTDone.ID && !r.StandsIn(m) {
			continue
		}
		for _, s := range b.statisticsOf(m) {
			if known[m.ID+" "+s.statistic] {
				list = append(list, s)
			}
		}
	}
	return list
}

// Facts of the summary run from the second to this column, which have room for so
// many characters.
const bookFactColumns, bookFactRoom = 9, 112

// summary is the first sheet: what the run is, what may be quoted, and every point
// in one row.
func (b *workbook) summary(r report.Report) {
	s := b.sheet("Summary")
	if text := r.Alarm(); text != "" {
		s.line(text, cellLook{title: true})
	}
	s.line("assay "+r.RunID, cellLook{title: true})
	for _, f := range b.facts(r) {
		s.fact(f[0], f[1], bookFactColumns, bookFactRoom)
	}
	for _, text := range r.Warnings {
		s.fact("warning", text, bookFactColumns, bookFactRoom)
	}
	if !r.Serves() {
		s.row++
		b.rankSummary(s, r)
		return
	}
	s.row++
	columns := []bookColumn{{head: "point", width: max(24, pointWidth(r))}, {head: "scenario", width: 20}}
	sided := len(r.Plan.Run.Spec.Sides()) > 1
	if sided {
		columns = append(columns, bookColumn{head: "side"})
	}
	columns = append(columns, bookColumn{head: "concurrency (1)"}, bookColumn{head: b.head("rate", unit.RequestPerSecond)}, bookColumn{head: "batch size (1)"},
		bookColumn{head: "launches (1)"}, bookColumn{head: "requests, ok (req)"}, bookColumn{head: "requests, others (req)"})
	shown := b.shownStatistics(r)
	for _, one := range shown {
		u := one.metric.Unit
		columns = append(columns, bookColumn{head: b.head(one.name(), u)}, bookColumn{head: b.head(one.name()+" low", u)}, bookColumn{head: b.head(one.name()+" high", u)})
	}
	s.table(columns)
	for _, point := range bookOrder(r.ServingPoints()) {
		for _, side := range r.Plan.Run.Spec.Sides() {
			s.add(b.summaryRow(r, point, side.Name, sided, shown)...)
		}
	}
	s.filter()
	s.pages(2)
}

// bookOrder are the points ordered by scenario, in the order in which scenarios
// first come.
func bookOrder(points []plan.Point) (list []plan.Point) {
	seen := map[string]bool{}
	for _, first := range points {
		if seen[first.Scenario] {
			continue
		}
		seen[first.Scenario] = true
		for _, p := range points {
			if p.Scenario == first.Scenario {
				list = append(list, p)
			}
		}
	}
	return list
}

func (b *workbook) summaryRow(r report.Report, point plan.Point, side string, sided bool, shown []bookStatistic) []any {
	cells := []any{point.Name, cellText(point.Scenario)}
	if sided {
		cells = append(cells, side)
	}
	e := r.Estimates.Of(side)
	good, others := cellOutcomes(e, point.Index)
	var launches any
	if row, ok := cellFirst(e, point.Index); ok {
		launches = row.N
	}
	cells = append(cells, cellPositive(float64(point.Concurrency), unit.Byte), cellPositive(point.Rate, unit.RequestPerSecond), cellPositive(float64(point.BatchSize), unit.Byte), launches, good, others)
	for _, one := range shown {
		row, ok := e.Find(one.metric.ID, one.statistic, point.Index)
		if !ok {
			cells = append(cells, nil, nil, nil)
			continue
		}
		cells = append(cells, cellsOfEstimate(row)...)
	}
	return cells
}

// cellsOfEstimate are a value and its interval, or why there is none.
func cellsOfEstimate(row metric.Row) []any {
	if text, is := cellUncertified(row); is {
		return []any{text, nil, nil}
	}
	return []any{cellQuantity{row.Value, row.Unit}, cellQuantity{row.Interval.Lo, row.Unit}, cellQuantity{row.Interval.Hi, row.Unit}}
}

// cellFirst is a row of a point that tells on how many launches it rests.
func cellFirst(e metric.Estimates, point int) (metric.Row, bool) {
	for _, row := range e.Rows {
		if row.Point == point {
			return row, true
		}
	}
	return metric.Row{}, false
}

// cellOutcomes counts the measured requests of a point; nil where nothing was counted.
func cellOutcomes(e metric.Estimates, point int) (good, others any) {
	for _, o := range e.Outcomes {
		if o.Point != point {
			continue
		}
		ok, all := o.Counts[record.OK], 0
		for _, n := range o.Counts {
			all += n
		}
		return ok, all - ok
	}
	return nil, nil
}

// cellPositive is a number that means nothing at zero.
func cellPositive(v float64, u unit.Unit) any {
	if v == 0 {
		return nil
	}
	return cellQuantity{v, u}
}

// cellText is a text that may be missing.
func cellText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// facts are what a reader must know before the numbers.
func (b *workbook) facts(r report.Report) [][2]string {
	s := r.Plan.Run.Spec
	list := [][2]string{
		{"status", fmt.Sprintf("%s, %d of %d planned launches completed", r.Status, report.Completed(r.Launches), len(r.Plan.Launches))},
		{"signature", r.Signature},
		{"class", s.Intent.BenchmarkClass + report.DeclaredOnly(s.Intent.BenchmarkClass)},
	}
	add := func(name, format string, args ...any) {
		list = append(list, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if r.Claims != nil {
		add("grade", "%s", report.GradeText(*r.Claims))
	}
	if r.Source != nil {
		add("source", "%s", report.SourceLine(r.Source))
		for _, gap := range r.Source.Unknown {
			add("not known", "%s: %s", gap.ID, gap.Detail)
		}
		for _, note := range r.Source.Notes {
			add("note", "%s", note)
		}
	}
	if s.Target != nil {
		for _, side := range s.Sides() {
			add(report.SideHead(side.Name), "%s %s, model %s%s", side.Target.API, report.TargetURL(side.Target)+report.ConnectedBy(side.Target), side.Target.Model, r.StartedBy(side.Target))
		}
	}
	for _, one := range r.RankQuestion() {
		add(one[0], "%s", one[1])
	}
	if r.Serves() {
		add("load", "%s", r.LoadLine())
		add("tokenizer", "%s", report.TokenizerText(s.Workload.Tokenizer))
	}
	add("workload", "%s", r.Plan.WorkloadDigest)
	add("intervals", "low and high: %g %% confidence over launches (Student's t); percentiles by rank ⌈qn⌉", 100*r.Estimates.Confidence)
	if !r.Serves() {
		return append(list, b.claimFacts(r)...)
	}
	shown := "p50"
	if b.options.Percentile != shown {
		shown += " and " + b.options.Percentile
	}
	add("shown", "%s of each request's times, in %s; cells hold every digit of the JSON report%s", shown, b.time.name, b.scaling())
	for _, text := range report.OwnError(r) {
		add("own error", "%s", text)
	}
	return append(list, b.claimFacts(r)...)
}

// claimFacts are which launches count, and what may be claimed.
func (b *workbook) claimFacts(r report.Report) (list [][2]string) {
	add := func(name, format string, args ...any) {
		list = append(list, [2]string{name, fmt.Sprintf(format, args...)})
	}
	for _, l := range r.Estimates.LeftOut {
		add("left out", "launch %d is in no estimate: %s", l.Launch+1, l.Reason)
	}
	if r.Claims != nil {
		for _, c := range r.Claims.Claims {
			add("claim", "%s", c.Sentence)
		}
		if len(r.Claims.Claims) == 0 {
			add("claim", "none may be made; the sheet Claims says why")
		}
	}
	return list
}

func (b *workbook) scaling() string {
	if b.time.factor == 1 {
		return ""
	}
	return fmt.Sprintf(" × %g where they are times", b.time.factor)
}
