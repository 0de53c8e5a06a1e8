package workbook

import (
	"strings"

	"assay/report"
	"assay/stats"
	"assay/unit"
)

// ranks are the sheets of what ranks and probes measured; a plan without any has
// none of them.
func (b *workbook) ranks(r report.Report) {
	if r.Training != nil {
		b.trainingParts(r)
		b.trainingRanks(r)
		b.trainingMemory(r)
	}
	if r.Collectives != nil {
		b.collectiveSizes(r)
		b.collectiveFits(r)
		b.collectivePairs(r)
	}
	if r.Hardware != nil {
		b.hardware(r)
	}
}

// rankIntervals is every figure of every point, where nothing was asked of a target.
func (b *workbook) rankIntervals(s *bookSheet, r report.Report) {
	s.table([]bookColumn{{head: "point", width: max(24, pointWidth(r))}, {head: "metric", width: 28}, {head: "statistic"}, {head: "unit"}, {head: "value", width: 16}, {head: "low", width: 16}, {head: "high", width: 16}, {head: "launches (1)"}, {head: "definition", width: 24}})
	for _, row := range r.Estimates.Rows {
		cells := append([]any{r.PointName(row.Point), strings.TrimSpace(row.Name), row.Statistic, b.unitName(row.Unit)}, cellsOfEstimate(row)...)
		s.add(append(cells, row.N, row.Metric)...)
	}
	s.ended(1)
}

// ended makes a table complete.
func (s *bookSheet) ended(columns int) {
	s.filter()
	s.freeze(columns)
}

func (b *workbook) trainingParts(r report.Report) {
	s := b.sheet("Training")
	columns := []bookColumn{
		{head: "point", width: 24}, {head: "ranks (1)"}, {head: "steps (1)"}, {head: "part of the step", width: 26}, {head: b.head("mean", unit.Second)}, {head: b.head("low", unit.Second)},
		{head: b.head("high", unit.Second)}, {head: "share of the step (1)"}, {head: "launches (1)"},
	}
	for _, statistic := range report.PhaseStatistics {
		columns = append(columns, bookColumn{head: b.head(statistic, unit.Second)})
	}
	s.table(append(columns, bookColumn{head: "what limits the step", width: 70}))
	for _, p := range r.Training.Points {
		for i, one := range p.Parts {
			var verdict any
			if i == 0 {
				verdict = strings.Join(r.LimitLines(p), "; ")
			}
			cells := append([]any{p.Name, p.Ranks, p.Steps, report.Words(one.Name)}, cellsOf(one.Estimate, unit.Second)...)
			cells = append(cells, cellQuantity{one.Share, unit.Share}, one.N)
			for _, statistic := range report.PhaseStatistics {
				var cell any
				if v, ok := r.PhaseValue(one.Metric, statistic, p.Point); ok {
					cell = cellQuantity{v, unit.Second}
				}
				cells = append(cells, cell)
			}
			s.addLook(cellLook{wrap: true}, append(cells, verdict)...)
		}
	}
	s.ended(1)
}

// cellsOf are an estimate and its interval.
func cellsOf(e stats.Estimate, u unit.Unit) []any {
	return []any{cellQuantity{e.Value, u}, cellQuantity{e.Interval.Lo, u}, cellQuantity{e.Interval.Hi, u}}
}

// cellsOfNone are an estimate that may be missing.
func cellsOfNone(e *stats.Estimate, u unit.Unit) []any {
	if e == nil {
		return []any{nil, nil, nil}
	}
	return cellsOf(*e, u)
}

func cellMaybe(v *float64, u unit.Unit) any {
	if v == nil {
		return nil
	}
	return cellQuantity{*v, u}
}

func cellBytes(v *int64) any {
	if v == nil {
		return nil
	}
	return cellQuantity{float64(*v), unit.Byte}
}

