package overlap

import (
	"fmt"
	"math"
	"slices"
	"time"

	"assay/stats"
)

// The limits of a step.
const (
	LimitNone          = "none"
	LimitLateStart     = "late_start"
	LimitSlowCompute   = "slow_compute"
	LimitSlowLink      = "slow_link"
	LimitSlowDirection = "slow_direction"
	LimitExposed       = "exposed_communication"
	LimitInput         = "input"
	LimitUnknown       = "unknown"
)

const (
	// fewestSteps is the fewest steps that a rank may be named on: single steps
	// scatter by more than what is looked for.
	fewestSteps = 5

	// mostlyLast is how often a rank must be last to be named. On two equal ranks each
	// is last half of the time; culprits of known runs were in 95 to 100 %.
	mostlyLast = .6

	// leastCost is the share of the step that a late rank must cost another one to be
	// what holds the step up, and leastLate how late it must be at all.
	leastCost = .05
	leastLate = 1e-3

	// much is the share of a step from which exposed communication or waiting for input
	// is what holds it up. Below a tenth, adding workers still pays.
	much = .1

	// linkBound is how many times the backward pass the buckets alone must need for the
	// link to be at fault: no order of buckets could hide them.
	linkBound = 1.5

	// lopsided is by how much the transfers of two ranks must differ for one direction
	// of their link to be at fault. On equal links they differed by under 1 %, with
	// one direction at a quarter of the other by 10 %.
	lopsided = 1.05
)

// byChance is the share of buckets that a rank may be last with by luck alone, among
// so many equal ranks: what it would be on average and two deviations more. The
// buckets of a step are late together, so that steps count and not buckets.
func byChance(ranks, steps int) float64 {
	even := 1 / float64(ranks)
	return even + 2*math.Sqrt(even*(1-even)/float64(steps))
}

// verdictOf says what holds the steps of a point up.
func verdictOf(p Point, ranks []*observed, list []measured) Verdict {
	step := 0.0
	for _, r := range p.PerRank {
		step = max(step, r.Step)
	}
	if step == 0 {
		return Verdict{Limit: LimitUnknown, Text: "no measured step with gradient exchange"}
	}
	aligned := true
	for _, m := range list {
		aligned = aligned && m.aligned
	}
	if v, ok := late(p, ranks, step); ok && aligned {
		return v
	}
	if v, ok := slow(p, step); ok && !aligned {
		return v
	}
	if v, ok := inputBound(p, step); ok {
		return v
	}
	if v, ok := exposed(p, list[0].links); ok {
		return v
	}
	return Verdict{Limit: LimitNone, Text: "no rank, link or input holds the step up: it is computing"}
}

