package metric

import (
	"slices"

	"assay/metric/exchange"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// ExposedCommunication is how long nothing but gradient exchange went on.
var ExposedCommunication = Metric{
	ID: "exposed_communication.v1", Name: "exposed communication", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
	Doc: "Time of a step from when the last gradient of a rank was ready to the end of its backward pass, mean over ranks. It includes copying buckets back. By stamps in the gradient hook, or by events of the device.",
	Of:  Many(ofExchange(func(f exchange.Figures) (float64, bool) { return seconds(f.Exposed), true })),
}

// Communication is how long gradients were on their way.
var Communication = Metric{
	ID: "communication.v1", Name: "communication", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
	Doc: "Time of a step in which at least one bucket was between ready and exchanged, mean over ranks: the union of the intervals. Buckets queue, so that their sum would count time more than once.",
	Of:  Many(ofExchange(func(f exchange.Figures) (float64, bool) { return seconds(f.Comm), true })),
}

// CommunicationOverlap is how much of the exchange is hidden.
var CommunicationOverlap = Metric{
	ID: "communication_overlap.v1", Name: "overlap", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Signed: true,
	Doc: "1 − exposed_communication.v1 / communication.v1 of a rank in a step, mean over ranks. Copying back after the last bucket can make it negative.",
	Of:  Many(ofExchange(exchange.Figures.Overlap)),
}

// PeerWait is how long ranks wait for each other.
var PeerWait = Metric{
	ID: "peer_wait.v1", Name: "waiting for a peer", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
	Doc: "Time of a step in which a rank had a bucket ready and the link free and the last rank was not ready, mean over ranks. On aligned clocks.",
	Of:  Many(ofAligned(func(s exchange.Shared) int64 { return s.Wait })),
}

// GradientTransfer is how long buckets are really sent.
var GradientTransfer = Metric{
	ID: "gradient_transfer.v1", Name: "gradient transfer", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
	Doc: "Time of a step in which a bucket that every rank had ready was on its way, mean over ranks. On aligned clocks.",
	Of:  Many(ofAligned(func(s exchange.Shared) int64 { return s.Transfer })),
}

// ExposedWait is what waiting for peers costs the step.
var ExposedWait = Metric{
	ID: "exposed_wait.v1", Name: "exposed by waiting", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
	Doc: "What exposed_communication.v1 would be less by if no rank had come late: the exposed time minus that of a replay in which every bucket is sent when its own rank has it and takes as long as its transfer took; mean over ranks. On aligned clocks.",
	Of:  Many(ofAligned(func(s exchange.Shared) int64 { return s.ByWait })),
}

// Interference is what the exchange costs the computation.
var Interference = Metric{
	ID: "interference.v1", Name: "interference", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Signed: true,
	Doc: "Median backward pass of steps with exchange minus median backward pass of steps without, minus the median exposed communication; mean over ranks. What copying buckets and sharing processors and memory add to the computation; it needs no common clock.",
	Of: Whole(func(p *Point) (float64, bool) {
		if p.Ranked == nil {
			return 0, false
		}
		return meanOf(InterferenceOf(p.Ranked.ByStep()))
	}),
}

// InterferenceOf is the interference of each rank, in seconds, without those that
// cannot tell.
func InterferenceOf(steps []exchange.Step) map[int32]float64 {
	type passes struct{ with, without, exposed []float64 }
	of := map[int32]*passes{}
	for _, s := range steps {
		if s.Phase != record.Measure {
			continue
		}
		for i, row := range s.Rows {
			one := of[row.Rank]
			if one == nil {
				one = &passes{}
				of[row.Rank] = one
			}
			if row.Backward == nil {
				continue
			}
			if !s.Synced {
				one.without = append(one.without, seconds(*row.Backward))
			} else if f, ok := s.Figures(i); ok {
				one.with = append(one.with, seconds(*row.Backward))
				one.exposed = append(one.exposed, seconds(f.Exposed))
			}
		}
	}
	out := map[int32]float64{}
	for rank, one := range of {
		if len(one.with) > 0 && len(one.without) > 0 {
			out[rank] = stats.Middle(one.with) - stats.Middle(one.without) - stats.Middle(one.exposed)
		}
	}
	return out
}

// ofExchange yields, for each counted step, the mean over ranks of a figure that
// needs no common clock.
func ofExchange(figure func(exchange.Figures) (float64, bool)) func(*Point) []float64 {
	return func(p *Point) (list []float64) {
		if p.Ranked == nil || p.Ranked.Plan.Ranks < 2 {
			return nil // a rank by itself exchanges nothing
		}
		for _, s := range p.counted() {
			sum, n := 0.0, 0
			for i := range s.Rows {
				f, ok := s.Figures(i)
				if !ok {
					continue
				}
				if v, ok := figure(f); ok {
					sum, n = sum+v, n+1
				}
			}
			if n > 0 && n == len(s.Rows) {
				list = append(list, sum/float64(n))
			}
		}
		return list
	}
}

// ofAligned yields, for each counted step, the mean over ranks of a figure that
// needs a common clock. There is none where a clock is unknown or cannot be right.
func ofAligned(figure func(exchange.Shared) int64) func(*Point) []float64 {
	return func(p *Point) (list []float64) {
		if p.Ranked == nil || !p.Ranked.Aligned() {
			return nil
		}
		for _, s := range p.counted() {
			shared, ok := exchange.Aligned(s.Sides)
			if !ok {
				continue
			}
			sum := int64(0)
			for _, one := range shared {
				sum += figure(one)
			}
			list = append(list, seconds(sum)/float64(len(shared)))
		}
		return list
	}
}

func meanOf(values map[int32]float64) (float64, bool) {
	var ranks []int32
	for rank := range values {
		ranks = append(ranks, rank)
	}
	slices.Sort(ranks) // sums depend on the order
	sum := 0.0
	for _, rank := range ranks {
		sum += values[rank]
	}
	return sum / float64(len(values)), len(values) > 0
}

// DataWait is how long a step waits for its input.
var DataWait = Metric{
	ID: "data_wait.v1", Name: "waiting for input", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
	Doc: "Time of a step that its slowest rank in this respect waited for the next batch. The other ranks wait for that rank in their gradient exchange.",
	Of: Many(func(p *Point) (list []float64) {
		for _, s := range p.counted() {
			longest, known := int64(0), false
			for _, row := range s.Rows {
				if row.Data != nil {
					longest, known = max(longest, *row.Data), true
				}
			}
			if known {
				list = append(list, seconds(longest))
			}
		}
		return list
	}),
}
