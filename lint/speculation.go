package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
)

// Speculation fires when a server guesses tokens of text that nobody would
// write.
var Speculation = Check{
	ID: "speculation-on-synthetic-text", Code: "L-08", Severity: finding.Caution, About: finding.Speed,
	Doc:     "Speculative decoding depends on the text, and made-up text is easier or harder to guess.",
	When:    "the server counts draft tokens, and the prompts are synthetic",
	Applies: answersText,
	Run:     speculation,
}

func speculation(f *Facts) Answer {
	rows := rowsOf(f, metric.DraftAcceptance.ID, "value")
	if len(rows) == 0 {
		for _, r := range f.Estimates.Readings {
			if len(r.Engines) > 0 {
				return found() // its page is read, and engines publish the counter where they guess
			}
		}
		return missing("the server's metrics page, which says whether it decodes speculatively")
	}
	if f.Plan.Workload().Prompt.Dataset != nil {
		return found()
	}
	var list []finding.Finding
	for _, row := range rows {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%s: the server decodes speculatively and %.0f %% of its draft tokens were accepted, on prompts that are made up", rowName(f, row), 100*row.Value),
			Why:      "how often guesses are right depends on the text, and so does every figure of such a server",
			Fix:      "use a data set of real prompts (workload.prompt.dataset), or switch speculation off",
		})
	}
	return found(list...)
}
