package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"assay/plan"
)

// writeQuality says how many items the margin of an evaluation takes, and what those that
// are planned can show.
func writeQuality(b *bytes.Buffer, q *plan.Quality) {
	if q == nil {
		return
	}
	fmt.Fprintf(b, "\nitems that show two equal systems to be within %g of each other\n", q.Margin)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, n := range q.Needs {
		fmt.Fprintf(t, "  if %g %% of the answers change\t%d items, %d for not inferior\t%d to see a loss that large\t%d with 4 samples of each, if half of it is noise\n",
			100*n.Flips, n.Equivalent, n.NotInferior, n.Detect, n.Repeated)
	}
	t.Flush()
	for i, task := range q.Tasks {
		if task.Items == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%d items of %s, each answered %d times over the launches, can show\n", task.Items, task.Task, task.Samples)
		for _, n := range q.Needs {
			fmt.Fprintf(t, "  if %g %% of the answers change, half of it noise\tequivalence within %.2g\t%s\n", 100*n.Flips, n.Shows[i], samplesText(n.Samples[i], q.Margin))
		}
		t.Flush()
		fmt.Fprintf(b, "  without pairing, two scores near 0.5 would have to differ by %.2g\n", task.Unpaired)
	}
}

// samplesText says how many samples the margin takes.
func samplesText(samples int, margin float64) string {
	if samples == 0 {
		return fmt.Sprintf("no number of samples shows %g: ask more items", margin)
	}
	return fmt.Sprintf("%d samples of each item show %g", samples, margin)
}
