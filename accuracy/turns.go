package accuracy

import (
	"maps"
	"slices"

	"assay/stats"
	"assay/stats/items"
)

// A TurnScore is what the answers to one turn of all conversations are worth.
type TurnScore struct {
	Turn          int32          `json:"turn"`          // from 1
	Conversations int            `json:"conversations"` // that have an answer to it
	Asked         int            `json:"asked"`         // answers that were to come, over launches, samples and passes
	Failed        int            `json:"failed"`        // that never came, those after a turn that failed among them
	Estimate      stats.Estimate `json:"estimate"`      // over conversations

	// Change is the turn against the first one that is graded; nil for that one, and for
	// scores that are of a whole corpus.
	Change *TurnChange `json:"change,omitempty"`
}

// A TurnChange is by how much a turn scores higher than the first one of the same
// conversations. Only answers of one and the same session are held against each other.
type TurnChange struct {
	From          int32          `json:"from"` // the turn that it is held against
	Conversations int            `json:"conversations"`
	Difference    stats.Estimate `json:"difference"`
	P             float64        `json:"p"` // of the hypothesis that nothing differs
	Method        string         `json:"method"`

	// Adjusted is P held against having looked at every turn of every task at every load
	// (Holm); nil for graders other than the task's score, which say the same again.
	Adjusted *float64 `json:"adjusted,omitempty"`
}

// turnScores are the scores of each turn of conversations; none where questions stand alone.
func turnScores(g Grader, grades []Grade, confidence float64) (list []TurnScore) {
	byTurn := map[int32][]Grade{}
	for _, row := range grades {
		if row.Turn > 0 {
			byTurn[row.Turn] = append(byTurn[row.Turn], row)
		}
	}
	for _, turn := range slices.Sorted(maps.Keys(byTurn)) {
		rows := byTurn[turn]
		one := TurnScore{Turn: turn, Asked: len(rows)}
		for _, row := range rows {
			if row.State == Failed || row.State == Cut {
				one.Failed++
			}
		}
		scored, _ := byItem(rows)
		if one.Conversations = len(scored); one.Conversations == 0 {
			continue // nothing came, which the failures of the task say
		}
		if g.Corpus != nil {
			one.Estimate = corpusEstimate(g, rows, confidence)
		} else if estimate, err := items.Score(scored, confidence); err == nil {
			one.Estimate = estimate
		}
		if len(list) > 0 && g.Corpus == nil {
			one.Change = changeOf(list[0].Turn, byTurn[list[0].Turn], rows, confidence)
		}
		list = append(list, one)
	}
	return list
}

// A sessionKey names one session of a point: one conversation, played once.
type sessionKey struct {
	conversation string
	launch       int
	sample, pass int32
}

func sessionOf(g Grade) sessionKey { return sessionKey{g.Conversation, g.Launch, g.Sample, g.Pass} }

// changeOf holds the scores of a turn against those of an earlier one; nil where no session
// has both.
func changeOf(from int32, first, rows []Grade, confidence float64) *TurnChange {
	before := map[sessionKey]float64{}
	for _, row := range first {
		if row.Score != nil {
			before[sessionOf(row)] = *row.Score
		}
	}
	at := map[string]int{}
	var pairs []items.Pair
	for _, row := range rows {
		score, both := before[sessionOf(row)]
		if !both || row.Score == nil {
			continue
		}
		i, known := at[row.Conversation]
		if !known {
			i = len(pairs)
			at[row.Conversation] = i
			pairs = append(pairs, items.Pair{Cluster: row.Cluster})
		}
		pairs[i].A, pairs[i].B = append(pairs[i].A, score), append(pairs[i].B, *row.Score)
	}
	d, err := items.Compare(pairs)
	if err != nil {
		return nil
	}
	return &TurnChange{From: from, Conversations: d.Items, Difference: d.Estimate(confidence), P: d.Test.P, Method: d.Test.Method}
}

// settleTurns adjusts the changes of all turns for how many there are: whoever looks at
// twenty turns finds one that is worse by chance.
func (r *Report) settleTurns() {
	var changes []*TurnChange
	var p []float64
	for _, t := range r.Tasks {
		for _, point := range t.Points {
			if len(point.Scores) == 0 {
				continue
			}
			for _, turn := range point.Scores[0].Turns {
				if turn.Change != nil {
					changes, p = append(changes, turn.Change), append(p, turn.Change.P)
				}
			}
		}
	}
	for i, adjusted := range stats.Holm(p) {
		changes[i].Adjusted = &adjusted
	}
}

// Falls lists the turns whose score is lower than that of the first one by more than chance,
// as the task's own grader says.
func (p Point) Falls() (list []TurnScore) {
	if len(p.Scores) == 0 {
		return nil
	}
	s := p.Scores[0]
	for _, turn := range s.Turns {
		c := turn.Change
		if c == nil || c.Adjusted == nil || *c.Adjusted >= 1-c.Difference.Confidence {
			continue
		}
		if worse := c.Difference.Value < 0; worse != s.Lower {
			list = append(list, turn)
		}
	}
	return list
}
