package overlap

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/record"
)

// findings says what a reader of a point must know before quoting it.
func findings(p Point, list []measured) (out []finding.Finding) {
	add := func(check string, severity finding.Severity, message, why, fix string, evidence ...string) {
		out = append(out, finding.Finding{Check: check, Severity: severity, Message: p.Name + ": " + message, Why: why, Fix: fix, Evidence: evidence})
	}
	for _, c := range p.Checks {
		if c.Passed {
			continue
		}
		severity, why, fix := finding.Void, "ranks that compute something else train another model, however fast they are",
			"look at how batches are split, how gradients are averaged and which rank differs; no speed is worth quoting until it holds"
		if c.Name == "flop_count" || c.Name == "parameters" {
			severity, why, fix = finding.Caution, "utilisation rests on the counts of the plan", "do not quote MFU; look for what the model has and the plan does not"
		}
		add("training-"+strings.ReplaceAll(c.Name, "_", "-"), severity, fmt.Sprintf("launch %d: %s failed%s", c.Launch+1, strings.ReplaceAll(c.Name, "_", " "), because(c)), why, fix)
	}
	for _, m := range p.Memory {
		if m.Outcome == outOfMemory {
			add("training-out-of-memory", finding.Caution, fmt.Sprintf("rank %d ran out of memory", m.Rank),
				"a point without steps has no figures", "use a smaller batch for each rank, more accumulation, checkpointing or sharding")
			break
		}
	}
	verdictFinding(p, add)
	clockFindings(p, list, add)
	lossFinding(list, add)
	for _, m := range list {
		basis, ok := m.point.TrainingFLOP()
		rate, known := metric.TokensPerSecond.Whole(m.point)
		if share := rate * basis.PerToken / (float64(basis.Devices) * basis.Peak); ok && known && basis.Peak > 0 && share > 1 {
			add("training-mfu-above-one", finding.Caution, fmt.Sprintf("launch %d: model FLOP utilisation would be %.0f %%", m.launch+1, 100*share),
				"nothing computes faster than its peak: the peak is another device's or precision's, devices are miscounted, or the convention counts what is not computed",
				"check spec.train.peakTFLOPS and flopConvention", fmt.Sprintf("%s: %.4g FLOP/s × %d", basis.PeakSource, basis.Peak, basis.Devices))
			break
		}
	}
	return out
}

type adder = func(check string, severity finding.Severity, message, why, fix string, evidence ...string)

func verdictFinding(p Point, add adder) {
	v := p.Verdict
	switch v.Limit {
	case LimitLateStart:
		add("training-straggler", finding.Caution, v.Text, "every step is as slow as its slowest rank",
			"look at that rank's data loading and at what else runs on its host", v.How...)
	case LimitSlowCompute:
		add("training-straggler", finding.Caution, v.Text, "every step is as slow as its slowest rank",
			"look at that rank's clocks, throttling, neighbours and share of the work; run a matmul probe there", v.How...)
	case LimitSlowLink, LimitSlowDirection:
		add("training-slow-link", finding.Caution, v.Text, "gradients wait for a link, not for a rank",
			"measure all pairs (spec.collectives.pairs) and the link's rate; compress gradients or gather more before each exchange", v.How...)
	case LimitExposed:
		add("training-exposed-communication", finding.Caution, v.Text, "processors wait while gradients travel",
			"vary bucketSize first, then accumulation and compression; more ranks make it worse", v.How...)
	case LimitInput:
		add("training-input-bound", finding.Caution, v.Text, "a faster device would not help",
			"vary loaderWorkers and loadAhead", v.How...)
	}
}

func clockFindings(p Point, list []measured, add adder) {
	for _, m := range list {
		if len(m.ranked.World) < 2 || len(m.counted) == 0 {
			continue
		}
		worst, known := 0.0, true
		for _, row := range m.ranked.World {
			clock := m.ranked.Clock(row.Rank)
			known = known && clock.Known
			worst = max(worst, seconds(clock.Bound))
		}
		step := seconds(m.counted[len(m.counted)/2].Slowest())
		switch {
		case !known:
			add("training-clocks-unknown", finding.Note, fmt.Sprintf("launch %d: how the ranks' clocks stand to each other is not known", m.launch+1),
				"waiting for a peer cannot be distinguished from transfer", "let ranks reach the controller before the measurement")
			return
		case !m.aligned:
			add("training-clocks-rejected", finding.Caution, fmt.Sprintf("launch %d: a bucket ended %s before the last rank had it; clocks within %s of the truth cannot show that", m.launch+1, show(seconds(m.early)), show(worst)),
				"no collective ends before its last rank has entered: the clocks are wrong, and everything that needs a common one is left out",
				"synchronise on an idle network, before and after; look for a clock that is set while ranks run")
			return
		case 2*worst > leastCost*step:
			add("training-clock-bound", finding.Note, fmt.Sprintf("launch %d: clocks are known within %s only, at steps of %s", m.launch+1, show(worst), show(step)),
				"a rank is never called late inside the bounds, so that a straggler of that size stays unnamed", "synchronise over a shorter or idle way")
			return
		}
	}
}

// lossFinding looks for ranks that have a loss in some steps and in others not: what
// is not a finite number is not recorded.
func lossFinding(list []measured, add adder) {
	for _, m := range list {
		have, lack := 0, (*record.Step)(nil)
		for _, s := range m.steps {
			for _, row := range s.Rows {
				if row.Loss != nil {
					have++
				} else if lack == nil {
					lack = &row
				}
			}
		}
		if have > 0 && lack != nil {
			add("training-loss-not-finite", finding.Void, fmt.Sprintf("launch %d: the loss of rank %d is not a finite number in step %d", m.launch+1, lack.Rank, lack.Step),
				"training has broken down; its speed means nothing", "use a smaller learning rate, another precision or loss scaling")
			return
		}
	}
}

func because(c Check) (text string) {
	if c.Value != nil && c.Expected != nil {
		text = fmt.Sprintf(": %.6g, want %.6g", *c.Value, *c.Expected)
	}
	if c.Error != nil {
		text += fmt.Sprintf(", off by %.2g", *c.Error)
	}
	if c.Noise != nil {
		text += fmt.Sprintf(" (adding in another order: %.2g)", *c.Noise)
	}
	if c.Text != "" {
		text += "; " + c.Text
	}
	return text
}
