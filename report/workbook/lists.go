package workbook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/unit"
)

// claims is the sheet of what may be quoted and what may not.
func (b *workbook) claims(r report.Report) {
	if r.Claims == nil {
		return
	}
	s := b.sheet("Claims")
	s.table([]bookColumn{
		{head: "may be quoted"}, {head: "sentence, or what was refused", width: 80}, {head: "why not", width: 50}, {head: "to do", width: 50},
		{head: "metric", width: 22}, {head: "statistic"}, {head: "point", width: 20}, {head: "side"},
		{head: "value"}, {head: "low"}, {head: "high"}, {head: "unit"}, {head: "launches (1)"}, {head: "requests in the smallest launch (req)", width: 16},
	})
	wrap := cellLook{wrap: true}
	for _, c := range r.Claims.Claims {
		s.addLook(wrap, "yes", c.Sentence, nil, nil, c.Metric, c.Statistic, c.Point, cellText(c.Side),
			cellQuantity{c.Value, c.Unit}, cellQuantity{c.Interval.Lo, c.Unit}, cellQuantity{c.Interval.Hi, c.Unit}, b.unitName(c.Unit), c.Launches, c.Requests)
	}
	for _, c := range r.Claims.Refused {
		s.addLook(wrap, "no", c.What, c.Reason, cellText(c.ToDo))
	}
	s.filter()
	s.freeze(0)
}

// findings is the sheet of what needs eyes.
func (b *workbook) findings(r report.Report) {
	s := b.sheet("Findings")
	s.table([]bookColumn{{head: "severity"}, {head: "check", width: 22}, {head: "finding", width: 70}, {head: "why it matters", width: 50}, {head: "to do", width: 50}, {head: "evidence", width: 50}})
	for _, f := range r.Findings {
		s.addLook(cellLook{wrap: true}, string(f.Severity), f.Check, f.Message, cellText(f.Why), cellText(f.Fix), cellText(strings.Join(f.Evidence, "\n")))
	}
	s.filter()
	s.freeze(0)
}

// agreement is the sheet of results by two computations: another tool's and ours.
func (b *workbook) agreement(r report.Report) {
	if len(r.Agreement) == 0 {
		return
	}
	s := b.sheet("Reported and recomputed")
	s.table([]bookColumn{{head: "point", width: 24}, {head: "result", width: 20}, {head: "statistic"}, {head: "as reported"}, {head: "recomputed"}, {head: "unit"}, {head: "difference"}, {head: "why they differ", width: 60}, {head: "as the source names it", width: 32}, {head: "our definition", width: 22}})
	for _, row := range r.Agreement {
		s.addLook(cellLook{wrap: true}, r.PointName(row.Point), row.Quantity, row.Statistic, cellQuantity{row.Reported, row.Unit}, cellQuantity{row.Recomputed, row.Unit},
			b.unitName(row.Unit), cellQuantity{row.Difference, unit.Ratio}, cellText(row.Why), row.Name, row.Metric)
	}
	s.filter()
	s.freeze(0)
}

// reported is the sheet of figures that another tool computed; there is none for
// what assay measured.
func (b *workbook) reported(r report.Report) {
	if len(r.Reported) == 0 {
		return
	}
	s := b.sheet("Reported")
	s.table([]bookColumn{{head: "point", width: 24}, {head: "as the source names it", width: 32}, {head: "statistic"}, {head: "value"}, {head: "unit"}, {head: "our definition", width: 22}, {head: "the source's definition", width: 60}, {head: "wrong, because", width: 60}})
	for _, f := range r.Reported {
		point := "whole launch"
		if f.Point >= 0 {
			point = r.PointName(f.Point)
		}
		s.addLook(cellLook{wrap: true}, point, f.Name, f.Statistic, cellQuantity{f.Value, unit.Unit(f.Unit)}, b.unitName(unit.Unit(f.Unit)), cellText(f.Metric), cellText(f.Definition), cellText(f.Wrong))
	}
	s.filter()
	s.freeze(0)
}

// launches is the sheet of all launches, failed ones too.
func (b *workbook) launches(r report.Report) {
	s := b.sheet("Launches")
	s.table([]bookColumn{{head: "launch (1)"}, {head: "side"}, {head: "block (1)"}, {head: "outcome"}, {head: "reason", width: 60}, {head: "started (UTC)", width: 24}, {head: "ended (UTC)", width: 24}})
	for _, l := range r.Launches {
		s.addLook(cellLook{wrap: true}, l.Index+1, cellText(l.Side), l.Block, string(l.Outcome), cellText(l.Reason), cellMoment(l.Started), cellMoment(l.Ended))
	}
	s.filter()
	s.freeze(0)
}

