package report

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"assay/search"
)

// writeSearch shows what a search found and the way it took.
func writeSearch(b *bytes.Buffer, s *search.Summary) {
	if s == nil {
		return
	}
	fmt.Fprintf(b, "\nsearch for the highest %s that keeps %s\n", s.Kind, strings.Join(s.Objectives, " and "))
	switch len(s.Launches) {
	case 0:
		fmt.Fprintln(b, "  no completed launch searched")
		return
	case 1:
	default:
		fmt.Fprintf(b, "  held in every launch, failed in any: %s\n", s.Answer.Sentence(s.Kind, s.Unit))
	}
	fmt.Fprintf(b, "  each verdict is at %g %% confidence; that none is wrong, at least %.0f %%\n", 100*s.Confidence, 100*s.Together)
	for _, l := range s.Launches {
		fmt.Fprintf(b, "  launch %d: %s\n", l.Launch+1, l.Answer.Sentence(s.Kind, s.Unit))
		if l.Doubt != "" {
			fmt.Fprintf(b, "  launch %d: THE RECORDS DO NOT LEAD THERE: %s\n", l.Launch+1, l.Doubt)
		}
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "    %s\tround\trequests\tmissed, with its bounds and what is allowed\tverdict\tnext\n", s.Kind)
		for _, step := range l.Steps {
			fmt.Fprintf(t, "    %s\t%d\t%d\t%s\t%s\t%s\n", s.Loads(step.Load), step.Round, StepRequests(step), MissedText(step), VerdictText(step), NextLoad(s, step))
		}
		t.Flush()
	}
	fmt.Fprintln(b, "  below are the probes at these answers; all are in the JSON report")
}

// StepRequests is how many requests a step of a search rests on.
func StepRequests(step search.Step) int {
	most := 0
	for _, e := range step.Evidence {
		most = max(most, e.N)
	}
	return most
}

// MissedText shows the share of requests that missed each objective, with its bounds.
func MissedText(step search.Step) string {
	var parts []string
	for _, e := range step.Evidence {
		parts = append(parts, fmt.Sprintf("%.3g %% [%.3g, %.3g] of %.3g", 100*e.Share, 100*e.AtLeast, 100*e.AtMost, 100*e.Allowed))
	}
	return strings.Join(parts, "; ")
}

// VerdictText is the verdict of a step, and whether the target was saturated.
func VerdictText(step search.Step) string {
	if step.Saturated {
		return string(step.Verdict) + " (saturated)"
	}
	return string(step.Verdict)
}

// NextLoad is the load that a step led to.
func NextLoad(s *search.Summary, step search.Step) string {
	if step.Next == nil {
		return "–"
	}
	return s.Loads(*step.Next)
}
