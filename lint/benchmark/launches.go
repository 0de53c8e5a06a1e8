package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"assay/stats"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A farm starts launches that are not as Student's t wants them.
type farm struct {
	name string

	// launch draws the n requests of a fresh launch; odd says that it is of the rarer
	// of two modes.
	launch func(rng *rand.Rand, n int) (xs []float64, odd bool)

	// rare is the share of launches of the rarer mode; zero means that there is one
	// mode.
	rare float64

	mean float64
}

// farms are what a mean over launches is tried on, the harmless ones first.
var farms = []farm{
	levelFarm("launches 5 % log-normal", math.Exp(.05*.05/2), func(rng *rand.Rand) (float64, bool) { return math.Exp(.05 * rng.NormFloat64()), false }, 0),
	worldFarm(logNormalWorld("AR(1) 0.9 inside", .9, 0)),
	worldFarm(logNormalWorld("AR(1) 0.99 inside", .99, 0)),
	levelFarm("launches 50 % log-normal", math.Exp(.5*.5/2), func(rng *rand.Rand) (float64, bool) { return math.Exp(.5 * rng.NormFloat64()), false }, 0),
	modeFarm("20 % of launches 1.5 ×", .2, 1.5),
	modeFarm("50 % of launches 1.2 ×", .5, 1.2),
	{
		name: "Pareto 1.5 requests", mean: 3,
		launch: func(rng *rand.Rand, n int) ([]float64, bool) {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = math.Pow(1-rng.Float64(), -1/1.5)
			}
			return xs, false
		},
	},
}

// levelFarm has log-normal requests around a level that is drawn for each launch.
func levelFarm(name string, meanLevel float64, level func(*rand.Rand) (float64, bool), rare float64) farm {
	return farm{
		name: name, rare: rare, mean: meanLevel * math.Exp(requestSpread*requestSpread/2),
		launch: func(rng *rand.Rand, n int) ([]float64, bool) {
			at, odd := level(rng)
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = at * math.Exp(requestSpread*rng.NormFloat64())
			}
			return xs, odd
		},
	}
}

// modeFarm has launches of which some are slower than the others by a factor.
func modeFarm(name string, share, slower float64) farm {
	return levelFarm(name, 1+share*(slower-1), func(rng *rand.Rand) (float64, bool) {
		if rng.Float64() < share {
			return slower, true
		}
		return 1, false
	}, share)
}

func worldFarm(w world) farm {
	return farm{name: w.name, mean: w.mean, launch: func(rng *rand.Rand, n int) ([]float64, bool) { return w.launch(rng, n), false }}
}

// farmRequests is how many requests a launch of a farm has: enough for a p99.
const farmRequests = 400

// A figure is what is made of a launch.
type figure struct {
	name string
	of   func(sorted []float64, mean float64) float64
	tail bool // it is a mean, which a heavy tail moves
}

var figures = []figure{
	{"mean", func(_ []float64, mean float64) float64 { return mean }, true},
	{"p50", func(sorted []float64, _ float64) float64 { return stats.OfRank(sorted, .5) }, false},
	{"p99", func(sorted []float64, _ float64) float64 { return stats.OfRank(sorted, .99) }, false},
	{"rate (1 ÷ mean)", func(_ []float64, mean float64) float64 { return 1 / mean }, false},
}

// A drawn is a launch in a few numbers.
type drawn struct {
	values []float64 // by place in figures
	top    float64
	odd    bool
}

func (f farm) draw(rng *rand.Rand) drawn {
	xs, odd := f.launch(rng, farmRequests)
	d := drawn{odd: odd}
	mean := stat.Mean(xs, nil)
	slices.Sort(xs)
	for _, one := range figures {
		d.values = append(d.values, one.of(xs, mean))
	}
	d.top = stats.TopShare(mean, func(q float64) float64 { return stats.OfRank(xs, q) })
	return d
}

// truths are the expected figures of a launch: the mean by formula, the others from so
// many launches that their own error does not matter.
func (f farm) truths() []float64 {
	if known, ok := farmTruths.Load(f.name); ok {
		return known.([]float64)
	}
	const launches = 20_000
	list := make([]drawn, launches)
	simulate(launches, -1, func(i int, rng *rand.Rand) { list[i] = f.draw(rng) })
	truth := make([]float64, len(figures))
	for _, d := range list {
		for i, v := range d.values {
			truth[i] += v / launches
		}
	}
	truth[0] = f.mean
	farmTruths.Store(f.name, truth)
	return truth
}

var farmTruths sync.Map // by the farm's name; the same whoever comes first

// launchTrials is how many experiments of these tables there are for one of the others:
// they are quick, and some worlds lie near the promise.
const launchTrials = 10

