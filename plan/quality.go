package plan

import "assay/stats/items"

// Quality is what an evaluation can show about answers, before anything is asked.
type Quality struct {
	Margin float64       `json:"margin"`
	Tasks  []TaskQuality `json:"tasks"`
	Needs  []QualityNeed `json:"needs"` // of each task, by how many answers change
}

// TaskQuality is a task whose number of items the plan knows, and what they can show.
type TaskQuality struct {
	Task    string `json:"task"`
	Items   int    `json:"items"`   // zero where only the file knows
	Samples int    `json:"samples"` // answers of a system to each, over the launches

	// Unpaired is the smallest loss that two scores near one half would show if they were
	// held beside each other without pairing the items.
	Unpaired float64 `json:"unpaired,omitempty"`
}

// A QualityNeed is how many items it takes when so large a share of the answers differs
// between two systems that are equally good, with the usual power.
type QualityNeed struct {
	Flips       float64 `json:"flips"`
	Equivalent  int     `json:"equivalent"`  // to show that they are within the margin
	NotInferior int     `json:"notInferior"` // to show that the candidate loses less than it
	Detect      int     `json:"detect"`      // to see a loss as large as the margin

	// Repeated is Equivalent with four samples of each item, where half of the flips are
	// the systems' own noise, which samples average away.
	Repeated int `json:"repeated"`

	// Shows is the smallest margin of equivalence that the items of each task can show, in
	// their order, and Samples how many samples of each item the planned margin takes; zero
	// where the number of items is not known, or no number of samples is enough.
	Shows   []float64 `json:"shows"`
	Samples []int     `json:"samples"`
}

// flipShares span what is seen between builds of one model: two of a hundred answers for
// another kernel or more workers, a fifth for four bits.
var flipShares = []float64{.02, .05, .1, .2}

// repeatedSamples are those of QualityNeed.Repeated.
const repeatedSamples = 4

// qualityOf is nil for plans that grade nothing.
func qualityOf(p Plan) *Quality {
	e := p.Evaluation()
	if e == nil {
		return nil
	}
	q := &Quality{Margin: e.Margin}
	alpha := 1 - p.Trials().ConfidenceLevel
	for _, t := range e.Tasks {
		one := TaskQuality{Task: t.Name, Items: t.Limit, Samples: max(1, t.Samples) * p.Replicates()}
		if t.Limit > 0 {
			one.Unpaired = items.UnpairedDetectable(.5, t.Limit, alpha, usualPower)
		}
		q.Tasks = append(q.Tasks, one)
	}
	demand := items.Demand{Margin: e.Margin, Alpha: alpha, Power: usualPower}
	for _, share := range flipShares {
		q.Needs = append(q.Needs, q.need(demand, share))
	}
	return q
}

func (q *Quality) need(demand items.Demand, share float64) QualityNeed {
	whole := items.FlipSpread(share)
	noisy := items.Spread{Between: share / 2, WithinA: share / 4, WithinB: share / 4}
	n := QualityNeed{Flips: share, Shows: make([]float64, len(q.Tasks)), Samples: make([]int, len(q.Tasks))}
	n.Equivalent, _ = demand.ItemsEquivalent(whole, 0)
	n.NotInferior, _ = demand.ItemsNotInferior(whole, 0)
	n.Detect, _ = demand.ItemsToDetect(whole, demand.Margin)
	n.Repeated, _ = demand.ItemsEquivalent(noisy.WithSamples(repeatedSamples), 0)
	for i, t := range q.Tasks {
		if t.Items == 0 {
			continue
		}
		n.Shows[i] = demand.ShowableMargin(noisy.WithSamples(t.Samples), t.Items)
		n.Samples[i], _ = demand.SamplesNeeded(noisy, t.Items)
	}
	return n
}