func (b *workbook) trainingRanks(r report.Report) {
	s := b.sheet("Training ranks")
	columns := []bookColumn{{head: "point", width: 24}, {head: "rank (1)"}, {head: "host", width: 20}}
	for _, name := range []string{
		"step", "step p5", "step p95", "data", "copy in", "forward", "backward", "backward without exchange", "optimizer", "compute of backward", "exposed communication",
		"exposed: transfer", "exposed: peers", "communication", "transfer", "waiting for peers", "buckets alone", "interference", "bucket lateness", "late start",
	} {
		columns = append(columns, bookColumn{head: b.head(name, unit.Second)})
	}
	s.table(append(columns, bookColumn{head: "overlapped (1)"}, bookColumn{head: "last (1)"}))
	for _, p := range r.Training.Points {
		for _, k := range p.PerRank {
			cells := []any{p.Name, k.Rank, cellText(k.Host), cellQuantity{k.Step, unit.Second}, cellQuantity{k.Spread[0], unit.Second}, cellQuantity{k.Spread[1], unit.Second}}
			for _, v := range []*float64{
				k.Data, k.H2D, k.Forward, k.Backward, k.Unsynced, k.Optimizer, k.Compute, k.Exposed, k.ByTransfer, k.ByWait, k.Comm, k.Transfer, k.PeerWait, k.Alone, k.Interfere, k.Lateness, k.LateStart,
			} {
				cells = append(cells, cellMaybe(v, unit.Second))
			}
			s.add(append(cells, cellMaybe(k.Overlap, unit.Share), cellMaybe(k.Last, unit.Ratio))...)
		}
	}
	s.ended(2)
}

func (b *workbook) trainingMemory(r report.Report) {
	s := b.sheet("Memory")
	columns := []bookColumn{{head: "point", width: 24}, {head: "rank (1)"}, {head: "outcome", width: 16}}
	for _, name := range []string{"parameters", "gradients", "optimizer", "activations", "peak allocated", "peak reserved", "fragmented", "resident", "total"} {
		columns = append(columns, bookColumn{head: b.head(name, unit.Byte), width: 15})
	}
	s.table(columns)
	for _, p := range r.Training.Points {
		for _, m := range p.Memory {
			cells := []any{p.Name, m.Rank, report.Words(m.Outcome)}
			for _, v := range []*int64{m.Parameters, m.Gradients, m.Optimizer, m.Activations, m.PeakAllocated, m.PeakReserved, m.Fragmented, m.Resident, m.Total} {
				cells = append(cells, cellBytes(v))
			}
			s.add(cells...)
		}
	}
	s.ended(2)
}

func (b *workbook) collectiveSizes(r report.Report) {
	s := b.sheet("Collectives")
	columns := []bookColumn{{head: "operation", width: 18}, {head: b.head("size", unit.Byte)}, {head: "count (1)"}, {head: "type"}, {head: "ranks (1)"}, {head: "in place"}, {head: "backend"}, {head: "algorithm asked"}, {head: "algorithm", width: 16}}
	for _, of := range []struct {
		name string
		unit unit.Unit
	}{{"time", unit.Second}, {"algbw", unit.BytePerSecond}, {"busbw", unit.BytePerSecond}} {
		columns = append(columns, bookColumn{head: b.head(of.name, of.unit), width: 16}, bookColumn{head: b.head(of.name+" low", of.unit), width: 16}, bookColumn{head: b.head(of.name+" high", of.unit), width: 16})
	}
	s.table(append(columns, bookColumn{head: b.head("p99", unit.Second)}, bookColumn{head: "wrong (1)"}, bookColumn{head: "iterations (1)"}, bookColumn{head: "emulated by", width: 20}))
	for _, row := range r.Collectives.Rows {
		place, wrong := "no", any("not checked")
		if row.InPlace {
			place = "yes"
		}
		if row.Checked {
			wrong = int(row.Wrong)
		}
		cells := []any{row.Op, cellQuantity{float64(row.Bytes), unit.Byte}, int(row.Count), row.DataType, row.Ranks, place, row.Backend, row.Asked, row.Algorithm}
		cells = append(cells, cellsOf(row.Time, unit.Second)...)
		cells = append(cells, cellsOfNone(row.AlgBW, unit.BytePerSecond)...)
		cells = append(cells, cellsOfNone(row.BusBW, unit.BytePerSecond)...)
		s.add(append(cells, cellMaybe(row.P99, unit.Second), wrong, row.Samples, cellText(row.Emulated))...)
	}
	s.ended(2)
}

