package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats/items"
)

// A scoreWorld draws evaluations of a system whose true score is known.
type scoreWorld struct {
	name    string
	score   float64
	items   int
	samples int // answers to each item
	cluster int // items that share their difficulty

	// chance draws how good the answers of a cluster are; graded scores are drawn as they are.
	chance func(score float64, rng *rand.Rand) float64
	graded bool
}

// scoreWorlds are true scores from the middle to near both ends, with what makes an
// interval difficult: items that are always right or wrong, items of every difficulty,
// graded answers of which few lose much.
var scoreWorlds = scoreWorldsOf([]float64{.03, .5, .9, .97, .99, .997})

func scoreWorldsOf(scores []float64) (worlds []scoreWorld) {
	for _, score := range scores {
		for _, n := range []int{30, 100, 300} {
			worlds = append(worlds,
				scoreWorld{"always right or always wrong", score, n, 3, 1, certain, false},
				scoreWorld{"items equally difficult", score, n, 3, 1, even, false},
				scoreWorld{"items of every difficulty", score, n, 3, 1, mixed(.6), false},
				scoreWorld{"graded", score, n, 1, 1, mixed(3), true})
		}
		worlds = append(worlds,
			scoreWorld{"clusters of every difficulty", score, 100, 1, 5, mixed(.6), false},
			scoreWorld{"clusters of every difficulty", score, 300, 3, 10, mixed(.6), false})
	}
	return worlds
}

func certain(score float64, rng *rand.Rand) float64 {
	if rng.Float64() < score {
		return 1
	}
	return 0
}

func even(score float64, _ *rand.Rand) float64 { return score }

// mixed draws from a beta distribution; the smaller the weight, the more lies at its ends.
func mixed(weight float64) func(float64, *rand.Rand) float64 {
	return func(score float64, rng *rand.Rand) float64 {
		return distuv.Beta{Alpha: score * weight, Beta: (1 - score) * weight, Src: rng}.Rand()
	}
}

func (w scoreWorld) evaluation(rng *rand.Rand) []items.Scored {
	list := make([]items.Scored, w.items)
	chance := 0.0
	for i := range list {
		if i%w.cluster == 0 {
			chance = w.chance(w.score, rng)
		}
		list[i] = items.Scored{Cluster: strconv.Itoa(i / w.cluster), Scores: make([]float64, w.samples)}
		for s := range list[i].Scores {
			if w.graded {
				list[i].Scores[s] = chance
			} else {
				list[i].Scores[s] = certain(chance, rng)
			}
		}
	}
	return list
}

// leastOfScores is what Wilson's interval promises at its worst.
const leastOfScores = .9

// scoreTable asks the function behind every score that assay prints how often its
// interval holds the truth, and how wide it is.
func scoreTable(trials int, seed int64) (Table, error) {
	return scoreTableOf(scoreWorlds, trials, seed)
}

func scoreTableOf(worlds []scoreWorld, trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Intervals of a score",
		Columns: []string{"evaluation", "true score %", "items", "answers to each", "items in a cluster", "covered %", "width, points"},
		Notes: []string{
			"Each row is an evaluation of one system; covered is how often the interval of 95 % holds the true score. Promised is 90 % at least, less two standard errors of the simulation: Wilson's interval of plain right or wrong answers is no better where one wrong answer of 30 decides (always right or always wrong, 99.7 %).",
			"Near 0 and 100 % intervals are wider than they need be: what a few items tell about those that were not asked is little, whatever their spread says.",
		},
	}
	for _, w := range worlds {
		covered, widths, faults := make([]bool, trials), make([]float64, trials), make([]error, trials)
		simulate(trials, seed, func(trial int, rng *rand.Rand) {
			e, err := items.Score(w.evaluation(rng), .95)
			covered[trial], widths[trial], faults[trial] = e.Interval.Lo <= w.score && w.score <= e.Interval.Hi, e.Interval.Hi-e.Interval.Lo, err
		})
		width := 0.0
		for i := range widths {
			if faults[i] != nil {
				return t, fmt.Errorf("%s, %d items: %w", w.name, w.items, faults[i])
			}
			width += 100 * widths[i] / float64(trials)
		}
		share := shareOf(covered)
		t.Rows = append(t.Rows, Row{[]string{
			w.name, fmt.Sprintf("%g", 100*w.score), fmt.Sprint(w.items), fmt.Sprint(w.samples), fmt.Sprint(w.cluster), gatePercent(share), fmt.Sprintf("%.1f", width),
		}, verdictOf(share >= leastOfScores-2*standardError(leastOfScores, trials))})
	}
	return t, nil
}