// launchTable tries the estimates of assay report on launches that are skewed, of two
// modes, or of requests without a variance. Where an interval cannot cover, the
// estimate must say so.
func launchTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Launches that are not normal: coverage over launches, 95 % asked",
		Columns: []string{"launches differ so", "launches"},
		Notes: []string{
			fmt.Sprintf("Launches of %d requests. The truth is the expected figure of a launch. Cells are the share of experiments whose interval holds it, in %%, and how that is answered for:", farmRequests),
			fmt.Sprintf("covers: %.0f or more, by Student's t alone; widened: so by the wider interval of launches that spread by more than a tenth; warned: less, but no more than %.0f of 100 experiments are wrong without a word beside the number. %d experiments are made for one of the other tables, and two standard errors of the simulation allowed for.", 100*leastCoverage, 100*(1-leastCoverage), launchTrials),
			"unseen mode: all launches of the experiment were of one of two modes, of which no interval can know, and the estimate's unseenShare allows for the other; it excuses nothing else. heavy tail, two modes: the warning of that name.",
		},
	}
	for _, one := range figures {
		t.Columns = append(t.Columns, one.name)
	}
	for _, f := range farms {
		for _, k := range []int{3, 5, 10} {
			row := Row{Cells: []string{f.name, fmt.Sprint(k)}, Verdict: Kept}
			answers, err := f.answers(k, launchTrials*trials, seed)
			if err != nil {
				return t, fmt.Errorf("%s, %d launches: %w", f.name, k, err)
			}
			for _, a := range answers {
				row.Cells = append(row.Cells, a.cell())
				if a.how() == silent {
					row.Verdict = Broken
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t, nil
}

// answers makes the estimates of every figure from k launches, again and again.
func (f farm) answers(k, trials int, seed int64) ([]answered, error) {
	truth := f.truths()
	outcomes := make([][]answer, trials)
	failed := make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		launches := make([]drawn, k)
		odd, top := 0, 0.0
		for i := range launches {
			launches[i] = f.draw(rng)
			top += launches[i].top / float64(k)
			if launches[i].odd {
				odd++
			}
		}
		oneMode := f.rare > 0 && (odd == 0 || odd == k)
		for i, one := range figures {
			xs := make([]float64, k)
			for j, l := range launches {
				xs[j] = l.values[i]
			}
			est, err := stats.OverLaunches(xs, .95)
			if err != nil {
				failed[trial] = err
				return
			}
			if warning := stats.HeavyTail(top, farmRequests); one.tail && warning != "" {
				est.Warnings = append(est.Warnings, warning)
			}
			outcomes[trial] = append(outcomes[trial], answerOf(est, truth[i], oneMode && f.rare <= est.UnseenShare))
		}
	})
	list := make([]answered, len(figures))
	for trial, all := range outcomes {
		if failed[trial] != nil {
			return nil, failed[trial]
		}
		for i, a := range all {
			list[i].add(a)
		}
	}
	return list, nil
}

// A shareFarm starts launches that fail more or less often.
type shareFarm struct {
	name     string
	share    func(rng *rand.Rand) (share float64, odd bool) // of a launch
	rare     float64                                        // as of a farm
	truth    float64
	requests int
}

var shareFarms = []shareFarm{
	evenFarm(.001, 400), evenFarm(.01, 200), evenFarm(.1, 200),
	{"2 % on average, beta with deviation 2 %", func(rng *rand.Rand) (float64, bool) {
		return distuv.Beta{Alpha: .96, Beta: 47.04, Src: rng}.Rand(), false
	}, 0, .02, 400},
	{"5 % in one launch of ten, else none", func(rng *rand.Rand) (float64, bool) {
		if rng.Float64() < .1 {
			return .05, true
		}
		return 0, false
	}, .1, .005, 400},
}

func evenFarm(share float64, requests int) shareFarm {
	return shareFarm{fmt.Sprintf("%g %% in all launches", 100*share), func(*rand.Rand) (float64, bool) { return share, false }, 0, share, requests}
}

// shareTable tries the interval of error rates and other shares on launches that do
// not fail equally often.
func shareTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Shares of launches that differ: coverage, 95 % asked",
		Columns: []string{"share of requests that fail", "requests a launch", "3 launches", "5 launches", "10 launches"},
		Notes: []string{
			"Words as in the table above. Counts are whole numbers, and an interval of them that covers 95 % everywhere covers more at most places.",
		},
	}
	for _, f := range shareFarms {
		row := Row{Cells: []string{f.name, fmt.Sprint(f.requests)}, Verdict: Kept}
		for _, k := range []int{3, 5, 10} {
			got, err := f.answers(k, launchTrials*trials, seed)
			if err != nil {
				return t, fmt.Errorf("%s, %d launches: %w", f.name, k, err)
			}
			row.Cells = append(row.Cells, got.cell())
			if got.how() == silent {
				row.Verdict = Broken
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (f shareFarm) answers(k, trials int, seed int64) (answered, error) {
	outcomes := make([]answer, trials)
	failed := make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		hits, of := make([]int, k), make([]int, k)
		odd := 0
		for i := range hits {
			share, isOdd := f.share(rng)
			of[i] = f.requests
			for range f.requests {
				if rng.Float64() < share {
					hits[i]++
				}
			}
			if isOdd {
				odd++
			}
		}
		est, err := stats.ShareOverLaunches(hits, of, .95)
		failed[trial] = err
		outcomes[trial] = answerOf(est, f.truth, f.rare > 0 && odd == 0 && f.rare <= est.UnseenShare)
	})
	var got answered
	for trial, a := range outcomes {
		if failed[trial] != nil {
			return got, failed[trial]
		}
		got.add(a)
	}
	return got, nil
}