func (b *workbook) collectiveFits(r report.Report) {
	if len(r.Collectives.Fits) == 0 {
		return
	}
	s := b.sheet("Models")
	s.table([]bookColumn{
		{head: "operation", width: 18}, {head: "algorithm"}, {head: "ranks (1)"}, {head: b.head("alpha", unit.Second)}, {head: b.head("beta", unit.BytePerSecond), width: 16},
		{head: b.head("half bandwidth at", unit.Byte)}, {head: "worst residual (1)"}, {head: "may predict"}, {head: "why not", width: 50}, {head: "rule", width: 60},
	})
	for _, f := range r.Collectives.Fits {
		usable := "no"
		if f.Usable {
			usable = "yes"
		}
		s.addLook(cellLook{wrap: true}, report.OpText(f.Op, f.InPlace), f.Algorithm, f.Ranks, cellQuantity{f.Alpha, unit.Second}, cellQuantity{f.Beta, unit.BytePerSecond}, cellQuantity{f.Half, unit.Byte},
			cellQuantity{f.Residual, unit.Ratio}, usable, cellText(f.Refused), f.Rule)
	}
	s.ended(1)
}

func (b *workbook) collectivePairs(r report.Report) {
	if len(r.Collectives.Matrices) == 0 {
		return
	}
	s := b.sheet("Pairs")
	s.table([]bookColumn{{head: "launch (1)"}, {head: "ranks (1)"}, {head: "from rank (1)"}, {head: "from host", width: 20}, {head: "to rank (1)"}, {head: "to host", width: 20}, {head: b.head("latency", unit.Second)}, {head: b.head("bandwidth", unit.BytePerSecond), width: 16}})
	at := func(of [][]float64, i, j int, u unit.Unit) any {
		if of == nil || of[i][j] == 0 {
			return nil
		}
		return cellQuantity{of[i][j], u}
	}
	for _, m := range r.Collectives.Matrices {
		for i := range m.Ranks {
			for j := range m.Ranks {
				if i != j {
					s.add(m.Launch+1, m.Ranks, i, cellText(m.Hosts[i]), j, cellText(m.Hosts[j]), at(m.Latency, i, j, unit.Second), at(m.Bandwidth, i, j, unit.BytePerSecond))
				}
			}
		}
	}
	s.ended(0)
}

func (b *workbook) hardware(r report.Report) {
	s := b.sheet("Hardware")
	s.table([]bookColumn{
		{head: "probe", width: 16}, {head: "variant", width: 24}, {head: "of", width: 20}, {head: "threads (1)"}, {head: b.head("size", unit.Byte)}, {head: "what"}, {head: "unit"},
		{head: "value", width: 16}, {head: "low", width: 16}, {head: "high", width: 16}, {head: "p99", width: 14}, {head: "replicates (1)"}, {head: "wrong (1)"},
	})
	for _, row := range r.Hardware.Rows {
		cells := []any{row.Probe, row.Variant, cellText(row.Scope), cellPositive(float64(row.Threads), unit.Byte), cellPositive(float64(row.Size), unit.Byte), row.What, b.unitName(row.Unit)}
		cells = append(cells, cellsOf(row.Estimate, row.Unit)...)
		s.add(append(cells, cellMaybe(row.P99, row.Unit), row.Samples, int(row.Wrong))...)
	}
	s.ended(2)
}
