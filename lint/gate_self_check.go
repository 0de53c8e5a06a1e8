package lint

import (
	"fmt"
	"time"

	"assay/analysis/gate"
	"assay/finding"
	"assay/stats"
)

// SelfCheck fires when nobody knows how often a gate alarms about nothing, or
// when it does so too often.
var SelfCheck = Check{
	ID: "gate-self-check", Code: "G-06", Severity: finding.Caution,
	Doc: "A gate must be asked now and then about a system and itself.",
	When: "the history holds no comparison of a system with itself, none in 31 days, or a share of " +
		"alarms whose lower bound (Clopper–Pearson, 95 %) is above the error budget",
	Applies: gated,
	Run:     selfCheck,
}

func gated(f *Facts) bool { return f.Policy != nil || len(f.History) > 0 }

// selfCheckEvery is how old the last comparison of a system with itself may be.
const selfCheckEvery = 31 * 24 * time.Hour

func selfCheck(f *Facts) Answer {
	if len(f.History) == 0 {
		return missing("the history of the gate's verdicts")
	}
	var same []gate.Entry
	alarms, alpha := 0, 0.0
	for _, e := range f.History {
		if !e.Same {
			continue
		}
		same, alpha = append(same, e), e.Alpha
		if len(e.Alerts) > 0 {
			alarms++
		}
	}
	fix := "measure one system twice and let the gate compare the two, every month"
	if len(same) == 0 {
		return found(finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("of %d verdicts of the gate none is about a system and itself", len(f.History)),
			Why:      "nobody knows how often it alarms about nothing", Fix: fix,
		})
	}
	var list []finding.Finding
	rate, err := stats.Proportion(alarms, len(same), .95)
	if err == nil && rate.Interval.Lo > alpha {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("the gate alarms in %d of %d comparisons of a system with itself (%.0f %% [%.0f, %.0f]); its error budget is %.3g %%",
				alarms, len(same), 100*rate.Value, 100*rate.Interval.Lo, 100*rate.Interval.Hi, 100*alpha),
			Why: "most of what it reports is noise",
			Fix: "find what varies between launches of one system before believing the gate",
		})
	}
	last, latest := same[len(same)-1].Time, f.History[len(f.History)-1].Time
	if age := latest.Sub(last); age > selfCheckEvery {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the gate was last asked about a system and itself on %s, %.0f days before its last verdict", last.Format(time.DateOnly), age.Hours()/24),
			Why:      "machines change, and with them how often it alarms about nothing", Fix: fix,
		})
	}
	return found(list...)
}