// cellMoment is a time of the wall clock. It is text: a spreadsheet's dates have no
// zone and lose digits.
func cellMoment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// client is the sheet about the instrument itself.
func (b *workbook) client(r report.Report) {
	s := b.sheet("Client")
	columns := []bookColumn{{head: "launch (1)", width: 14}}
	for _, f := range bookClientFacts {
		columns = append(columns, bookColumn{head: b.head(f.name, f.unit)})
	}
	s.table(columns)
	for _, h := range r.Client.Launches {
		cells := []any{h.Launch + 1}
		for _, f := range bookClientFacts {
			if v := f.of(h); v != nil {
				cells = append(cells, cellQuantity{*v, f.unit})
			} else {
				cells = append(cells, nil)
			}
		}
		s.add(cells...)
	}
	s.filter()
	s.freeze(1)
	s.row++
	for _, text := range report.OwnError(r) {
		s.fact("own error", text, 9, 96)
	}
}

// A bookClientFact is one column about the client in a launch.
type bookClientFact struct {
	name string
	unit unit.Unit
	of   func(metric.ClientHealth) *float64
}

var bookClientFacts = []bookClientFact{
	{"requests", unit.Request, func(h metric.ClientHealth) *float64 { return cellNumber(h.Requests) }},
	{"dropped", unit.Request, func(h metric.ClientHealth) *float64 { return cellNumber(h.Dropped) }},
	{"most in flight", unit.Request, func(h metric.ClientHealth) *float64 { return cellNumber(int(h.MostInFlight)) }},
	{"lag p50", unit.Second, func(h metric.ClientHealth) *float64 { return h.LagP50 }},
	{"lag p99", unit.Second, func(h metric.ClientHealth) *float64 { return h.LagP99 }},
	{"lag max", unit.Second, func(h metric.ClientHealth) *float64 { return h.LagMax }},
	{"sent more than 1 ms late", unit.Share, func(h metric.ClientHealth) *float64 { return h.LateShare }},
	{"shared reads", unit.Share, func(h metric.ClientHealth) *float64 { return h.SharedRead }},
	{"CPU", unit.Share, func(h metric.ClientHealth) *float64 { return h.CPUShare }},
	{"CPU, busiest interval", unit.Share, func(h metric.ClientHealth) *float64 { return h.CPUShareMax }},
	{"throttled", unit.Second, func(h metric.ClientHealth) *float64 { return h.Throttled }},
	{"run queue", unit.Share, func(h metric.ClientHealth) *float64 { return h.RunQueue }},
	{"steal", unit.Share, func(h metric.ClientHealth) *float64 { return h.Steal }},
	{"host busy", unit.Share, func(h metric.ClientHealth) *float64 { return h.HostBusy }},
	{"CPU pressure", unit.Share, func(h metric.ClientHealth) *float64 { return h.CPUPressure }},
	{"GC pause, longest", unit.Second, func(h metric.ClientHealth) *float64 { return h.GCPauseMax }},
	{"memory, most", unit.Byte, func(h metric.ClientHealth) *float64 { return h.ResidentMax }},
	{"open files, most", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.OpenFilesMax }},
	{"retransmits", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.Retransmits }},
	{"slowed by heat", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.HeatThrottles }},
	{"disks busy", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.DiskBusy }},
	{"read from disks, B/s", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.DiskRead }},
	{"written to disks, B/s", unit.Ratio, func(h metric.ClientHealth) *float64 { return h.DiskWritten }},
}

func cellNumber(n int) *float64 {
	v := float64(n)
	return &v
}

// environment is the sheet of what is known about machine and software.
func (b *workbook) environment(r report.Report) {
	s := b.sheet("Environment")
	s.table([]bookColumn{{head: "fact", width: 40}, {head: "value", width: 80}, {head: "not available, because", width: 60}})
	facts := r.Manifest.Environment
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		s.addLook(cellLook{wrap: true}, name, cellFact(facts[name]), cellText(facts[name].Unavailable))
	}
	s.filter()
	s.freeze(0)
}

// cellFact is what a fact says: numbers as numbers, all else as text.
func cellFact(f record.Fact) any {
	switch v := f.Value.(type) {
	case nil:
		return nil
	case float64:
		return v
	case int:
		return v
	case []any:
		var list []string
		for _, one := range v {
			list = append(list, fmt.Sprint(one))
		}
		return strings.Join(list, ", ")
	case []string:
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(f.Value)
}

// definitions is the sheet that says what each metric means.
func (b *workbook) definitions(r report.Report) {
	s := b.sheet("Metrics")
	s.table([]bookColumn{{head: "definition", width: 32}, {head: "metric", width: 28}, {head: "unit of the JSON report"}, {head: "better"}, {head: "what it is", width: 110}})
	used := map[string]bool{}
	for _, row := range r.Estimates.Rows {
		used[row.Metric] = true
	}
	for _, m := range metric.All {
		if used[m.ID] {
			s.addLook(cellLook{wrap: true}, m.ID, strings.TrimSpace(m.Name), string(m.Unit), string(m.Better), m.Doc)
		}
	}
	s.filter()
	s.freeze(0)
}
