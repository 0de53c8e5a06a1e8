package metric

import "slices"

// Readings says what was read beside one point, over all launches, so that a
// report can say why a figure is missing and what reading cost the target.
type Readings struct {
	Point     int      `json:"point"`
	Side      string   `json:"side,omitempty"`
	Scrapes   int      `json:"scrapes"`           // pages asked for in the measured windows
	Failed    int      `json:"failed"`            // of those, not understood
	Seconds   float64  `json:"seconds"`           // that reading a page took, mean
	Slowest   float64  `json:"slowest"`           // the longest
	Engines   []string `json:"engines,omitempty"` // whose names the pages use
	Elsewhere bool     `json:"elsewhere,omitempty"`
}

// readings sums up what was read beside the samples of one point.
func readings(point int, samples []judgedPoint) Readings {
	out := Readings{Point: point}
	timed := 0
	for _, s := range samples {
		b := s.point.Samples
		if b == nil {
			continue
		}
		out.Elsewhere = out.Elsewhere || b.Elsewhere
		inside := func(name string, each func(v float64)) {
			for _, one := range b.bySource[serverSource+" "+name] {
				for i, at := range one.at {
					if s.point.Begin <= at && at < s.point.End {
						each(one.value[i])
					}
				}
			}
		}
		inside("up", func(v float64) {
			out.Scrapes++
			if v == failed {
				out.Failed++
			}
		})
		inside("scrape.time", func(v float64) {
			timed++
			out.Seconds += v
			out.Slowest = max(out.Slowest, v)
		})
		out.Engines = s.point.engines(out.Engines)
	}
	out.Seconds /= float64(max(1, timed))
	return out
}

// engines adds those whose names were found to known, in the order of the table.
func (p *Point) engines(known []string) []string {
	for _, n := range serverNames {
		if got, ok := p.publishedName(n.stat); !ok || got != n {
			continue
		}
		if !slices.Contains(known, n.engine) {
			known = append(known, n.engine)
		}
	}
	return known
}
