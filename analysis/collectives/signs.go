package collectives

import (
	"fmt"

	"assay/unit"
)

// A Gather is what the largest all-gather carries beside what it could.
type Gather struct {
	Share float64 // of the rate that it is held against
	Text  string
}

// AllGather holds the largest all-gather of the largest world against the link, or
// against the best bus bandwidth of that world where the link's rate is not known: on
// a fabric without trouble both are near. It is nil where no all-gather was measured
// or there is nothing else to hold it against.
func (r Report) AllGather() *Gather {
	own := r.largest("all_gather")
	if own == nil {
		return nil
	}
	rate, of := 0.0, ""
	if r.Link != nil {
		rate, of = r.Link.Rate, fmt.Sprintf("the link's %s", unit.Format(r.Link.Rate, unit.BytePerSecond))
	} else {
		for _, row := range r.Rows {
			if row.Ranks == own.Ranks && row.Op != own.Op && row.BusBW != nil && row.BusBW.Value > rate {
				rate, of = row.BusBW.Value, fmt.Sprintf("the %s of %s", unit.Format(row.BusBW.Value, unit.BytePerSecond), row.text())
			}
		}
	}
	if rate <= 0 {
		return nil
	}
	share := own.BusBW.Value / rate
	return &Gather{share, fmt.Sprintf("%s carries %s, %.0f %% of %s", own.text(), unit.Format(own.BusBW.Value, unit.BytePerSecond), 100*share, of)}
}

// largest is the row of an operation with the most ranks and, of those, the most bytes.
func (r Report) largest(op string) (best *Row) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Op != op || row.BusBW == nil {
			continue
		}
		if best == nil || row.Ranks > best.Ranks || row.Ranks == best.Ranks && row.Bytes > best.Bytes {
			best = row
		}
	}
	return best
}

// Signs are what speaks for a run that waits for its communication: an all-gather far
// below its link, and exchanges of one size that are not steady. Measured says that
// there was anything to look at.
func (r Report) Signs() (list []string, measured bool) {
	if g := r.AllGather(); g != nil {
		measured = true
		if g.Share < farBelow {
			list = append(list, g.Text)
		}
	}
	for _, s := range r.Stability {
		measured = true
		if s.Unsteady() {
			list = append(list, s.text())
		}
	}
	return list, measured
}

// Unsteady says that a step which waits for the slowest of many such exchanges is
// slowed down by their tail.
func (s Stability) Unsteady() bool { return s.Class == "high_jitter" || s.SlowTail >= slowTail }

func (s Stability) text() string {
	return fmt.Sprintf("%s of %v over %d ranks: bandwidth varies by %.1f %% (%s), p99 of the time is %.2f times its p50",
		s.Op, unit.Bytes(s.Bytes), s.Ranks, 100*s.CV, s.Class, s.SlowTail)
}