// late names the rank that the others wait for, and what makes it late.
func late(p Point, ranks []*observed, step float64) (Verdict, bool) {
	if len(ranks) < 2 {
		return Verdict{}, false
	}
	culprit, first := 0, 0
	for i, r := range p.PerRank {
		if r.Score == nil {
			return Verdict{}, false
		}
		if *r.Score > *p.PerRank[culprit].Score {
			culprit = i
		}
		if *r.Lateness < *p.PerRank[first].Lateness {
			first = i
		}
	}
	r, o := p.PerRank[culprit], ranks[culprit]
	cost, victim := 0.0, -1
	for i, other := range p.PerRank {
		if i != culprit && other.ByWait != nil && *other.ByWait >= cost {
			cost, victim = *other.ByWait, other.Rank
		}
	}
	bound := o.bound + ranks[first].bound
	if len(o.step) < fewestSteps || *r.Last < max(mostlyLast, byChance(len(p.PerRank), len(o.step))) || *r.Lateness <= max(bound, leastLate) || cost < leastCost*step || victim < 0 {
		return Verdict{}, false
	}
	v := Verdict{Rank: &r.Rank, How: []string{
		fmt.Sprintf("rank %d has its gradients %s after the first rank (median), known within %s", r.Rank, show(*r.Lateness), show(bound)),
		fmt.Sprintf("it was last with %.0f %% of %d buckets", 100**r.Last, o.buckets),
		fmt.Sprintf("waiting for it leaves %s of rank %d's step exposed", show(cost), victim),
	}}
	begin, end := stats.Middle(o.perBucket[0]), stats.Middle(o.perBucket[len(o.perBucket)-1])
	v.How = append(v.How, fmt.Sprintf("it begins its forward pass %s late, has its first bucket %s late and its last %s late", show(*r.LateStart), show(begin), show(end)))
	if *r.LateStart >= *r.Lateness/2 {
		v.Limit = LimitLateStart
		v.Text = fmt.Sprintf("rank %d starts its steps late by %s and the others wait for it", r.Rank, show(*r.LateStart))
		if others := othersMiddle(p, culprit, func(r Rank) *float64 { return r.Data }); others != nil && r.Data != nil && *r.Data-*others >= *r.LateStart/2 {
			v.Text, v.Input = v.Text+": its input comes late", true
			v.How = append(v.How, fmt.Sprintf("it waits %s for its input, the others %s", show(*r.Data), show(*others)))
		}
		return v, true
	}
	v.Limit = LimitSlowCompute
	where := "its backward pass"
	if end < 1.5*begin {
		where = "its forward pass" // late with the first bucket and no later with the last
	}
	v.Text = fmt.Sprintf("rank %d computes slowly, in %s, and the others wait for it", r.Rank, where)
	for _, confirm := range []struct {
		name string
		of   func(Rank) *float64
	}{
		{"backward pass without exchange", func(r Rank) *float64 { return r.Unsynced }},
		{"backward pass up to its last gradient", func(r Rank) *float64 { return r.Compute }},
		{"forward pass", func(r Rank) *float64 { return r.Forward }},
	} {
		if others := othersMiddle(p, culprit, confirm.of); others != nil && confirm.of(r) != nil {
			v.How = append(v.How, fmt.Sprintf("%s: %s, the others %s", confirm.name, show(*confirm.of(r)), show(*others)))
		}
	}
	return v, true
}

// slow names a rank by its own clock alone, where clocks cannot be compared.
func slow(p Point, step float64) (Verdict, bool) {
	for i, r := range p.PerRank {
		others := othersMiddle(p, i, func(r Rank) *float64 { return r.Compute })
		if r.Compute != nil && others != nil && *r.Compute-*others >= much*step {
			return Verdict{Limit: LimitSlowCompute, Rank: &r.Rank,
				Text: fmt.Sprintf("rank %d computes its gradients in %s, the others in %s; clocks cannot be compared, so that nothing is said about who waits", r.Rank, show(*r.Compute), show(*others)),
			}, true
		}
	}
	return Verdict{}, false
}

// inputBound says that steps wait for input: by their parts, or because one rank does
// and the others, on which the parts are measured, wait for it.
func inputBound(p Point, step float64) (Verdict, bool) {
	if data, ok := p.Part(dataName); ok && data.Share >= much {
		return Verdict{Limit: LimitInput, Text: fmt.Sprintf("waiting for input is %s of the step", percent(data.Share)),
			How: []string{fmt.Sprintf("it takes %s of a mean step of %s", show(data.Value), show(p.StepMean()))}}, true
	}
	worst := Rank{}
	for _, r := range p.PerRank {
		if r.Data != nil && (worst.Data == nil || *r.Data > *worst.Data) {
			worst = r
		}
	}
	if worst.Data == nil || *worst.Data < much*step {
		return Verdict{}, false
	}
	return Verdict{Limit: LimitInput, Text: fmt.Sprintf("rank %d waits %s for its input (median), of a step of %s", worst.Rank, show(*worst.Data), show(step))}, true
}

