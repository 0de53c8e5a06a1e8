package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
	"assay/warehouse"
)

// A look says at which places a series has an open alert, after each number of runs.
type look func(h history) [][]int

// each looks at every history, on every core.
func each(list []history, see look) [][][]int {
	seen := make([][][]int, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				seen[i] = see(list[i])
			}
		})
	}
	all.Wait()
	return seen
}

// assay are the alerts that keep has written down after so many runs, and that are open.
func assay(h history) [][]int {
	seen := make([][]int, len(h.Values)+1)
	for runs := range seen {
		for _, c := range (warehouse.Detection{}).Steps(h.Values[:runs]) {
			if c.After > c.Before && !c.Part && c.State != warehouse.Recovered {
				seen[runs] = append(seen[runs], c.At)
			}
		}
	}
	return seen
}

// atOnce says the same of all looks in one walk, which takes a twentieth of the time. What was seen
// once does not change, so that the walk says when.
func atOnce(h history) [][]int {
	seen := make([][]int, len(h.Values)+1)
	all := stats.LevelSteps(h.Values, warehouse.Detection{}.StepP(2*length, length))
	for i, s := range all {
		if s.Root != i || stat.Mean(h.Values[s.At:s.Seen], nil) <= s.Before.Centre {
			continue
		}
		again := len(seen) // from when on it is one of two modes
		for _, part := range slices.Backward(all) {
			if part.Root == i && part.Kind == stats.SwitchStep {
				again = part.Seen
			}
		}
		for runs := s.Seen; runs < len(seen); runs++ {
			if s.Over == 0 || runs < s.Over || runs >= again {
				seen[runs] = append(seen[runs], s.At)
			}
		}
	}
	return seen
}

// agree holds the one walk against look after look, for the first histories of a row.
func agree(list []history) error {
	list = list[:min(2, len(list))]
	one, many := each(list, atOnce), each(list, assay)
	for i := range list {
		for runs := range one[i] {
			if !slices.Equal(one[i][runs], many[i][runs]) {
				return fmt.Errorf("history %d: after %d runs one walk says %v, a look %v", i, runs, one[i][runs], many[i][runs])
			}
		}
	}
	return nil
}

// knowing is a look by somebody who knows the place, and asks for the same P. degrees says how
// well they know the spread, which is that of the runs or their own.
func knowing(spread func(h history, before, after []float64) (spread, degrees float64)) look {
	return func(h history) [][]int {
		at, seen := h.places[0], make([][]int, len(h.Values)+1)
		for runs := at + 1; runs <= len(h.Values); runs++ {
			before, after := h.Values[:at], h.Values[at:runs]
			sd, degrees := spread(h, before, after)
			far := math.Abs(stat.Mean(after, nil)-stat.Mean(before, nil)) / (sd * math.Sqrt(1/float64(len(before))+1/float64(len(after))))
			if 2*(distuv.StudentsT{Sigma: 1, Nu: degrees}).CDF(-far) <= (warehouse.Detection{}).StepP(len(before), len(after)) {
				seen[runs] = []int{at}
			}
		}
		return seen
	}
}

// oracle knows the spread as well.
func oracle(h history, _, _ []float64) (spread, degrees float64) { return h.spread, 1e6 }

// learning is Student's t test: it learns the spread from both sides. None that does so is better.
func learning(_ history, before, after []float64) (spread, degrees float64) {
	squares := 0.0
	for _, xs := range [][]float64{before, after} {
		mean := stat.Mean(xs, nil)
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
	}
	degrees = float64(len(before) + len(after) - 2)
	return math.Sqrt(squares / degrees), degrees
}

// A stepResult is how many of the steps were an open alert after so many runs, and how many
// of those that were seen once were not open later.
type stepResult struct {
	series   int
	open     map[int]int
	vanished int
}

func steps(list []history, seen [][][]int) stepResult {
	r := stepResult{series: len(seen), open: map[int]int{}}
	for i, h := range list[:len(seen)] {
		at, was, gone := h.places[0], false, false
		for k := 1; k <= after; k++ {
			open := slices.ContainsFunc(seen[i][at+k], func(place int) bool { return place >= at-near && place <= at+near })
			gone = gone || was && !open
			was = was || open
			if open {
				r.open[k]++
			}
		}
		if gone {
			r.vanished++
		}
	}
	return r
}

func (r stepResult) share(k int) float64 { return 100 * float64(r.open[k]) / float64(r.series) }

func (r stepResult) String() string {
	var cells []string
	for _, k := range looked {
		cells = append(cells, fmt.Sprintf("%.0f", r.share(k)))
	}
	return strings.Join(cells, " ")
}

// withVanished adds how many of the steps were an alert once and are not later.
func (r stepResult) withVanished() string {
	return fmt.Sprintf("%s; %d of %d", r, r.vanished, r.series)
}

// A quietResult is how many alerts there were where no level changes for good: one that stands
// for several days counts once.
type quietResult struct{ series, early, late, open int }

// young is how many days a series is young.
const young = 20

func quiet(seen [][][]int) (r quietResult) {
	r.series = len(seen)
	for _, days := range seen {
		for _, day := range newAlerts(days) {
			if day <= young {
				r.early++
			} else {
				r.late++
			}
		}
		if len(days[len(days)-1]) > 0 {
			r.open++
		}
	}
	return r
}

// newAlerts are the days on which a series had an alert that it had not had before.
func newAlerts(seen [][]int) (days []int) {
	var standing []int
	for day, places := range seen {
		for _, at := range places {
			if !slices.ContainsFunc(standing, func(other int) bool { return max(at-other, other-at) <= near }) {
				days = append(days, day)
			}
			standing = append(standing, at)
		}
	}
	return days
}

func (r quietResult) rate() float64 { return 1000 * float64(r.early+r.late) / float64(r.series*length) }

// tooMany says that the rate is more than one beyond two standard errors of the simulation.
func (r quietResult) tooMany() bool {
	days := float64(r.series*length) / 1000
	return r.rate() > 1+2*math.Sqrt(1/days)
}

func (r quietResult) String() string {
	return fmt.Sprintf("%.2f (%.1f %%)", r.rate(), 100*float64(r.open)/float64(r.series))
}

// byAge are the alerts of young series and of older ones.
func (r quietResult) byAge() string {
	return fmt.Sprintf("%.2f, %.2f", 1000*float64(r.early)/float64(r.series*young), 1000*float64(r.late)/float64(r.series*(length-young)))
}

// named is the share of series, in per cent, in which what happened is named.
func named(list []history, what string) string {
	if what == "" {
		return "–"
	}
	n := 0
	for _, h := range list {
		changes := warehouse.Detection{}.Steps(h.Values)
		of := func(kind string) bool {
			return slices.ContainsFunc(changes, func(c warehouse.Change) bool { return c.Kind == kind })
		}
		if what == "outlier" && len(stats.LevelOutliers(h.Values)) > 0 || what == "modes" && of(stats.SwitchStep) || what == "drift" && of(stats.DriftStep) {
			n++
		}
	}
	return fmt.Sprintf("%s: %.0f %% of series", what, 100*float64(n)/float64(len(list)))
}
