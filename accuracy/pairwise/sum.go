package pairwise

import (
	"fmt"

	"assay/stats"
	"assay/stats/items"
)

// sum counts the verdicts and estimates what they say over items: another comparison would
// ask other questions.
func (r *Report) sum(pairs []Pair, confidence float64) error {
	var wins, places []items.Scored
	same, repeated := 0, 0
	for i, row := range r.Rows {
		r.count(row)
		if score, ok := map[Verdict]float64{First: 1, Second: 0, Tie: 0.5}[row.Verdict]; ok {
			wins = append(wins, items.Scored{Cluster: pairs[i].Cluster, Scores: []float64{score}})
		}
		if scores := row.firstPlaces(); len(scores) > 0 {
			places = append(places, items.Scored{Cluster: pairs[i].Cluster, Scores: scores})
		}
		for _, list := range [][]Verdict{row.Ahead, row.Behind} {
			s, n := agreements(list)
			same, repeated = same+s, repeated+n
		}
	}
	if repeated > 0 {
		share := float64(same) / float64(repeated)
		r.SelfAgreement = &share
	}
	if len(wins) == 0 {
		return fmt.Errorf("the judge decided none of %d pairs: %s", len(pairs), r.Rows[0].Why)
	}
	var err error
	if len(places) > 0 {
		if r.FirstPlace, err = share(places, confidence); err != nil {
			return err
		}
	}
	r.WinRate, err = share(wins, confidence)
	return err
}

// share is a mean that lies between 0 and 1, and so does its interval.
func share(list []items.Scored, confidence float64) (stats.Estimate, error) {
	e, err := items.Score(list, confidence)
	e.Interval = stats.Interval{Lo: max(0, e.Interval.Lo), Hi: min(1, e.Interval.Hi)}
	return e, err
}

func (r *Report) count(row Judged) {
	switch row.Verdict {
	case First:
		r.First++
	case Second:
		r.Second++
	case Tie:
		r.Ties++
	case Unparsed:
		r.Unparsed++
	case Failed:
		r.Failed++
	}
	if ahead, behind := most(row.Ahead), most(row.Behind); ahead == First && behind == Second || ahead == Second && behind == First {
		r.Swapped++
	}
}

// firstPlaces has a 1 for every verdict in favour of the first place, and a 0 for every one
// in favour of the second.
func (row Judged) firstPlaces() (scores []float64) {
	for i, front := range []Verdict{First, Second} {
		for _, v := range [][]Verdict{row.Ahead, row.Behind}[i] {
			switch {
			case v == front:
				scores = append(scores, 1)
			case v == First || v == Second:
				scores = append(scores, 0)
			}
		}
	}
	return scores
}

// agreements counts the pairs of repetitions that can be read, and those that are the same.
func agreements(list []Verdict) (same, pairs int) {
	for i, v := range list {
		for _, other := range list[:i] {
			if v == Failed || v == Unparsed || other == Failed || other == Unparsed {
				continue
			}
			pairs++
			if v == other {
				same++
			}
		}
	}
	return same, pairs
}
