package lint

import (
	"fmt"
	"slices"

	"assay/finding"
)

// GeneratorBehind fires when one load generator cannot keep up.
var GeneratorBehind = Check{
	ID: "generator-behind", Severity: finding.Caution,
	Doc: "A load generator sent late, or had no processor time left.",
	When: "the 99th percentile of its send lag is above 1 ms and above 5 % of the median response time of the point (open loops), " +
		"or its process used more than 90 % of its processors in the points of a launch",
	Applies: sentByOthers,
	Run:     generatorBehind,
}

const (
	harmlessLag = 1e-3 // seconds: what a host that is not idle adds at times
	busyShare   = .9   // of its processors: beyond it there is no room for a burst
)

func generatorBehind(f *Facts) Answer {
	var list []string
	for _, s := range f.Senders {
		if use := s.CPU / (s.Wall * float64(s.Processors)); s.Wall > 0 && s.Processors > 0 && use > busyShare {
			list = append(list, fmt.Sprintf("%s used %.0f %% of its %d processors", s.name(), 100*use, s.Processors))
		}
		for _, t := range f.Tally.Points {
			lag := t.Lag[s.Generator.Generator]
			if t.Launch != s.Launch || t.WithUser > 0 || lag == nil || lag.Count() == 0 || t.Response.Count() == 0 {
				continue
			}
			late, response := lag.Quantile(.99), t.Response.Quantile(.5)
			if late > max(harmlessLag, LagLimit(response)) {
				list = append(list, fmt.Sprintf("%s sent up to %s late (p99), where a response takes %s", s.name(), duration(late), duration(response)))
			}
		}
	}
	if len(list) == 0 {
		return Answer{}
	}
	slices.Sort(list)
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%s%s", list[0], andMore(len(list)-1)),
		Why:      "what one generator is late is in the latencies of its requests, and so in the percentiles of all",
		Fix:      "give it more processors or a host of its own, or share the load among more (load.generators)",
	})
}

// andMore counts what is not shown.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more such", n)
}
