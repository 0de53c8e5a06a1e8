package playbook

import (
	"cmp"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A Rank is how one process of a training run kept up with the others.
type Rank struct {
	Rank    int
	Ratio   float64 // its mean step over the median of all ranks'
	Slowest float64 // share of the steps in which it was the slowest
	Steps   int
}

type stepRow struct {
	Rank  int32        `parquet:"rank,delta"`
	Step  int64        `parquet:"step,delta"`
	Phase record.Phase `parquet:"phase,dict"`
	Start int64        `parquet:"start_ns,delta"`
	End   int64        `parquet:"end_ns,delta"`
}

// ReadRanks compares the ranks over the measured steps of all completed launches;
// there is none where no step was recorded.
func ReadRanks(b *bundle.Bundle) ([]Rank, error) {
	type sum struct {
		time    float64
		slowest int
		steps   int
	}
	ranks := map[int32]*sum{}
	total := 0
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		type lead struct {
			rank   int32
			length int64
		}
		slowest := map[int64]lead{}
		for r, err := range bundle.Rows[stepRow](b, info.Index, bundle.Steps) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index, err)
			}
			if r.Phase != record.Measure {
				continue
			}
			s := ranks[r.Rank]
			if s == nil {
				s = &sum{}
				ranks[r.Rank] = s
			}
			length := r.End - r.Start
			s.time, s.steps = s.time+float64(length), s.steps+1
			if have, ok := slowest[r.Step]; !ok || length > have.length {
				slowest[r.Step] = lead{r.Rank, length}
			}
		}
		for _, l := range slowest {
			ranks[l.rank].slowest++
		}
		total += len(slowest)
	}
	var list []Rank
	var means []float64
	for rank, s := range ranks {
		m := s.time / float64(s.steps)
		means = append(means, m)
		list = append(list, Rank{Rank: int(rank), Ratio: m, Slowest: float64(s.slowest) / float64(max(1, total)), Steps: s.steps})
	}
	slices.Sort(means)
	for i := range list {
		list[i].Ratio /= means[len(means)/2]
	}
	slices.SortFunc(list, func(a, b Rank) int { return cmp.Compare(a.Rank, b.Rank) })
	return list, nil
}

// Requests are what the measured requests say about connections.
type Requests struct {
	Measured int
	New      int   // on a connection opened for them
	DNSMax   int64 // longest look-up, ns
}

type connectionRow struct {
	Phase   record.Phase `parquet:"phase,dict"`
	NewConn bool         `parquet:"new_connection"`
	DNS     *int64       `parquet:"dns_ns"`
}

// ReadRequests counts connections over the completed launches.
func ReadRequests(b *bundle.Bundle) (Requests, error) {
	var out Requests
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		for r, err := range bundle.Rows[connectionRow](b, info.Index, bundle.Requests) {
			if err != nil {
				return out, fmt.Errorf("launch %d: %w", info.Index, err)
			}
			if r.Phase != record.Measure {
				continue
			}
			out.Measured++
			if r.NewConn {
				out.New++
			}
			if r.DNS != nil {
				out.DNSMax = max(out.DNSMax, *r.DNS)
			}
		}
	}
	return out, nil
}
