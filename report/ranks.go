package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// ServingPoints are the points of requests to a target.
func (r Report) ServingPoints() []plan.Point {
	return slices.DeleteFunc(slices.Clone(r.Plan.Points), func(p plan.Point) bool { return p.Kind() != plan.KindServing })
}

// Serves says whether the run is about requests at all: heads and sections about
// requests have no meaning otherwise.
func (r Report) Serves() bool { return len(r.ServingPoints()) > 0 || len(r.Plan.Points) == 0 }

// rankBlocks are what ranks, probes and tools did, for faces of text.
func (r Report) rankBlocks() []Block {
	return slices.Concat(r.AccuracyBlocks(), r.ExternalBlocks(), r.trainingBlocks(), r.CollectiveBlocks(), r.NodesBlocks(), r.HardwareBlocks(), []Block{r.BesideBlock()})
}

// BesideBlock is how busy assay and its host were beside ranks and probes; runs of
// requests show it with the rest of the client.
func (r Report) BesideBlock() Block {
	b := Block{Title: "assay and its host beside the run", Head: []string{"launch", "CPU of assay", "busiest", "waiting to run", "stolen", "CPU pressure", "host busy", "memory of assay"}}
	if r.Serves() {
		return b
	}
	for _, h := range r.Client.Launches {
		b.Rows = append(b.Rows, []string{
			fmt.Sprint(h.Launch + 1), Percent(h.CPUShare), Percent(h.CPUShareMax), Percent(h.RunQueue), Percent(h.Steal), Percent(h.CPUPressure), Percent(h.HostBusy), Quantity(h.ResidentMax, unit.Byte),
		})
	}
	return withoutEmpty(b)
}

// writeRanks writes what ranks and probes measured.
func writeRanks(b *bytes.Buffer, r Report) {
	var p Outline
	for _, one := range r.rankBlocks() {
		p.add(one)
	}
	if len(p.Blocks) > 0 {
		b.WriteByte('\n')
		_ = p.text(b) // a buffer takes everything
	}
}

// ways lists how the points of a plan spread their model, each once. The plain
// program is none of them.
func ways(p plan.Plan) string {
	var list []string
	for _, point := range p.Points {
		if s := point.Steps; s != nil && !slices.Contains(list, s.Parallelism) {
			list = append(list, s.Parallelism)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " and ")
}

// RankQuestion says what ranks and probes were asked, a line for each kind.
func (r Report) RankQuestion() (list [][2]string) {
	s := r.Plan.Decided()
	if t := s.Train; t != nil && r.Plan.Has(plan.KindSteps) {
		i := slices.IndexFunc(r.Plan.Points, func(p plan.Point) bool { return p.Kind() == plan.KindSteps })
		own := r.Plan.Points[i].Steps
		total, _ := plan.Count(own.Shape)
		text := fmt.Sprintf("%s by %s on %s: %s of %s parameters in %s, %s scaling, ranks %s, %d steps after %d",
			ways(r.Plan), own.Backend, own.Device, own.Shape.Family, thousands(total), own.Precision, own.Scaling, listed(t.Ranks), own.Steps, own.Warmup)
		switch {
		case own.Across != "":
			text += fmt.Sprintf("; %s by %s", own.Knob, own.Across)
		case own.Knob != "":
			text += fmt.Sprintf("; %s varies", own.Knob)
		}
		list = append(list, [2]string{"training", text})
	}
	if c := s.Collectives; c != nil && r.Plan.Has(plan.KindCollective, plan.KindPairs) {
		list = append(list, [2]string{"collectives", fmt.Sprintf("%s by %s on %s, ranks %s, sizes %s, %s, %d calls after %d",
			strings.Join(c.Operations, ", "), c.Backend, c.Device, listed(c.Ranks), listed(c.Sizes), c.DataType, c.Iterations, c.Warmup)})
	}
	if p := s.Probe; p != nil && r.Plan.Has(plan.KindProbe) {
		list = append(list, [2]string{"probes", fmt.Sprintf("%s on %s, %v for each variant, %d replicates", strings.Join(p.Probes, ", "), p.Device, p.Duration, p.Replicates)})
	}
	return list
}

func listed[T any](list []T) string {
	var texts []string
	for _, one := range list {
		texts = append(texts, fmt.Sprint(one))
	}
	return strings.Join(texts, ", ")
}

// thousands writes a large count as people say it: 3.21 M.
func thousands(n int64) string {
	for _, s := range []struct {
		from   float64
		suffix string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if float64(n) >= s.from {
			return fmt.Sprintf("%.3g%s", float64(n)/s.from, s.suffix)
		}
	}
	return fmt.Sprint(n)
}

// flops writes a rate of computation: 798 TFLOP/s.
func flops(v float64) string { return unit.Format(v, unit.FLOPPerSecond) }

// estimated shows an estimate of a unit with its interval.
func estimated(e stats.Estimate, u unit.Unit) string {
	if !e.Interval.Bounded() {
		return Unbounded(unit.Format(e.Value, u), e.Warnings)
	}
	return unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, u)
}

// estimatedOrNone shows an estimate that may be missing.
func estimatedOrNone(e *stats.Estimate, u unit.Unit) string {
	if e == nil {
		return "–"
	}
	return estimated(*e, u)
}

// Share shows a part of one as percent.
func Share(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func size(v *int64) string {
	if v == nil {
		return "–"
	}
	return unit.Format(float64(*v), unit.Byte)
}

// figureRows are the estimates of one point of ranks: figures of the whole, and
// medians beside p95 and p99 of distributions.
func (r Report) figureRows(point plan.Point) (rows [][]string) {
	parts := metric.StepParts() // which have a table of their own
	for _, m := range metric.All {
		if !m.About(point.Kind()) || !r.Shown(m) || slices.ContainsFunc(parts, func(part metric.Metric) bool { return part.ID == m.ID }) {
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			rows = append(rows, []string{strings.TrimSpace(m.Name), Value(row), "–", "–", Percent(row.CV)})
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "p50", point.Index); ok {
			rows = append(rows, []string{strings.TrimSpace(m.Name), Value(row), cell(r.Estimates, m, "p95", point.Index), cell(r.Estimates, m, "p99", point.Index), Percent(row.CV)})
		}
	}
	return rows
}

// figureHead heads figureRows.
var figureHead = []string{"metric", "value or p50", "p95", "p99", "CV"}

// rankFigures are the figures of ranks and probes that are no metric of their own,
// as rows of the CSV.
func rankFigures(r Report) (rows []metric.Row) {
	add := func(id, name string, point int, u unit.Unit, e stats.Estimate) {
		rows = append(rows, metric.Row{Metric: id, Name: name, Statistic: "value", Unit: u, Point: point, Estimate: e})
	}
	if r.Training != nil {
		for _, p := range r.Training.Points {
			for _, one := range p.Parts {
				add("step_part.v1", strings.ReplaceAll(one.Name, "_", " "), p.Point, unit.Second, one.Estimate)
			}
		}
	}
	if r.Hardware != nil {
		for _, one := range r.Hardware.Rows {
			add("hardware.v1", probeName(one), one.Point, one.Unit, one.Estimate)
		}
	}
	return rows
}

// FiniteOr is v, or another value where it is none.
func FiniteOr(v, otherwise float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return otherwise
	}
	return v
}
