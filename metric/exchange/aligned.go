package exchange

// Shared are what the stamps of all ranks of a step, on one clock, tell about one
// of them, in nanoseconds.
type Shared struct {
	Wait     int64   // in all, with the link free and a bucket ready, for the last rank's
	Transfer int64   // in all, of buckets that every rank had ready
	ByWait   int64   // of the exposed: what it would be less by if no rank had come late
	Lateness []int64 // of each bucket after the first rank's
	Late     int64   // of the begin of the forward pass after the first rank's
}

// Aligned compares the ranks of one step, whose stamps must be on one clock; false
// when they did not exchange the same buckets.
//
// Waiting shows up as exposed communication by replay: the buckets are sent again,
// each as soon as this rank has it and the link is free, and each takes the time
// that its transfer took. To cut the waits to the exposed window does not work:
// waiting early in the step holds up the queue and comes out later, as transfer.
func Aligned(sides []Side) ([]Shared, bool) {
	if len(sides) < 2 || len(sides[0].Buckets) == 0 {
		return nil, false
	}
	for _, s := range sides {
		if len(s.Buckets) != len(sides[0].Buckets) {
			return nil, false
		}
	}
	first, last := readiness(sides)
	start := sides[0].Forward
	for _, s := range sides {
		start = min(start, s.Forward)
	}
	list := make([]Shared, len(sides))
	for i, s := range sides {
		list[i] = shared(s, first, last)
		list[i].Late = s.Forward - start
	}
	return list, true
}

// readiness is when the first and the last rank had each bucket ready.
func readiness(sides []Side) (first, last []int64) {
	for j := range sides[0].Buckets {
		from, to := sides[0].Buckets[j].Ready, sides[0].Buckets[j].Ready
		for _, s := range sides[1:] {
			from, to = min(from, s.Buckets[j].Ready), max(to, s.Buckets[j].Ready)
		}
		first, last = append(first, from), append(last, to)
	}
	return first, last
}

func shared(s Side, first, last []int64) (out Shared) {
	var free, replayed, computed int64 // when the link is free, here and in the replay; the last gradient
	for j, b := range s.Buckets {
		if j == 0 {
			free, replayed, computed = b.Ready, b.Ready, b.Ready
		}
		computed = max(computed, b.Ready)
		out.Wait += max(0, last[j]-max(b.Ready, free))
		transfer := max(0, b.End-max(last[j], free))
		out.Transfer += transfer
		replayed = max(b.Ready, replayed) + transfer
		out.Lateness = append(out.Lateness, b.Ready-first[j])
		free = max(free, b.End)
	}
	exposed := max(0, s.End-computed)
	without := max(0, replayed-computed) + max(0, s.End-free)
	out.ByWait = max(0, exposed-without)
	return out
}

// Early is by how much any bucket ended anywhere before the last rank had it
// ready, at most: more than the clocks' bounds allow says that they are wrong.
func Early(sides []Side) (most int64) {
	if _, ok := Aligned(sides); !ok {
		return 0
	}
	_, last := readiness(sides)
	for _, s := range sides {
		for j, b := range s.Buckets {
			most = max(most, last[j]-b.End)
		}
	}
	return most
}
