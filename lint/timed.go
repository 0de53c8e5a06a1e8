package lint

import "assay/finding"

// untimed reports whether c is about times where they are no part of the question: an
// evaluation that asks every question once has no warm-up and no window that could be in
// steady state, and nobody may quote how fast it was.
func (f *Facts) untimed(c Check) bool { return f.Plan.AsksOnce() && c.About == finding.Speed }
