package lint

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// UtilisationOutcome fires when a diagnostic is the result.
var UtilisationOutcome = Check{
	ID: "utilisation-as-outcome", Code: "P-18", Severity: finding.Caution,
	Doc:  "GPU utilisation is used as the result.",
	When: "GPU utilisation is the primary metric or is stated as the result",
	Run:  utilisationOutcome,
}

func utilisationOutcome(f *Facts) Answer {
	var named []string
	for _, set := range []spec.MetricSet{f.Plan.Metrics().Inference, f.Plan.Metrics().Training} {
		if set.Enabled != nil && !*set.Enabled {
			continue
		}
		for _, name := range set.Primary {
			if strings.Contains(name, "utili") {
				named = append(named, "the spec's primary metric "+name)
			}
		}
	}
	for _, s := range f.Statements {
		if m, ok := metricOf(s); ok && m.ID == metric.GPUUtilisation.ID {
			named = append(named, fmt.Sprintf("the statement %s = %s", said(s), figure(s, s.Value)))
		}
	}
	if len(named) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  strings.Join(named, " and ") + " is a diagnostic, not a result",
		Why:      "utilisation says that some kernel ran, not that anything useful was done: a slower program has a busier device",
		Fix:      "name a metric that a user feels, such as tokens per second at an objective",
	})
}
