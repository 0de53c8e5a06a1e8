package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

// A sitting is a world of launches that are made one after the other. Its interval is
// that of a report, and its warnings are those of the row and of the checks of assay lint
// that look at launches.
type sitting struct {
	name      string
	metric    metric.Metric
	statistic string
	wanted    wanted
	rare      float64 // the share of launches of the rarer of two modes

	// draw makes k launches of one run; odd counts those of the rarer mode.
	draw func(rng *rand.Rand, k int) (launches []metric.Drawn, odd int)

	// truth is what the interval should hold; zero means the mean of very many runs of
	// one launch.
	truth float64
}

// Wanted is what is asked of a world.
type wanted string

const (
	toCover   wanted = "covers"             // 95 % of intervals hold the truth, and clean runs are not warned of
	toName    wanted = "covers or is named" // no more than the promise is missed without a word
	toSee     wanted = "no more than unseen"
	elsewhere wanted = "a history" // no launches of one sitting can know
)

// mostNamed is how often a run with nothing wrong may be warned of.
const mostNamed = .02

// launchCounts are the launches of a run.
var launchCounts = []int{3, 4, 5, 10}

// sittingTrials is how many experiments of this table there are for one of the others,
// in hundredths: a check is asked in each.
const sittingTrials = 100

// A sat is what became of one run.
type sat struct {
	held, named, unseen bool
	width               float64 // of the interval, relative to its middle
}

// sittingTable asks how often the interval of a run holds the truth, and how often it
// misses it without a word.
func sittingTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Launches of one sitting: coverage, and what is missed without a word",
		Columns: []string{"world", "covered %", "missed unwarned %", "all of one mode %", "warned of %", "half width %", "wanted"},
		Notes: []string{
			"Cells are of 3 / 4 / 5 / 10 launches. The interval is that of a report, and what warns are the warnings of its row and the checks " + checkNames() + ", as assay lint makes them.",
			"covers: 93 or more, and no more than 2 of 100 such runs are warned of. Covers or is named: no more than 7 of 100 miss without a word. No more than unseen: neither do they, but for runs of which every launch is of one mode; beside each such interval stands how large a share of launches may be of another one. Two standard errors of the simulation are allowed for everywhere.",
			"A history: launches hang on those before, and the few of one sitting cannot know how far the next sitting lies. The interval is of this sitting, and the report says so.",
			"Of a trend the truth is the first launch, which is no fault of an interval: what is asked is that the trend is named as soon as launches can show it.",
		},
	}
	for _, w := range sittings {
		row := Row{Verdict: Kept}
		var cells [5][]string
		for _, k := range launchCounts {
			got, err := w.runs(k, max(1, trials*sittingTrials/100), seed)
			if err != nil {
				return t, fmt.Errorf("%s, %d launches: %w", w.name, k, err)
			}
			for i, cell := range got.cells() {
				cells[i] = append(cells[i], cell)
			}
			if !got.as(w.wanted, k) {
				row.Verdict = Broken
			}
		}
		row.Cells = []string{w.name}
		for _, c := range cells {
			row.Cells = append(row.Cells, slashed(c))
		}
		row.Cells = append(row.Cells, string(w.wanted))
		if w.wanted == elsewhere {
			row.Verdict = Contrast
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// sittingRates are the runs of one world, as shares.
type sittingRates struct {
	runs                                  int
	held, missed, allOne, named, halfWide float64
}

func (t sittingRates) cells() []string {
	var list []string
	for _, share := range []float64{t.held, t.missed, t.allOne, t.named, t.halfWide} {
		list = append(list, fmt.Sprintf("%.0f", 100*share))
	}
	return list
}

// as says whether a world with so many launches is answered as it should be.
func (t sittingRates) as(want wanted, k int) bool {
	least := leastCoverage - 2*standardError(leastCoverage, t.runs)
	most := 1 - leastCoverage + 2*standardError(leastCoverage, t.runs)
	switch want {
	case toCover:
		return t.held >= least && t.named <= mostNamed+2*standardError(mostNamed, t.runs)
	case toSee:
		return t.missed-t.allOne <= most
	case trending:
		return k < 10 || t.missed <= most
	}
	return t.missed <= most
}

// runs makes so many runs of k launches.
func (w sitting) runs(k, trials int, seed int64) (sittingRates, error) {
	truth := w.expected()
	list, failed := make([]sat, trials), make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		launches, odd := w.draw(rng, k)
		f, err := factsOf(w.metric, launches, sittingDay)
		if err != nil {
			failed[trial] = err
			return
		}
		row, ok := f.Estimates.Find(w.metric.ID, w.statistic, f.Plan.Points[0].Index)
		if !ok {
			failed[trial] = fmt.Errorf("no %s of %s", w.statistic, w.metric.ID)
			return
		}
		oneMode := w.rare > 0 && (odd == 0 || odd == k) && w.rare <= row.UnseenShare
		list[trial] = sat{
			held: row.Interval.Contains(truth), named: len(row.Warnings) > 0 || warns(f),
			unseen: oneMode, width: (row.Interval.Hi - row.Interval.Lo) / 2 / row.Value,
		}
	})
	return ratesOf(list), firstOf(failed)
}

