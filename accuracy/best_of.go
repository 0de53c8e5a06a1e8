package accuracy

import (
	"cmp"
	"slices"

	"assay/spec"
	"assay/stats"
	"assay/stats/items"
)

// A BestOf is what it is worth to ask several times and keep the answer that a scorer
// likes best: the score of the answers that it chose, beside that of all and that of
// somebody who always chooses right.
type BestOf struct {
	By      string         `json:"by"`     // the grader that chooses
	Grader  string         `json:"grader"` // the grader that judges what was chosen
	Samples int            `json:"samples"`
	Choices int            `json:"choices"` // times that it chose, over items, launches and passes
	Chosen  stats.Estimate `json:"chosen"`
	Mean    stats.Estimate `json:"mean"`
	Oracle  stats.Estimate `json:"oracle"`
}

// A choice is the samples of one question, once.
type choice struct {
	item         string
	launch, pass int
}

// bestOf lists, for every scorer of t, what choosing by it is worth to each grader whose
// score is a mean over items. None where each question was asked once.
func bestOf(t spec.Task, grades map[string][]Grade, confidence float64) (list []BestOf) {
	for _, by := range t.Graders {
		chooser, ok := scorerGrader(by)
		if !ok {
			continue
		}
		for _, name := range t.Graders {
			g, err := Find(name)
			if err != nil || g.Corpus != nil || name == by {
				continue
			}
			if best, ok := chosenBy(chooser, g, grades[by], grades[name], confidence); ok {
				list = append(list, best)
			}
		}
	}
	return list
}

// chosenBy is what choosing by one grader is worth to another. A question of which fewer
// than two samples have both scores leaves no choice.
func chosenBy(by, g Grader, liked, judged []Grade, confidence float64) (BestOf, bool) {
	scores := map[choice][][2]float64{}
	clusters := map[string]string{}
	values := map[choice]map[int32]float64{}
	for _, row := range judged {
		if row.Score == nil {
			continue
		}
		at := choice{row.Item, row.Launch, int(row.Pass)}
		if values[at] == nil {
			values[at] = map[int32]float64{}
		}
		values[at][row.Sample] = *row.Score
		clusters[row.Item] = row.Cluster
	}
	sorted := slices.SortedStableFunc(slices.Values(liked), func(a, b Grade) int { return cmp.Compare(a.Sample, b.Sample) })
	for _, row := range sorted {
		at := choice{row.Item, row.Launch, int(row.Pass)}
		if value, ok := values[at][row.Sample]; ok && row.Score != nil {
			scores[at] = append(scores[at], [2]float64{*row.Score, value})
		}
	}
	best := BestOf{By: by.Name, Grader: g.Name}
	of := map[string]*[3]items.Scored{} // chosen, mean and oracle of an item
	for at, list := range scores {
		if len(list) < 2 {
			continue
		}
		best.Samples, best.Choices = max(best.Samples, len(list)), best.Choices+1
		if of[at.item] == nil {
			of[at.item] = &[3]items.Scored{}
		}
		for i, value := range worth(by, g, list) {
			of[at.item][i].Cluster = clusters[at.item]
			of[at.item][i].Scores = append(of[at.item][i].Scores, value)
		}
	}
	return best, best.estimate(of, confidence)
}

// worth is the score of the sample that is liked best, the mean, and the best score. The
// first of several that are liked alike is chosen.
func worth(by, g Grader, list [][2]float64) [3]float64 {
	chosen, sum, oracle := list[0], 0.0, list[0][1]
	for _, s := range list {
		if by.better(s[0], chosen[0]) {
			chosen = s
		}
		if g.better(s[1], oracle) {
			oracle = s[1]
		}
		sum += s[1]
	}
	return [3]float64{chosen[1], sum / float64(len(list)), oracle}
}

func (g Grader) better(a, b float64) bool {
	if g.Lower {
		return a < b
	}
	return a > b
}

// estimate fills the three scores of best, in the order of the items.
func (best *BestOf) estimate(of map[string]*[3]items.Scored, confidence float64) bool {
	var names []string
	for item := range of {
		names = append(names, item)
	}
	slices.Sort(names)
	for i, into := range []*stats.Estimate{&best.Chosen, &best.Mean, &best.Oracle} {
		var list []items.Scored
		for _, name := range names {
			list = append(list, of[name][i])
		}
		estimate, err := items.Score(list, confidence)
		if err != nil {
			return false
		}
		*into = estimate
	}
	return true
}
