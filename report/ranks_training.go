package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/bottleneck"
	"assay/analysis/overlap"
	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// trainingBlocks are the grid of two knobs and where the time of steps went, point by
// point.
func (r Report) trainingBlocks() (list []Block) {
	if r.Training == nil {
		return nil
	}
	list = r.GridBlocks()
	for _, p := range r.Training.Points {
		list = append(list, r.StepBlocks(p)...)
	}
	for _, point := range r.Plan.Points {
		if point.Kind() == plan.KindSteps && !r.trained(point.Index) {
			list = append(list, Block{Title: "training, " + point.Name, Lines: []string{"no completed launch measured this point"}})
		}
	}
	return list
}

// StepBlocks are those of one point.
func (r Report) StepBlocks(p overlap.Point) []Block {
	point, _ := r.Plan.PointByIndex(p.Point)
	list := []Block{r.trainedBlock(p)}
	if rows := r.figureRows(point); len(rows) > 0 {
		list = append(list, withoutEmpty(Block{Title: p.Name + ": figures", Head: figureHead, Rows: rows}))
	}
	return append(list, r.partsBlock(p), r.jobBlock(p), rankBlock(p), memoryBlock(p), checksBlock(p), tracesBlock(p))
}

func (r Report) trained(point int) bool {
	for _, p := range r.Training.Points {
		if p.Point == point {
			return true
		}
	}
	return false
}

// limits are the verdicts in words.
var limits = map[string]string{
	"none": "nothing stands out", "late_start": "a rank starts late", "slow_compute": "a rank computes slowly", "slow_link": "a link is slow",
	"slow_direction": "one direction of a link is slow", "exposed_communication": "communication is not hidden", "input": "ranks wait for input", "unknown": "cannot be known",
}

// LimitLines say what limits the steps of a point, what else stands out, and by which
// figures. The first line is that of assay diagnose.
func (r Report) LimitLines(p overlap.Point) (list []string) {
	if d, ok := r.limit(p.Name); ok {
		list = append(list, d.Sentence())
	}
	v := p.Verdict
	words := limits[v.Limit]
	if words == "" {
		words = v.Limit
	}
	if v.Limit != overlap.LimitNone {
		words = "what stands out: " + words
	}
	if v.Text != "" {
		words += ": " + v.Text
	}
	list = append(list, words)
	for _, how := range v.How {
		list = append(list, "by: "+how)
	}
	return list
}

// limit is what limits the point of that name; false where nobody judged it.
func (r Report) limit(point string) (bottleneck.Diagnosis, bool) {
	i := slices.IndexFunc(r.Limits, func(d bottleneck.Diagnosis) bool { return d.Point == point })
	if i < 0 {
		return bottleneck.Diagnosis{}, false
	}
	return r.Limits[i], true
}

func ranksText(n int) string {
	if n == 1 {
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

func (r Report) trainedBlock(p overlap.Point) Block {
	b := Block{Title: "training, " + p.Name}
	b.Lines = append(b.Lines, fmt.Sprintf("%s, %d measured steps with exchange over all launches", ranksText(p.Ranks), p.Steps))
	b.Lines = append(b.Lines, r.LimitLines(p)...)
	if p.Profile != nil {
		b.Lines = append(b.Lines, p.Profile.String())
	}
	if text := clockText(p.Clocks); text != "" {
		b.Lines = append(b.Lines, text)
	}
	if p.FLOP != nil {
		b.Lines = append(b.Lines, flopText(*p.FLOP))
	}
	return b
}

// clockText says how well clocks are known; nothing where nobody asked.
func clockText(clocks []overlap.Clock) string {
	worst, drift := 0.0, 0.0
	for _, c := range clocks {
		worst = max(worst, c.Bound)
		if c.Drift != nil {
			drift = max(drift, *c.Drift, -*c.Drift)
		}
	}
	if len(clocks) == 0 {
		return ""
	}
	if worst == 0 {
		return "ranks share one clock"
	}
	return fmt.Sprintf("clocks of ranks are aligned to within %s, drift up to %.2g ppm: nobody is accused inside of that", unit.Format(worst, unit.Second), drift)
}

// flopText is what model FLOP utilisation rests on.
func flopText(f overlap.FLOP) string {
	text := fmt.Sprintf("FLOP by %s: %s per token (%s with recomputation), %s parameters of which %s embed, sequence %d, %d devices in %s",
		f.Convention, count3(f.PerToken), count3(f.Hardware), thousands(f.Parameters), thousands(f.Embedding), f.Sequence, f.Devices, f.Precision)
	if f.Peak > 0 {
		text += fmt.Sprintf("; peak %s each (%s)", flops(f.Peak), f.PeakSource)
	}
	if f.Measured != nil {
		text += fmt.Sprintf("; a matmul reached %s here", flops(*f.Measured))
	}
	if f.Counted != nil {
		text += fmt.Sprintf("; the profiler counted %s per token", count3(*f.Counted))
	}
	return text
}

func count3(v float64) string { return thousands(int64(v)) }

// PhaseStatistics are shown of every part of a step beside its mean.
var PhaseStatistics = []string{"sd", "min", "max", "p50", "p95", "p99"}

func (r Report) phaseText(id, statistic string, point int) string {
	if v, ok := r.PhaseValue(id, statistic, point); ok {
		return unit.Format(v, unit.Second)
	}
	if _, ok := r.Estimates.Find(id, statistic, point); ok {
		return "too few"
	}
	return "–"
}

// PhaseValue is one statistic of a part of steps: the mean over launches, and of the
// least and the greatest values those of all launches. False for a percentile that
// the steps cannot bound.
func (r Report) PhaseValue(id, statistic string, point int) (float64, bool) {
	row, ok := r.Estimates.Find(id, statistic, point)
	if !ok || slices.ContainsFunc(row.Warnings, stats.IsTooFew) {
		return 0, false
	}
	v := row.Value
	for _, launch := range row.PerLaunch {
		switch statistic {
		case "min":
			v = min(v, launch.Value)
		case "max":
			v = max(v, launch.Value)
		}
	}
	return v, true
}

func (r Report) partsBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": where a step goes, on its slowest rank", Head: append([]string{"part", "mean", "share"}, PhaseStatistics...)}
	row := func(name, mean, share, id string) {
		cells := []string{name, mean, share}
		for _, statistic := range PhaseStatistics {
			cells = append(cells, r.phaseText(id, statistic, p.Point))
		}
		b.Rows = append(b.Rows, cells)
	}
	for _, one := range p.Parts {
		row(PartText(one.Name), estimated(one.Estimate, unit.Second), Share(one.Share), one.Metric)
	}
	if len(p.Parts) > 0 {
		row("whole step", unit.Format(p.StepMean(), unit.Second), "", metric.StepTime.ID)
	}
	return withoutEmpty(b)
}

