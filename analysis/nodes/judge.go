package nodes

import (
	"math"
	"slices"

	"assay/stats"
)

const (
	// strange is the modified z-score from which a value is an outlier (Iglewicz and
	// Hoaglin, How to Detect and Handle Outliers, 1993).
	strange = 3.5

	// toSigma makes a median absolute deviation that of a normal distribution.
	toSigma = 1.4826

	// leastNoise is the scale below which no difference of hosts is taken for granted: two
	// measurements of one idle host differ by this much.
	leastNoise = .01
)

// judge holds each host against the others.
func (m *Measure) judge() {
	limit := .10
	for _, r := range resources {
		if r.name == m.Resource {
			limit = r.limit
		}
	}
	var speeds []float64
	for _, v := range m.Each {
		speeds = append(speeds, m.speed(v.Value))
	}
	fastest, slowest := slices.Max(speeds), slices.Min(speeds)
	m.Spread = 1 - slowest/fastest
	m.Noise = m.noise(-1)
	for i := range m.Each {
		others := slices.Delete(slices.Clone(speeds), i, i+1)
		middle := stats.Middle(others)
		m.Each[i].Behind = 1 - speeds[i]/middle
		m.Each[i].Slow = len(m.Each) > 2 && m.always(i, middle, limit) &&
			math.Log(middle/speeds[i]) > strange*max(m.noise(i), deviation(others), leastNoise)
	}
}

// speed turns what was measured so that more is faster.
func (m *Measure) speed(v float64) float64 { return faster(m.What, v, 1) + 1 }

// always says that a host was behind the others by more than the limit in every launch.
func (m *Measure) always(i int, middle, limit float64) bool {
	for _, v := range m.Each[i].Launches {
		if m.speed(v) > (1-limit)*middle {
			return false
		}
	}
	return true
}

// noise is by how much hosts differ from themselves, launch to launch, as a share: one
// standard deviation, pooled over hosts but for one that is itself in question. A launch
// that was disturbed makes it larger, and so the judgement more careful.
func (m *Measure) noise(without int) float64 {
	sum, free := 0., 0
	for i, v := range m.Each {
		if i == without {
			continue
		}
		mean := 0.
		for _, x := range v.Launches {
			mean += math.Log(x) / float64(len(v.Launches))
		}
		for _, x := range v.Launches {
			sum += (math.Log(x) - mean) * (math.Log(x) - mean)
		}
		free += len(v.Launches) - 1
	}
	if free <= 0 {
		return 0
	}
	return math.Sqrt(sum / float64(free))
}

// deviation is how far values are apart, as a share of them.
func deviation(values []float64) float64 {
	middle := stats.Middle(values)
	var apart []float64
	for _, v := range values {
		apart = append(apart, math.Abs(math.Log(v/middle)))
	}
	return toSigma * stats.Middle(apart)
}

// Share is how fast a value is beside the fastest host.
func (m Measure) Share(v float64) float64 {
	_, fastest := m.Ends()
	return m.speed(v) / m.speed(fastest)
}

// Ends are the values of the slowest and of the fastest host.
func (m Measure) Ends() (slowest, fastest float64) {
	for i, v := range m.Each {
		if i == 0 || m.speed(v.Value) < m.speed(slowest) {
			slowest = v.Value
		}
		if i == 0 || m.speed(v.Value) > m.speed(fastest) {
			fastest = v.Value
		}
	}
	return slowest, fastest
}
