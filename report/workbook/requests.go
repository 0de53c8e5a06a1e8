package workbook

import (
	"fmt"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/unit"
)

// requests is the sheet of single requests: as many as are asked for, spread evenly
// over the points of the launches, so that no launch and no point is missing and
// none is shown by its first seconds alone. The bundle's tables hold all of them.
func (b *workbook) requests(r report.Report) {
	if r.Bundle == nil {
		return
	}
	rows, all, err := chosenRequests(r, b.options.Requests)
	b.keep(err)
	if all == 0 {
		return
	}
	s := b.sheet("Requests")
	s.line(requestsHead(len(rows), all), cellLook{bold: true})
	s.table([]bookColumn{
		{head: "launch (1)"}, {head: "side"}, {head: "point", width: max(24, pointWidth(r))}, {head: "request (1)"}, {head: "phase"}, {head: "outcome"}, {head: "HTTP status"},
		{head: b.head("due", unit.Second)}, {head: b.head("send lag", unit.Second)}, {head: b.head("TTFT", unit.Second)}, {head: b.head("TPOT", unit.Second)}, {head: b.head("E2E", unit.Second)},
		{head: "prompt, by usage (tok)"}, {head: "answer, by usage (tok)"}, {head: "cached, by usage (tok)"}, {head: "answer, by tokenizer (tok)"},
		{head: "finish reason"}, {head: "error", width: 60},
	})
	for _, cells := range rows {
		s.add(cells...)
	}
	s.filter()
	s.freeze(0)
}

// requestsHead says how many there are and where the others are.
func requestsHead(shown, all int) string {
	if shown == all {
		return fmt.Sprintf("all %d requests of points that ended, as in raw/launch-NN/requests-*.parquet of the bundle; times of due are since the launch began", all)
	}
	return fmt.Sprintf("%d of %d requests, spread evenly over launches and points; %d are left out: raw/launch-NN/requests-*.parquet of the bundle has all; times of due are since the launch began", shown, all, all-shown)
}

// requestValue is what a metric says of one request; nothing of one that did not
// succeed.
func requestValue(m metric.Metric, t *metric.Timeline) any {
	if t.Result != record.OK {
		return nil
	}
	if values := m.Each(t); len(values) == 1 {
		return cellQuantity{values[0], m.Unit}
	}
	return nil
}

func cellCount(n *int32) any {
	if n == nil {
		return nil
	}
	return int(*n)
}

// requestCells is one row.
func requestCells(r report.Report, launch bundle.LaunchInfo, t *metric.Timeline) []any {
	return []any{
		launch.Index + 1, cellText(launch.Side), r.PointName(int(t.Point)), int(t.ID), string(t.Phase), string(t.Result), cellPositive(float64(t.Status), unit.Byte),
		cellQuantity{float64(t.Due) / 1e9, unit.Second}, cellQuantity{float64(t.Sent-t.Due) / 1e9, unit.Second}, requestValue(metric.TTFT, t), requestValue(metric.TPOT, t), requestValue(metric.E2E, t),
		cellCount(t.UsageInput), cellCount(t.UsageOutput), cellCount(t.UsageCached), cellCount(t.TokenizerOutput),
		cellText(t.FinishReason), cellText(t.Error),
	}
}

// chosenRequests reads the launches one after the other and takes an equal share of
// the rows from every point of each: those at even distances in the order of the
// table. All is how many there are.
func chosenRequests(r report.Report, most int) (rows [][]any, all int, err error) {
	share := max(1, most/max(1, len(r.Launches)*len(r.Plan.Points)))
	for _, info := range r.Launches {
		launch, err := metric.ReadSummaries(r.Bundle, info.Index)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range launch.Points {
			all += len(p.Requests)
			for _, t := range evenly(p.Requests, min(share, most-len(rows))) {
				rows = append(rows, requestCells(r, info, t)) // not t: it would hold the whole launch in memory
			}
		}
	}
	return rows, all, nil
}

// evenly takes n of list at even distances, all of them where there are no more.
func evenly[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