// rankBlock has a row for each rank; columns that nobody measured are left out.
func rankBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": rank by rank, medians", Head: []string{
		"rank", "host", "step", "p5 to p95", "data", "copy in", "forward", "backward", "without exchange", "optimizer", "exposed", "of it transfer", "of it peers",
		"communication", "overlapped", "alone", "interference", "bucket lateness", "late start", "last",
	}}
	t := func(v *float64) string { return Quantity(v, unit.Second) }
	for _, one := range p.PerRank {
		b.Rows = append(b.Rows, []string{
			fmt.Sprint(one.Rank), Dash(one.Host), unit.Format(one.Step, unit.Second), unit.Format(one.Spread[0], unit.Second) + " to " + unit.Format(one.Spread[1], unit.Second),
			t(one.Data), t(one.H2D), t(one.Forward), t(one.Backward), t(one.Unsynced), t(one.Optimizer), t(one.Exposed), t(one.ByTransfer), t(one.ByWait),
			t(one.Comm), hidden(one), t(one.Alone), t(one.Interfere), t(one.Lateness), t(one.LateStart), Percent(one.Last),
		})
	}
	return withoutEmpty(b)
}

// hidden is the share of a rank's exchange that computation hid. Where waiting took
// longer than the exchange, none was, and not less than none.
func hidden(r overlap.Rank) string {
	if r.Overlap != nil && *r.Overlap < 0 {
		return fmt.Sprintf("none, %s longer", unit.Format(max(0, OrZero(r.Exposed)-OrZero(r.Comm)), unit.Second))
	}
	return Percent(r.Overlap)
}

func memoryBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": memory", Head: []string{
		"rank", "outcome", "parameters", "gradients", "optimizer", "activations", "peak allocated", "peak reserved", "fragmented", "process", "of",
	}}
	for _, m := range p.Memory {
		b.Rows = append(b.Rows, []string{
			fmt.Sprint(m.Rank), strings.ReplaceAll(m.Outcome, "_", " "), size(m.Parameters), size(m.Gradients), size(m.Optimizer), size(m.Activations),
			size(m.PeakAllocated), size(m.PeakReserved), size(m.Fragmented), size(m.Resident), size(m.Total),
		})
	}
	return withoutEmpty(b)
}

func checksBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": is the training right", Head: []string{"check", "passed in launches", "value", "expected", "error", "noise", "remark"}}
	number := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprintf("%.6g", *v)
	}
	for _, one := range gathered(p.Checks) {
		passed := fmt.Sprintf("%d of %d", one.passed, one.launches)
		if one.passed < one.launches {
			passed = "ONLY " + passed
		}
		c := one.worst
		b.Rows = append(b.Rows, []string{Words(c.Name), passed, number(c.Value), number(c.Expected), number(c.Error), number(c.Noise), Dash(c.Text)})
	}
	return withoutEmpty(b)
}

// A checked is one check over the launches, with the launch that did worst.
type checked struct {
	worst            overlap.Check
	passed, launches int
}

// gathered sums checks up by name: a failed one is worse than any that passed, then
// the one with the larger error.
func gathered(checks []overlap.Check) (list []checked) {
	for _, c := range checks {
		i := slices.IndexFunc(list, func(o checked) bool { return o.worst.Name == c.Name })
		if i < 0 {
			list = append(list, checked{worst: c})
			i = len(list) - 1
		}
		one := &list[i]
		one.launches++
		if c.Passed {
			one.passed++
		}
		if worst := one.worst; worst.Passed && !c.Passed || worst.Passed == c.Passed && OrZero(c.Error) > OrZero(worst.Error) {
			one.worst = c
		}
	}
	return list
}

// tracesBlock says what the profiler saw.
func tracesBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": traces of the profiler", Head: []string{"file", "rank", "span", "compute", "communication", "of it exposed", "copies", "idle", "kernels", "longest kernel"}}
	t := func(v float64) string { return unit.Format(v, unit.Second) }
	for _, one := range p.Traces {
		rank, top := "–", "–"
		if one.Rank != nil {
			rank = fmt.Sprint(*one.Rank)
		}
		if len(one.Top) > 0 {
			top = fmt.Sprintf("%s, %s in %d", one.Top[0].Name, t(one.Top[0].Seconds), one.Top[0].Count)
		}
		b.Rows = append(b.Rows, []string{one.File, rank, t(one.Span), t(one.Compute), t(one.Comm), t(one.Exposed), t(one.Copy), t(one.Idle), fmt.Sprint(one.Kernels), top})
	}
	return withoutEmpty(b)
}
