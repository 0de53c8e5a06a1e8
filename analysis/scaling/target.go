package scaling

import "gonum.org/v1/gonum/stat"

// toTarget says whether every time is one to a target, with what it took to get
// there: T = samples to the target ÷ throughput.
func (s Study) toTarget() bool {
	if s.Quantity != Time {
		return false
	}
	for _, p := range s.Points {
		if len(p.Samples) == 0 && len(p.Rate) == 0 {
			return false
		}
	}
	return true
}

// ofRate is the study of throughput alone; false where nothing tells it from the
// times. Launches of another program on one worker have no samples: the base is
// then the smallest size.
func (s Study) ofRate() (Study, bool) {
	if !s.toTarget() {
		return s, false
	}
	out := s
	out.Quantity, out.Unit, out.Prices, out.Predict = Throughput, "", nil, nil
	if s.Baseline == BestSingle {
		out.Baseline, out.Single, out.BaseName = Smallest, nil, ""
	}
	out.Points = nil
	for _, p := range s.Points {
		out.Points = append(out.Points, Point{Workers: p.Workers, Values: p.rates(), Batch: p.Batch, Software: p.Software, Window: p.Window})
	}
	return out, true
}

// rates is the throughput of each launch, or the one that stands for all.
func (p Point) rates() []float64 {
	if len(p.Rate) > 0 {
		return p.Rate
	}
	var list []float64
	for i, v := range p.Values {
		list = append(list, p.Samples[min(i, len(p.Samples)-1)]/v)
	}
	return list
}

// needed is the mean of the samples to the target.
func (p Point) needed() float64 {
	if len(p.Samples) > 0 {
		return stat.Mean(p.Samples, nil)
	}
	return stat.Mean(p.Values, nil) * stat.Mean(p.Rate, nil)
}

// converge adds to every row what its target took.
func (r *Result) converge(s Study) {
	base := s.Points[0].needed()
	for i, p := range s.Points {
		samples := p.needed()
		share := base / samples
		r.Rows[i].Samples, r.Rows[i].Convergence = &samples, &share
	}
}
