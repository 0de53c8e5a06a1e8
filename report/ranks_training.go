package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/overlap"
	"assay/plan"
	"assay/unit"
)

// trainingBlocks are where the time of steps went, point by point.
func (r Report) trainingBlocks() (list []Block) {
	if r.Training == nil {
		return nil
	}
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
	list := []Block{trainedBlock(p)}
	if rows := r.figureRows(point); len(rows) > 0 {
		list = append(list, withoutEmpty(Block{Title: p.Name + ": figures", Head: figureHead, Rows: rows}))
	}
	return append(list, partsBlock(p), rankBlock(p), memoryBlock(p), checksBlock(p), tracesBlock(p))
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

// VerdictLines say what holds steps up, and by which figures.
func VerdictLines(v overlap.Verdict) []string {
	words := limits[v.Limit]
	if words == "" {
		words = v.Limit
	}
	text := "what holds it up: " + words
	if v.Text != "" && v.Text != words {
		text += ": " + v.Text
	}
	list := []string{text}
	for _, how := range v.How {
		list = append(list, "by: "+how)
	}
	return list
}

func ranksText(n int) string {
	if n == 1 {
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

func trainedBlock(p overlap.Point) Block {
	b := Block{Title: "training, " + p.Name}
	b.Lines = append(b.Lines, fmt.Sprintf("%s, %d measured steps with exchange over all launches", ranksText(p.Ranks), p.Steps))
	b.Lines = append(b.Lines, VerdictLines(p.Verdict)...)
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

func partsBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": where a step goes, on its slowest rank", Head: []string{"part", "time", "share"}}
	for _, one := range p.Parts {
		b.Rows = append(b.Rows, []string{PartText(one.Name), estimated(one.Estimate, unit.Second), Share(one.Share)})
	}
	return b
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
			t(one.Comm), Percent(one.Overlap), t(one.Alone), t(one.Interfere), t(one.Lateness), t(one.LateStart), Percent(one.Last),
		})
	}
	return withoutEmpty(b)
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