func ratesOf(list []sat) sittingRates {
	t := sittingRates{runs: len(list)}
	for _, s := range list {
		each := 1 / float64(len(list))
		if s.held {
			t.held += each
		}
		if s.named {
			t.named += each
		}
		if !s.held && !s.named {
			t.missed += each
			if s.unseen {
				t.allOne += each
			}
		}
		t.halfWide += s.width * each
	}
	return t
}

func firstOf(faults []error) error {
	if i := slices.IndexFunc(faults, func(err error) bool { return err != nil }); i >= 0 {
		return faults[i]
	}
	return nil
}

// sittingTruths are those that had to be simulated, by the world's name.
var sittingTruths sync.Map

// expected is the truth of a world.
func (w sitting) expected() float64 {
	if w.truth > 0 {
		return w.truth
	}
	if known, ok := sittingTruths.Load(w.name); ok {
		return known.(float64)
	}
	const runs = 8_000 // whose own error is a tenth of an interval's width at most
	p := sittingPlan()
	values := make([]float64, runs)
	simulate(runs, -1, func(i int, rng *rand.Rand) {
		launches, _ := w.draw(rng, 1)
		e, _ := metric.Simulated(p, w.metric, launches) // an error shows in the experiments
		row, _ := e.Find(w.metric.ID, w.statistic, p.Points[0].Index)
		values[i] = row.Value
	})
	truth := 0.0
	for _, v := range values {
		truth += v / runs
	}
	sittingTruths.Store(w.name, truth)
	return truth
}

// sittingDay is when the runs begin.
var sittingDay = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// sittingPlan is the plan of the runs. It asks for no more than a measured one.
var sittingPlan = sync.OnceValue(func() plan.Plan {
	const text = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: sitting}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 128, outputTokens: 32, weight: 1}]}
  target: {url: http://127.0.0.1:1}
  load: {concurrency: [4], duration: 10s, warmup: {duration: 1s}}
`
	doc, faults := spec.Parse("sitting.yaml", []byte(text))
	if !spec.Valid(faults) {
		panic(fmt.Sprint(faults))
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		panic(err)
	}
	return p
})

// factsOf are what checks look at in a run of these launches, made from the hour on.
func factsOf(m metric.Metric, launches []metric.Drawn, from time.Time) (*lint.Facts, error) {
	p := sittingPlan()
	e, err := metric.Simulated(p, m, launches)
	f := &lint.Facts{Plan: p, Estimates: e}
	for i := range launches {
		begun := from.Add(time.Duration(i) * 5 * time.Minute)
		f.Manifest.Launches = append(f.Manifest.Launches, bundle.LaunchInfo{
			Index: i, Order: i, Started: begun, Ended: begun.Add(4 * time.Minute), Outcome: bundle.LaunchCompleted,
		})
	}
	return f, err
}

// launchChecks are the checks that look at what launches gave.
var launchChecks = []lint.Check{lint.LaunchTrend, lint.OutlierLaunches, lint.LaunchModes, lint.SharesDiffer, lint.Normality}

func checkNames() string {
	var names []string
	for _, c := range launchChecks {
		names = append(names, c.ID)
	}
	return slashed(names)
}

// warns says that a check finds more than a note.
func warns(f *lint.Facts) bool {
	return slices.ContainsFunc(launchChecks, func(c lint.Check) bool {
		return (c.Applies == nil || c.Applies(f)) && slices.ContainsFunc(c.Run(f).Findings, func(one finding.Finding) bool { return one.Severity != finding.Note })
	})
}
