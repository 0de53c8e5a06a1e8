package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// queue simulates Poisson arrivals at a rate to some servers with exponential
// service times, first come first served, and samples what is in flight.
func queue(rng *rand.Rand, rate, service float64, servers int, warm, seconds, step float64) (inFlight, response []float64, arrivals int) {
	free := make([]float64, servers)
	type call struct{ due, done float64 }
	var calls []call
	for t := rng.ExpFloat64() / rate; t < warm+seconds; t += rng.ExpFloat64() / rate {
		best := 0
		for i := range free {
			if free[i] < free[best] {
				best = i
			}
		}
		free[best] = max(free[best], t) + rng.ExpFloat64()*service
		calls = append(calls, call{t, free[best]})
		if t >= warm {
			arrivals++
		}
	}
	for at := warm; at <= warm+seconds; at += step {
		n := 0.0
		var ended []float64
		for _, c := range calls {
			if c.due <= at && at < c.done {
				n++
			}
			if at-step <= c.done && c.done < at {
				ended = append(ended, c.done-c.due)
			}
		}
		inFlight = append(inFlight, n)
		if len(ended) == 0 {
			response = append(response, math.NaN())
			continue
		}
		slices.Sort(ended)
		response = append(response, ended[len(ended)/2])
	}
	return inFlight, response, arrivals
}

// Stable queues, busy ones too, are left alone; overloaded ones are seen.
func TestGrowingQueue(t *testing.T) {
	const trials = 60
	for _, tt := range []struct {
		name          string
		rate, service float64
		servers       int
		warm, seconds float64
		least, most   int
	}{
		{"half busy", 20, .4, 16, 5, 30, 0, 0},
		{"nine tenths busy, one server", 20, .045, 1, 5, 30, 0, 3},
		{"just balanced", 20, .05, 1, 5, 30, 0, 9},
		{"filling up: long answers and no warm-up", 20, 5, 200, 0, 30, 0, 3},
		{"half as much again as it can do", 30, .05, 1, 5, 30, 54, trials},
		{"twice what many servers can do", 40, .8, 16, 5, 20, 57, trials},
		{"ten times", 100, .1, 1, 0, 5, 57, trials},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		seen := 0
		for range trials {
			step := tt.seconds / 60
			inFlight, response, arrivals := queue(rng, tt.rate, tt.service, tt.servers, tt.warm, tt.seconds, step)
			if _, growing := GrowingQueue(inFlight, response, step, arrivals, .01); growing {
				seen++
			}
		}
		t.Logf("%s: seen in %d of %d", tt.name, seen, trials)
		if seen < tt.least || seen > tt.most {
			t.Errorf("%s: seen in %d of %d, want %d to %d", tt.name, seen, trials, tt.least, tt.most)
		}
	}
	if _, growing := GrowingQueue([]float64{1, 2, 3, 4, 5}, nil, 1, 100, .01); growing {
		t.Error("five samples were enough")
	}
}
