package gate

import (
	"slices"
	"strings"

	"assay/analysis/diff"
)

// confirm looks at the second measurement of the candidate. A metric that had
// regressed takes the verdict of that one: the alarm stands only if it comes
// again. Both are kept.
func (r *Result) confirm(in Input) error {
	if in.Confirmation == nil {
		return nil
	}
	again := *in.Confirmation
	c := &Confirmation{Party: again.Party(), First: []Decision{}, Second: []Decision{}}
	r.Confirmation = c
	changes := diff.Bundles(in.Candidate.Side, again.Side)
	switch {
	case again.Digest == in.Candidate.Digest && again.Name == in.Candidate.Name:
		c.Refused = "it is the candidate's own bundle: want one measured afresh"
	case again.Digest == in.Baseline.Digest:
		c.Refused = "it is the baseline's own bundle: want the candidate measured afresh"
	case len(changes) > 0:
		c.Refused = "it is not the candidate again: these differ: " + strings.Join(paths(changes), ", ")
	}
	baseline := in.Baseline
	if own := in.ConfirmationBaseline; own != nil {
		baseline = *own
		if changes := diff.Bundles(in.Baseline.Side, own.Side); len(changes) > 0 && c.Refused == "" {
			c.Refused = "its baseline is not the baseline again: these differ: " + strings.Join(paths(changes), ", ")
		}
	}
	if c.Refused != "" {
		r.fail("confirmation", again.Label, "cannot be used: %s", c.Refused)
		return nil
	}
	questions, missing, err := ask(in.Policy, baseline, again, r.Findings)
	if err != nil {
		return err
	}
	second := append(answer(questions, Levels{r.Alpha, r.Power}), missing...)
	for i, d := range r.Metrics {
		if d.Verdict != Regressed {
			continue
		}
		at := slices.IndexFunc(second, func(other Decision) bool { return other.Key == d.Key })
		c.First, c.Second = append(c.First, d), append(c.Second, second[at])
		r.Metrics[i] = second[at]
		if second[at].Verdict != Regressed {
			r.Metrics[i].Reason = "regressed at first and not again when measured afresh; then: " + second[at].Reason
		}
	}
	return nil
}
