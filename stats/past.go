package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Past is what earlier runs of one system on one testbed teach about how much its results
// spread, in logarithms: what three launches cannot know. Launches of one run show neither
// by how much the next run lies elsewhere, nor, as few as they are, by how much the next launch.
type Past struct {
	Runs     int `json:"runs"`
	Launches int `json:"launches"` // of all runs

	// Launch is the spread from launch to launch inside a run, and what that knowledge is worth:
	// less than there were launches, where runs spread unlike.
	Launch Scatter `json:"launch"`

	// Means is the spread of the runs' means, what their launches bring included.
	Means  Scatter `json:"means"`
	PerRun float64 `json:"perRun"` // launches of a run, the harmonic mean

	// Apart is how many launches lie apart from the others of their run.
	Apart int `json:"apart"`
}

// A Scatter is a standard deviation and the degrees of freedom that it is known with.
type Scatter struct {
	SD float64 `json:"sd"`
	DF float64 `json:"df"`
}

func (s Scatter) variance() float64 { return s.SD * s.SD }

// LeastPast is the fewest runs that a spread from run to run is learnt from.
const LeastPast = 6

// apartSpreads is how many spreads a launch lies from the others of its run to be taken for
// one of another mode: one normal launch in fifteen thousand does.
const apartSpreads = 4

// LearnPast learns from the launches of each run, which are above zero. Runs are to be of
// one level: a step between them would count as their spread.
func LearnPast(runs [][]float64) (Past, error) {
	var p Past
	var means, variances, freedom []float64
	var launches harmonic
	for _, run := range runs {
		if len(run) < 2 {
			continue // one launch shows no spread
		}
		logs, err := logsOf(run)
		if err != nil {
			return p, err
		}
		n, mean, variance := moments(logs[0])
		means, variances, freedom = append(means, mean), append(variances, variance), append(freedom, n-1)
		launches.add(len(run))
		p.Launches += len(run)
	}
	if p.Runs = len(means); p.Runs < LeastPast {
		return p, fmt.Errorf("%d earlier runs with launches to compare: want %d at least", p.Runs, LeastPast)
	}
	p.PerRun = launches.mean()
	p.Launch = pooledSpread(variances, freedom)
	p.Means = Scatter{stat.StdDev(means, nil), float64(p.Runs - 1)}
	p.Apart = strays(runs, p.Launch.SD)
	return p, nil
}

// unlike is by how much more likely, as a logarithm, the variances of runs must be where runs
// spread unlike: chance alone does that in one of ten. A guess that is not sure of
// itself would cost what the past is asked for.
const unlike = .8

// pooledSpread is the spread of launches that runs have in common, with the degrees of freedom
// that it is worth for the next run: all of them where the variances of runs differ by
// no more than chance, few where runs spread unlike. The variances of runs are then those of an F
// distribution (Smyth: Linear models and empirical Bayes methods, Statistical Applications in
// Genetics and Molecular Biology 3, 2004), whose freedom is that of the greatest likelihood.
func pooledSpread(variances, freedom []float64) Scatter {
	pooled, all := stat.Mean(variances, freedom), 0.0
	for _, df := range freedom {
		all += df
	}
	best := Scatter{math.Sqrt(pooled), all}
	if pooled == 0 {
		return best
	}
	most := likelihood(variances, freedom, pooled, 1e6) + unlike
	for df := leastFreedom; df < all; df *= math.Sqrt2 {
		if l := likelihood(variances, freedom, usual(pooled, df), df); l > most {
			most, best.DF = l, df
		}
	}
	return best
}

// leastFreedom is what the past is worth at the least: of fewer degrees, variances have no mean.
const leastFreedom = 2.5

// usual is the scale of variances with the given mean that spread as inverse chi-squares of df.
func usual(mean, df float64) float64 { return mean * (df - 2) / df }

// likelihood is the logarithm of that of variances which are scale times F of their freedom and df.
func likelihood(variances, freedom []float64, scale, df float64) (sum float64) {
	for i, v := range variances {
		f := distuv.F{D1: freedom[i], D2: df}
		sum += f.LogProb(max(v, 1e-12*scale)/scale) - math.Log(scale)
	}
	return sum
}

// strays counts launches that lie apart from the median of their run.
func strays(runs [][]float64, sd float64) (n int) {
	for _, run := range runs {
		if len(run) < 2 {
			continue
		}
		centre := math.Log(Middle(run))
		for _, v := range run {
			if math.Abs(math.Log(v)-centre) > apartSpreads*sd && sd > 0 {
				n++
			}
		}
	}
	return n
}

// RunSD is the spread from run to run besides what launches bring; zero where launches
// explain all of it.
func (p Past) RunSD() float64 {
	if p.PerRun == 0 {
		return 0
	}
	return math.Sqrt(max(0, p.Means.variance()-p.Launch.variance()/p.PerRun))
}

// OfLaunches is what the past says of launches alone, for sides that share the day: those
// measured in turn.
func (p Past) OfLaunches() Past {
	p.Means, p.PerRun = Scatter{}, 0
	return p
}

// ModeShare is the largest share of launches that may be of another mode than the most: of
// so many, none was, or few were.
func (p Past) ModeShare() float64 {
	return min(.5, ShareAtMost(float64(p.Apart), float64(p.Launches), .05))
}

// wilder is how seldom launches of the known spread may look so wild that they are not
// taken for such.
const wilder = .01

// borrow is the spread of launches, of which df degrees of freedom show a variance now: the
// weighted mean of that and the past's. Launches that are wilder than the past's are taken as
// they are.
func (p Past) borrow(variance, df float64) (of Scatter, borrowed bool) {
	before := p.Launch.variance()
	if p.Launch.DF < float64(p.Launches-p.Runs) { // runs spread unlike
		before = usual(before, p.Launch.DF)
	}
	if p.Launch.DF == 0 || variance > 0 && beyond(variance/before, df, p.Launch.DF) {
		return Scatter{math.Sqrt(variance), df}, false
	}
	sum := df + p.Launch.DF
	return Scatter{math.Sqrt((df*variance + p.Launch.DF*before) / sum), sum}, true
}

// beyond reports whether a ratio of two variances is one that chance hardly makes.
func beyond(ratio, df, pastDF float64) bool {
	f := distuv.F{D1: df, D2: pastDF}
	return f.Survival(ratio) < wilder
}

// spreadOf is the standard error of what takes launches with the given weight (their number,
// inverted, or the sum of both sides') and so many runs, and what it is worth (Satterthwaite).
func (p Past) spreadOf(launch Scatter, weight, runs float64) (se, df float64) {
	within := launch.variance() * weight
	if p.PerRun == 0 {
		return math.Sqrt(within), launch.DF
	}
	means := runs * p.Means.variance() // which holds the launches of so many runs
	rest := launch.variance()*weight - runs*p.Launch.variance()/p.PerRun
	all := max(within, means+rest)
	df = all * all / (means*means/p.Means.DF + rest*rest/launch.DF)
	return math.Sqrt(all), max(df, leastFreedom) // a rest below zero can take nearly all of it away
}
