package accuracy

import (
	"errors"
	"math"
	"slices"

	"assay/accuracy/lexical"
	"assay/spec"
	"assay/stats"
	"assay/stats/items"
)

// An unavailableError says that a grader cannot work on this host.
type unavailableError struct{ reason string }

func (e *unavailableError) Error() string { return e.reason }

// notHere is why a grader cannot work on this host; empty for any other error and none.
func notHere(err error) string {
	var reason *unavailableError
	if errors.As(err, &reason) {
		return reason.reason
	}
	return ""
}

// scoreOf sums the grades that one grader gave at one point.
func scoreOf(g Grader, grades []Grade, confidence float64) Score {
	s := Score{Grader: g.Name}
	list, failed := byItem(grades)
	for _, row := range grades {
		if row.Score == nil {
			continue
		}
		s.Graded++
		if row.Unparsed {
			s.Unparsed++
		}
		if *row.Score == 1 {
			s.Right++
		}
	}
	estimate, err := items.Score(list, confidence)
	if err != nil {
		s.Unavailable = "no question was answered"
		return s
	}
	s.Estimate = estimate
	if g.Corpus != nil {
		s.Estimate = corpusEstimate(g, grades, confidence)
		if math.IsInf(s.Estimate.Value, 0) || math.IsNaN(s.Estimate.Value) {
			return Score{Grader: g.Name, Graded: s.Graded, Unparsed: s.Unparsed, Unavailable: "the score is larger than any number"}
		}
	} else {
		s.Bounds = bounds(estimate.Value, len(list), failed)
	}
	s.PerLaunch, s.Noise = perLaunch(g, grades)
	s.Groups = groups(g, grades)
	s.Turns = turnScores(g, grades, confidence)
	if g.Program {
		s.PassAt = passAt(list)
	}
	return s
}

// byItem gathers the scores of each item that was answered at all, and counts the items
// that were not.
func byItem(grades []Grade) (list []items.Scored, failed int) {
	at := map[string]int{}
	lost := map[string]bool{}
	for _, row := range grades {
		i, known := at[row.Item]
		switch {
		case row.Score == nil && row.State == Failed:
			lost[row.Item] = true
			continue
		case row.Score == nil:
			continue
		case !known:
			i = len(list)
			at[row.Item] = i
			list = append(list, items.Scored{Cluster: row.Cluster})
		}
		list[i].Scores = append(list[i].Scores, *row.Score)
	}
	for item := range lost {
		if _, answered := at[item]; !answered {
			failed++
		}
	}
	return list, failed
}

// bounds are a mean of n items with failed more that were all wrong, or all right.
func bounds(mean float64, n, failed int) stats.Interval {
	all := float64(n + failed)
	return stats.Interval{Lo: mean * float64(n) / all, Hi: (mean*float64(n) + float64(failed)) / all}
}

// corpusEstimate is the score of the sums, with a bootstrap interval over items.
func corpusEstimate(g Grader, grades []Grade, confidence float64) stats.Estimate {
	rows := segments(grades)
	both, err := items.Corpus{Score: g.Corpus, Trials: corpusTrials}.Bootstrap(rows, rows, confidence)
	if err != nil { // too few to draw from
		return stats.Estimate{Value: meanOf(g, grades), Interval: stats.Unbounded, N: len(rows), Warnings: []string{err.Error()}}
	}
	return both.A
}

// segments are the statistics of each item, in the order of the grades.
func segments(grades []Grade) (rows [][]float64) {
	samples := map[string][][]float64{}
	var order []string
	for _, row := range grades {
		if row.Stats == nil {
			continue // it failed, or says nothing that could be counted
		}
		if samples[row.Item] == nil {
			order = append(order, row.Item)
		}
		samples[row.Item] = append(samples[row.Item], row.Stats)
	}
	for _, item := range order {
		rows = append(rows, items.Segment(samples[item]))
	}
	return rows
}

// corpusTrials is how often a corpus is drawn again for an interval.
const corpusTrials = 1000

// perLaunch is the score of each launch, and the noise between them where the same items
// were answered once in every one.
func perLaunch(g Grader, grades []Grade) ([]float64, *items.Noise) {
	launches := map[int][]Grade{}
	for _, row := range grades {
		launches[row.Launch] = append(launches[row.Launch], row)
	}
	var order []int
	for launch := range launches {
		order = append(order, launch)
	}
	slices.Sort(order)
	var scores []float64
	table := map[string][]float64{}
	for _, launch := range order {
		scores = append(scores, meanOf(g, launches[launch]))
		for _, row := range launches[launch] {
			if row.Score != nil && row.Sample == 0 && row.Pass == 0 {
				table[row.Item] = append(table[row.Item], *row.Score)
			}
		}
	}
	if len(order) < 2 || g.Corpus != nil {
		return scores, nil
	}
	var whole [][]float64
	for _, row := range grades {
		if row.Launch == order[0] && len(table[row.Item]) == len(order) && row.Sample == 0 && row.Pass == 0 {
			whole = append(whole, table[row.Item])
		}
	}
	noise, err := items.NoiseOf(whole)
	if err != nil {
		return scores, nil
	}
	return scores, &noise
}

// meanOf is the score of some grades.
func meanOf(g Grader, grades []Grade) float64 {
	if g.Corpus != nil {
		rows := segments(grades)
		if len(rows) == 0 {
			return 0
		}
		return items.Corpus{Score: g.Corpus}.Of(rows)
	}
	list, _ := byItem(grades)
	estimate, err := items.Score(list, .95)
	if err != nil {
		return 0
	}
	return estimate.Value
}

// onTime is the mean score of answers that ended within the limit on E2E; the others and
// those that failed count nothing.
func onTime(g Grader, grades []Grade, slo []spec.Objective) *float64 {
	i := slices.IndexFunc(slo, func(o spec.Objective) bool { return o.Metric == "e2e" && o.Max > 0 })
	if i < 0 || g.Corpus != nil || g.Lower {
		return nil
	}
	limit := slo[i].Max.Seconds()
	sum, n := 0.0, 0
	for _, row := range grades {
		if row.State == Cut {
			continue
		}
		n++
		if row.Score != nil && row.Took <= limit {
			sum += *row.Score
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}

// groups are the scores of the parts of a task, by name; none where it has one part.
func groups(g Grader, grades []Grade) []Group {
	parts := map[string][]Grade{}
	for _, row := range grades {
		parts[row.Group] = append(parts[row.Group], row)
	}
	if len(parts) < 2 {
		return nil
	}
	var list []Group
	for name, rows := range parts {
		answered, _ := byItem(rows)
		list = append(list, Group{Name: name, N: len(answered), Score: meanOf(g, rows)})
	}
	slices.SortFunc(list, func(a, b Group) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// passAt is the chance that one of k programs passes, for each k for which every item has
// as many samples.
func passAt(list []items.Scored) (all []PassAt) {
	for _, k := range []int{1, 10, 100} {
		sum := 0.0
		for _, item := range list {
			right := 0
			for _, score := range item.Scores {
				if score == 1 {
					right++
				}
			}
			value, err := lexical.PassAtK(len(item.Scores), right, k)
			if err != nil { // too few samples
				return all
			}
			sum += value
		}
		all = append(all, PassAt{k, sum / float64(len(list))})
	}
	return all
}
