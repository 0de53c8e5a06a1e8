package collectives

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/finding"
	"assay/unit"
)

// The findings about collectives, by the check that each carries.
const (
	WrongAnswer   = "C01-wrong-answer"
	BelowLink     = "C02-below-link"
	SlowDirection = "C03-slow-direction"
	OutlierRank   = "C04-outlier-rank"
	HighJitter    = "C05-high-jitter"
	EmulatedOp    = "C06-emulated-operation"
	Unchecked     = "C07-unchecked-answer"
)

const (
	// expectedShare of a link is what large messages reach on good fabrics; half of it
	// is worth a look.
	expectedShare = .8
	farBelow      = .5

	// slowDirection is how much of the way back a direction must carry.
	slowDirection = 2. / 3

	// slowTail is the p99 over the p50 of latency from which stragglers show.
	slowTail = 1.15
)

func (s study) findings(r Report) (list []finding.Finding) {
	list = append(list, wrong(r.Rows)...)
	if l := r.Link; l != nil && l.Share < farBelow && l.Best > 0 {
		list = append(list, finding.Finding{
			Check: BelowLink, Severity: finding.Caution,
			Message: fmt.Sprintf("the best bus bandwidth is %s, %.0f %% of the link's %s (%s)", unit.Format(l.Best, unit.BytePerSecond), 100*l.Share, unit.Format(l.Rate, unit.BytePerSecond), l.Source),
			Why:     fmt.Sprintf("large messages reach about %.0f %% of one direction of a link on a fabric that is set up well", 100*expectedShare),
			Fix:     "measure larger sizes; look at the interface that ranks talk over, at the matrix of pairs, and at what else uses the link",
		})
	}
	list = append(list, asymmetric(r.Matrices)...)
	for _, one := range r.Ranks {
		if one.Outlier {
			list = append(list, one.finding())
		}
	}
	for _, one := range r.Stability {
		if one.Unsteady() {
			list = append(list, finding.Finding{
				Check: HighJitter, Severity: finding.Caution,
				Message: one.text(),
				Why:     "a step waits for the slowest of many collectives: its time follows the tail, not the median",
				Fix:     "look for other traffic, throttled processors and unpinned ranks; compare on a quiet fabric",
			})
		}
	}
	return append(list, emulated(r.Rows)...)
}

// wrong says which operations gave wrong answers, and which were not looked at.
func wrong(rows []Row) (list []finding.Finding) {
	var bad, unseen []string
	for _, r := range rows {
		if r.Wrong > 0 {
			bad = append(bad, fmt.Sprintf("%s: %d wrong elements", r.text(), r.Wrong))
		}
		if !r.Checked && r.Op != "barrier" {
			unseen = append(unseen, r.text())
		}
	}
	if len(bad) > 0 {
		list = append(list, finding.Finding{
			Check: WrongAnswer, Severity: finding.Void, Evidence: bad,
			Message: fmt.Sprintf("%d operations gave wrong answers, first %s", len(bad), bad[0]),
			Why:     "a collective that is wrong has no speed",
			Fix:     "find the faulty rank, link or library before anything is quoted",
		})
	}
	if len(unseen) > 0 {
		list = append(list, finding.Finding{
			Check: Unchecked, Severity: finding.Caution, Evidence: unseen,
			Message: fmt.Sprintf("the answers of %d operations were not looked at, first %s", len(unseen), unseen[0]),
			Why:     "a fast wrong answer looks like a fast right one",
			Fix:     "use a worker that checks its answers",
		})
	}
	return list
}

func (r Row) text() string {
	text := fmt.Sprintf("%s %v ranks=%d", r.Op, unit.Bytes(r.Bytes), r.Ranks)
	if r.InPlace {
		text += " in place"
	}
	return text
}

func emulated(rows []Row) []finding.Finding {
	by := map[string]string{}
	var order []string
	for _, r := range rows {
		if r.Emulated != "" && by[r.Op] == "" {
			by[r.Op] = r.Emulated
			order = append(order, fmt.Sprintf("%s as %s", r.Op, r.Emulated))
		}
	}
	if len(order) == 0 {
		return nil
	}
	return []finding.Finding{{
		Check: EmulatedOp, Severity: finding.Caution,
		Message: "the library lacks operations, others stood in: " + strings.Join(order, ", "),
		Why:     "its time and bus bandwidth are those of the stand-in, not of the operation",
		Fix:     "do not compare it with libraries that have the operation",
	}}
}

func (r Rank) finding() finding.Finding {
	text := fmt.Sprintf("rank %d", r.Rank)
	if r.Host != "" {
		text += " on " + r.Host
	}
	if r.Own > ownFactor {
		text += fmt.Sprintf(" takes %.2f times the median rank's time", r.Own)
	} else {
		text += fmt.Sprintf(" enters %.0f %% of the collectives last, typically %s after the first, beyond what clocks can be off", 100*r.Last, unit.Format(*r.Lateness, unit.Second))
	}
	return finding.Finding{
		Check: OutlierRank, Severity: finding.Caution, Message: text,
		Why: "everybody waits for the last",
		Fix: "look at what else runs there, at its processor, and at its link in the matrix of pairs",
	}
}

// asymmetric names directions that carry far less than the way back, in every
// launch.
func asymmetric(matrices []Matrix) []finding.Finding {
	type pair struct{ from, to, ranks int }
	slow, worst := map[pair]int{}, map[pair]float64{}
	launches := map[int]int{} // by ranks of the world
	var order []pair
	for _, m := range matrices {
		if m.Bandwidth == nil {
			continue
		}
		launches[m.Ranks]++
		for i := range m.Ranks {
			for j := range m.Ranks {
				there, back := m.Bandwidth[i][j], m.Bandwidth[j][i]
				if there <= 0 || back <= 0 || there/back > slowDirection {
					continue
				}
				k := pair{i, j, m.Ranks}
				if slow[k] == 0 {
					order, worst[k] = append(order, k), math.Inf(1)
				}
				slow[k]++
				worst[k] = min(worst[k], there/back)
			}
		}
	}
	order = slices.DeleteFunc(order, func(k pair) bool { return slow[k] < launches[k.ranks] })
	if len(order) == 0 {
		return nil
	}
	var evidence []string
	for _, k := range order {
		evidence = append(evidence, fmt.Sprintf("rank %d to %d carries %.0f %% of %d to %d", k.from, k.to, 100*worst[k], k.to, k.from))
	}
	message := evidence[0]
	if n := len(order); n > 1 {
		message = fmt.Sprintf("%d directions carry far less than the way back, first %s", n, evidence[0])
		if from := order[0].from; !slices.ContainsFunc(order, func(k pair) bool { return k.from != from }) {
			message = fmt.Sprintf("everything that rank %d sends is slower than what it receives: %s", from, strings.Join(evidence, ", "))
		} else if to := order[0].to; !slices.ContainsFunc(order, func(k pair) bool { return k.to != to }) {
			message = fmt.Sprintf("everything that rank %d receives is slower than what it sends: %s", to, strings.Join(evidence, ", "))
		}
	}
	return []finding.Finding{{
		Check: SlowDirection, Severity: finding.Caution, Message: message, Evidence: evidence,
		Why: "a ring is as fast as its slowest direction",
		Fix: "look at shaping, duplex and cables of that direction",
	}}
}
