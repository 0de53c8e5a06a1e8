package compare

import "assay/accuracy/parity"

// quality holds the answers of a candidate to those of the baseline; nil where a side was
// not graded.
func (r Report) quality(baseline, candidate Side, o Options) (*parity.Report, error) {
	if !baseline.Quality.Graded() || !candidate.Quality.Graded() {
		return nil, nil
	}
	baseline.Quality.Label, candidate.Quality.Label = baseline.Label, candidate.Label
	asked := o.Quality
	asked.Alpha, asked.Power = r.Alpha, o.Power
	report, err := parity.Judge(baseline.Quality, candidate.Quality, asked)
	if err != nil {
		return nil, err
	}
	return &report, nil
}
