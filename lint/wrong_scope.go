package lint

import (
	"fmt"
	"math"

	"assay/analysis/ranks"
	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// WrongScope fires when the clock ran over something else than the metric says.
var WrongScope = Check{
	ID: "wrong-scope", Code: "P-09", Severity: finding.Caution,
	Doc: "What was timed or counted is not what the metric says.",
	When: "steps more than 1 % shorter than the time of their kernels; an output rate that equals " +
		"prompt plus output within 1 %",
	Applies: func(f *Facts) bool { return trains(f) || statedWith(statesOutput)(f) },
	Run:     wrongScope,
}

// A stated rate this close to prompt and output together is no coincidence.
const sameRate = .01

// trains says that the run has training steps.
func trains(f *Facts) bool {
	s := f.Plan.Decided()
	return s.Train != nil || s.Intent.WorkloadType == spec.Training || len(f.Ranks) > 0
}

func statesOutput(_ *Facts, s Statement) bool {
	m, ok := metricOf(s)
	return ok && m.ID == metric.OutputThroughput.ID
}

func wrongScope(f *Facts) Answer {
	list := promptTokens(f)
	if !trains(f) {
		return found(list...)
	}
	var worst *ranks.Tally
	measured := false
	over := 0
	for i, r := range f.Ranks {
		measured = measured || r.Busy != nil
		over += r.Over
		if r.Over > 0 && (worst == nil || r.OverBusy-r.OverStep > worst.OverBusy-worst.OverStep) {
			worst = &f.Ranks[i]
		}
	}
	if worst != nil {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%d steps are shorter than the time in which their kernels ran, such as %s against %s on rank %d of launch %d",
				over, duration(worst.OverStep), duration(worst.OverBusy), worst.Rank, worst.Launch+1),
			Why: "the start of work was timed, not the work: kernels run on after the call returns",
			Fix: "synchronise the device before the clock is stopped, or time with device events",
		})
	}
	if !measured {
		return Answer{Findings: list, Missing: "the time with a kernel running (gpu_busy_ns of the table steps)"}
	}
	return found(list...)
}

// promptTokens looks for output rates that count what was asked as well.
func promptTokens(f *Facts) []finding.Finding {
	var list []finding.Finding
	for _, s := range f.Statements {
		if !statesOutput(f, s) {
			continue
		}
		row, ok := f.rowOf(s)
		input, both := f.Estimates.Find(metric.InputThroughput.ID, row.Statistic, row.Point)
		total := row.Value + input.Value
		if !ok || !both || input.Value <= 0 || math.Abs(s.Value-total) > sameRate*total || math.Abs(s.Value-row.Value) <= sameRate*row.Value {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s = %s counts the tokens of the prompts: output alone is %s, prompts are %s",
				said(s), figure(s, s.Value), figure(s, row.Value), figure(s, input.Value)),
			Why: "prompt tokens cost a fraction of generated ones",
			Fix: "state output tokens per second, or name the sum",
		})
	}
	return list
}
