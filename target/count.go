package target

import (
	"math"
	"strconv"
)

// A Count is a number of tokens as a server reports it. One that cannot be true is
// kept as impossible: it is no usage, and the record says that there was one.
type Count int32

// impossible stands for a count below zero, with a fraction, beyond what a record
// holds (2^31 - 1, more than any model's context), or that is no number at all.
const impossible Count = -1

// UnmarshalJSON implements json.Unmarshaler. It never fails: a wrong count does not
// make the text beside it unreadable. Null never gets here, as every count is behind
// a pointer.
func (c *Count) UnmarshalJSON(data []byte) error {
	*c = impossible
	n, err := strconv.ParseFloat(string(data), 64)
	if err == nil && n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
		*c = Count(n)
	}
	return nil
}

// sum adds counts that a server reports apart; nil when it reports none. With a
// part that is impossible the whole is.
func sum(parts ...*Count) *Count {
	var total int64
	told := false
	for _, part := range parts {
		if part == nil {
			continue
		}
		told = true
		if *part < 0 {
			total = math.MinInt64 / 2 // whatever is added stays below zero
		}
		total += int64(*part)
	}
	if !told {
		return nil
	}
	count := impossible
	if total >= 0 && total <= math.MaxInt32 {
		count = Count(total)
	}
	return &count
}

// usage takes over what a server counted. Usage on every event is cumulative: the
// last count wins. Some servers give the input's count in one event and the
// output's in another.
func (a *answer) usage(u *Usage) {
	r := &a.request
	a.latest(&r.UsageInput, u.Input)
	a.latest(&r.UsageOutput, u.Output)
	a.latest(&r.UsageReasoning, u.Reasoning)
	a.latest(&r.UsageCached, u.Cached)
}

func (a *answer) latest(count **int32, reported *Count) {
	switch {
	case reported == nil:
	case *reported < 0:
		a.flag("impossible_usage")
		*count = nil // also what was said before: the server took it back
	default:
		n := int32(*reported)
		*count = &n
	}
}