// percent shows a share of the step as every reader of the verdict does.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// exposed says why communication is in the open.
func exposed(p Point, l links) (Verdict, bool) {
	part, known := p.Part(exposedName)
	if !known || part.Share < much || len(p.PerRank) < 2 {
		return Verdict{}, false
	}
	worst := Rank{}
	for _, r := range p.PerRank {
		if r.Exposed != nil && (worst.Exposed == nil || *r.Exposed > *worst.Exposed) {
			worst = r
		}
	}
	v := Verdict{Limit: LimitExposed, How: []string{fmt.Sprintf("%s of a mean step of %s are exposed", show(part.Value), show(p.StepMean()))}}
	v.Text = percent(part.Share) + " of the step is exposed communication"
	if worst.Overlap != nil {
		v.How = append(v.How, hidden(worst))
	}
	if d, oneWay, ok := l.slowest(); ok {
		v.From, v.To = &d.from, &d.to
		v.How = append(v.How, fmt.Sprintf("pairs: %d→%d %.3g MB/s", d.from, d.to, d.rate/1e6))
		if oneWay {
			v.Limit = LimitSlowDirection
			v.Text += fmt.Sprintf(": the link from rank %d to rank %d is slow in this direction", d.from, d.to)
		} else {
			v.Limit = LimitSlowLink
			v.Text += fmt.Sprintf(": the link between ranks %d and %d is slower than the others", d.from, d.to)
		}
		return v, true
	}
	if worst.Alone == nil || worst.Compute == nil || *worst.Alone < linkBound**worst.Compute {
		v.Text += ": buckets are sent too late or are too few to hide"
		return v, true
	}
	v.Limit = LimitSlowLink
	v.How = append(v.How, fmt.Sprintf("the same buckets without computation take %s, the backward pass %s", show(*worst.Alone), show(*worst.Compute)))
	v.Text += ": the links need longer for the gradients than the backward pass has"
	if from, to, ok := lopsidedPair(p); ok {
		v.Limit, v.From, v.To = LimitSlowDirection, &from, &to
		v.Text += fmt.Sprintf("; likely the direction from rank %d to rank %d, since the side that sends slowly is done first: measure pairs to be sure", from, to)
	}
	return v, true
}

// hidden says how much of a rank's exchange the computation hid. Copying back after the
// last bucket can make the exposed time longer than the exchange: then none of it was
// hidden, not less than none.
func hidden(r Rank) string {
	if *r.Overlap > 0 {
		return fmt.Sprintf("rank %d: %.0f %% of the exchange is hidden behind the computation", r.Rank, 100**r.Overlap)
	}
	text := fmt.Sprintf("rank %d: none of the exchange is hidden", r.Rank)
	if longer := *r.Exposed - *r.Comm; longer > 0 {
		text += fmt.Sprintf("; waiting took %s longer than the exchange alone", show(longer))
	}
	return text
}

// lopsidedPair finds, between two ranks, the direction that is slow: the side with
// the slow way out is done first, in the steps and with buckets alone.
func lopsidedPair(p Point) (from, to int, ok bool) {
	if len(p.PerRank) != 2 {
		return 0, 0, false
	}
	a, b := p.PerRank[0], p.PerRank[1]
	if a.Transfer == nil || b.Transfer == nil || a.Alone == nil || b.Alone == nil {
		return 0, 0, false
	}
	if *a.Transfer > *b.Transfer {
		a, b = b, a
	}
	return a.Rank, b.Rank, *b.Transfer > lopsided**a.Transfer && *b.Alone > lopsided**a.Alone
}

// othersMiddle is the median of a figure over the other ranks; nil where one of them
// has none.
func othersMiddle(p Point, except int, of func(Rank) *float64) *float64 {
	var list []float64
	for i, r := range p.PerRank {
		if i == except {
			continue
		}
		if of(r) == nil {
			return nil
		}
		list = append(list, *of(r))
	}
	return middle(list)
}

// show prints seconds so that a person can compare them.
func show(s float64) string {
	d := time.Duration(s * 1e9)
	for _, to := range slices.Backward([]time.Duration{time.Microsecond, time.Millisecond, time.Second}) {
		if d.Abs() >= 100*to {
			return d.Round(to).String()
		}
		if d.Abs() >= to {
			return d.Round(to / 10).String()
		}
	}
	return d.String()
}
