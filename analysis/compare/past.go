package compare

import (
	"assay/finding"
	"assay/metric"
	"assay/spec"
	"assay/stats"
)

// learn takes what earlier runs of the baseline's system teach about the spread of the values.
// Sides that were measured in turn share the day, so that launches alone count; shares, values
// that are not above zero and tests that somebody declared stand on the launches as they are.
func (v *Values) learn(a, b Side, x metric.Row) {
	if a.Past == nil || v.Share() || !v.Positive() || v.Least() < 2 || v.By != "" && v.By != spec.TestByT {
		return
	}
	result := finding.Result{Metric: x.Metric, Statistic: x.Statistic, Point: pointName(a.Plan, x.Point), Side: a.Name}
	past, known := a.Past(result, a.Digest, b.Digest)
	if !known {
		return
	}
	if v.Paired || a.Digest == b.Digest {
		past = past.OfLaunches()
	}
	v.Past = &past
}

// withPast is the comparison with what earlier runs know, which must be there.
func (v Values) withPast() stats.Comparison { return v.Past.Compare(v.A, v.B, v.Paired) }
