package report

import (
	"fmt"
	"slices"

	"assay/analysis/bottleneck"
	"assay/analysis/collectives"
	"assay/analysis/overlap"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// trainingColumns are the figures of training steps that people ask for first.
var trainingColumns = []struct {
	Column
	metric    metric.Metric
	statistic string
}{
	{Column{Name: "step time p50", Long: "step time p50", Unit: unit.Second, in: anywhere}, metric.StepTime, "p50"},
	{Column{Name: "p90", Long: "step time p90", Unit: unit.Second, in: Sheet}, metric.StepTime, "p90"},
	{Column{Name: "p95", Long: "step time p95", Unit: unit.Second, in: Page | Sheet}, metric.StepTime, "p95"},
	{Column{Name: "p99", Long: "step time p99", Unit: unit.Second, in: Page | Sheet}, metric.StepTime, "p99"},
	{Column{Name: "mean", Long: "step time mean", Unit: unit.Second, in: Sheet}, metric.StepTime, "mean"},
	{Column{Name: "samples/s", Long: "samples", Unit: unit.ItemPerSecond, in: anywhere, spare: true}, metric.SamplesPerSecond, "value"},
	{Column{Name: "tokens/s", Long: "tokens", Unit: unit.TokenPerSecond, in: anywhere}, metric.TokensPerSecond, "value"},
	{Column{Name: "MFU", Long: "MFU", Unit: unit.Share, in: anywhere}, metric.TrainingMFU, "value"},
	{Column{Name: "hidden p50", Long: "communication hidden p50", Unit: unit.Share, in: anywhere}, metric.CommunicationOverlap, "p50"},
	{Column{Name: "exposed p50", Long: "exposed communication p50", Unit: unit.Second, in: anywhere, spare: true}, metric.ExposedCommunication, "p50"},
}

// trainingTable is one row for each point of training steps.
func (r Report) trainingTable() (h Headline) {
	h.Columns = []Column{{Name: "training", Long: "training", in: anywhere}}
	for _, c := range trainingColumns {
		h.Columns = append(h.Columns, c.Column)
	}
	h.Columns = append(h.Columns, Column{Name: "limit", Long: "what limits the step", in: anywhere})
	for _, p := range r.pointsOf(plan.KindSteps) {
		row := []Figure{word(p.Name)}
		for _, c := range trainingColumns {
			one, ok := r.Estimates.Find(c.metric.ID, c.statistic, p.Index)
			switch {
			case !ok:
				row = append(row, word(""))
			case c.metric.ID == metric.CommunicationOverlap.ID && one.Value <= 0: // none is hidden, not less than none
				row = append(row, word("none"))
			case c.Unit == unit.ItemPerSecond || c.Unit == unit.TokenPerSecond:
				row = append(row, figure(&one.Estimate, one.Unit).headed().marked(one.Void))
			default:
				row = append(row, figure(&one.Estimate, one.Unit).marked(one.Void))
			}
		}
		h.Rows = append(h.Rows, append(row, word(r.limitOf(p.Index))))
	}
	return h.withoutEmpty()
}

// limitOf is what limits the steps of a point, and what else stands out, in a few
// words.
func (r Report) limitOf(point int) string {
	if r.Training == nil {
		return ""
	}
	i := slices.IndexFunc(r.Training.Points, func(p overlap.Point) bool { return p.Point == point })
	if i < 0 {
		return ""
	}
	p := r.Training.Points[i]
	if p.RanOut() {
		return "did not fit into memory"
	}
	d, ok := r.limit(p.Name)
	text := Words(string(d.Class))
	if d.Class == bottleneck.Undetermined {
		text = "not known"
	}
	switch {
	case !ok:
		return limits[p.Verdict.Limit]
	case p.Verdict.Limit == overlap.LimitNone || p.Verdict.Limit == overlap.LimitUnknown:
		return text
	default:
		return text + ": " + limits[p.Verdict.Limit]
	}
}

// collectivesTable is one row for each operation, size and number of ranks.
func (r Report) collectivesTable() (h Headline) {
	if r.Collectives == nil {
		return h
	}
	h.Columns = []Column{
		{Name: "collective", Long: "collective", in: anywhere}, {Name: "algorithm", Long: "algorithm", in: anywhere}, {Name: "ranks", Long: "ranks", Unit: unit.Ratio, in: anywhere},
		{Name: "size", Long: "size", Unit: unit.Byte, in: anywhere}, {Name: "time", Long: "time", Unit: unit.Second, in: anywhere}, {Name: "p99", Long: "time p99", Unit: unit.Second, in: Page | Sheet},
		{Name: "algorithm bandwidth", Long: "algorithm bandwidth", Unit: unit.BytePerSecond, in: anywhere, spare: true}, {Name: "bus bandwidth", Long: "bus bandwidth", Unit: unit.BytePerSecond, in: anywhere},
		{Name: "wrong", Long: "wrong results", Unit: unit.Ratio, in: anywhere},
	}
	rows := r.Collectives.Rows
	several := slices.ContainsFunc(rows, func(c collectives.Row) bool { return c.Asked != rows[0].Asked })
	for _, c := range rows {
		asked, size := "", exact(nil, unit.Byte)
		if several {
			asked = c.Asked
		}
		if bytes := float64(c.Bytes); c.Bytes > 0 {
			size = exact(&bytes, unit.Byte)
		}
		wrong := word("not checked")
		if c.Checked {
			wrong = counted(float64(c.Wrong), fmt.Sprint(c.Wrong))
		}
		h.Rows = append(h.Rows, []Figure{
			word(OpText(c.Op, c.InPlace)), word(asked), counted(float64(c.Ranks), fmt.Sprint(c.Ranks)), size, figure(&c.Time, unit.Second), exact(c.P99, unit.Second),
			figure(c.AlgBW, unit.BytePerSecond), figure(c.BusBW, unit.BytePerSecond), wrong,
		})
	}
	return h.withoutEmpty()
}

// pairsTable is one row for each world whose links were measured one by one.
func (r Report) pairsTable() (h Headline) {
	h.Columns = []Column{{Name: "pairs of ranks", Long: "pairs of ranks", in: anywhere}}
	type column struct {
		metric    metric.Metric
		statistic string
	}
	var columns []column
	for _, m := range []metric.Metric{metric.PairLatency, metric.PairBandwidth} {
		for _, statistic := range []string{"p50", "p95", "p99"} {
			c := Column{Name: statistic, Long: m.Name + " " + statistic, Unit: m.Unit, in: Page | Sheet}
			if statistic == "p50" {
				c.Name, c.in = c.Long, anywhere
			}
			h.Columns, columns = append(h.Columns, c), append(columns, column{m, statistic})
		}
	}
	for _, p := range r.pointsOf(plan.KindPairs) {
		row := []Figure{word(p.Name)}
		for _, c := range columns {
			if one, ok := r.Estimates.Find(c.metric.ID, c.statistic, p.Index); ok {
				row = append(row, figure(&one.Estimate, one.Unit).marked(one.Void))
			} else {
				row = append(row, word(""))
			}
		}
		if Measured(r.Estimates, p.Index) {
			h.Rows = append(h.Rows, row)
		}
	}
	return h.withoutEmpty()
}

// probesTable is one row for each probe of the hardware.
func (r Report) probesTable() (h Headline) {
	if r.Hardware == nil {
		return h
	}
	h.Columns = []Column{{Name: "probe", Long: "probe", in: anywhere}, {Name: "what", Long: "what", in: anywhere}, {Name: "value", Long: "value", in: anywhere, wide: true}}
	for _, one := range r.Hardware.Rows {
		h.Rows = append(h.Rows, []Figure{word(probeName(one)), word(one.What), figure(&one.Estimate, one.Unit)})
	}
	return h
}
