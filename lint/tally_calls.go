package lint

import (
	"assay/bundle"
	"assay/record"
)

// Calls counts what became of calls: as the client says in its balance of a point,
// or as the records of the point hold them.
type Calls struct {
	Begun     int64 `json:"begun"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Dropped   int64 `json:"dropped"`
	Cancelled int64 `json:"cancelled"`
	Cut       int64 `json:"cut"`
}

func (c *Calls) add(other Calls) {
	c.Begun, c.Completed, c.Failed = c.Begun+other.Begun, c.Completed+other.Completed, c.Failed+other.Failed
	c.Dropped, c.Cancelled, c.Cut = c.Dropped+other.Dropped, c.Cancelled+other.Cancelled, c.Cut+other.Cut
}

func (c *Calls) count(outcome record.Outcome) {
	c.Begun++
	switch outcome {
	case record.OK:
		c.Completed++
	case record.Dropped:
		c.Dropped++
	case record.Cancelled:
		c.Cancelled++
	case record.Cut:
		c.Cut++
	default:
		c.Failed++
	}
}

// windowSlack is how far from its window, in nanoseconds, a measured request may be
// sent: a loop reads its clock a moment before or after its gate does.
const windowSlack = 10e6

// account takes one request of any phase into the books: its outcome, whether its
// times can be true, and whether the same answer was there before.
func (t *PointTally) account(r *record.Request, streams map[int64]stream, timelines *seen) {
	t.Calls.count(r.Result)
	if r.Result == record.Dropped {
		return
	}
	t.LastDone = max(t.LastDone, r.Done)
	if r.Done < r.Sent || r.First != nil && *r.First < r.Sent {
		t.Backwards++
	}
	if r.Phase != record.Measure {
		return
	}
	t.Users.turn(r)
	if r.Sent < t.Begin-windowSlack || t.End > 0 && r.User >= 0 && r.Due > t.End+windowSlack {
		t.Outside++
	}
	if r.Result != record.OK {
		return
	}
	if r.First != nil {
		t.Copies.add(timelines.before(timelineHash(r)))
	}
	t.Surplus.add(r, streams[r.ID])
	t.Shown.add(r, streams[r.ID])
	t.Read.add(r)
	t.Marks.add(r)
	t.Users.add(r)
}

// timelineHash mixes how long an answer and its first byte took. Two answers that
// agree in both to the nanosecond are one answer.
func timelineHash(r *record.Request) int64 {
	return mixed(mixed(r.Done-r.Sent) ^ (*r.First - r.Sent))
}

// mixed spreads the bits of a number (SplitMix64), so that a mask of a few of them
// is a fair sample.
func mixed(v int64) int64 {
	x := uint64(v) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64(x ^ x>>31)
}

// A stream is what is looked at of the events of an answer.
type stream struct {
	rows   int32 // of any kind
	output int32 // with text or other output

	begun, last int64   // stamps of the first and the last output
	gaps        []int64 // between output that did not come together
}

// shown adds output that came at a stamp. What one read completed came together.
func (s *stream) shown(at int64) {
	if s.output++; s.output == 1 {
		s.begun = at
	} else if at-s.last > together {
		s.gaps = append(s.gaps, at-s.last)
	}
	s.last = max(s.last, at)
}

// together is how close, in nanoseconds, two events are that a packet may have brought.
const together = 200e3

// mostEvents bounds how many events of a launch are looked at: enough for hundreds
// of answers, and little beside those that the estimates read.
const mostEvents = 1 << 16

// eventRow is what readStreams reads of an event.
type eventRow struct {
	Request int64            `parquet:"request,delta"`
	At      int64            `parquet:"at_ns,delta"`
	Kind    record.ChunkKind `parquet:"kind,dict"`
}

// readStreams looks at the first events of a launch by the request that they belong
// to.
func readStreams(b *bundle.Bundle, launch int) (map[int64]stream, error) {
	streams, left := map[int64]stream{}, mostEvents
	for e, err := range bundle.Rows[eventRow](b, launch, bundle.Chunks) {
		if err != nil {
			return nil, err
		}
		if left--; left < 0 {
			break
		}
		s := streams[e.Request]
		s.rows++
		if e.Kind.Output() {
			s.shown(e.At)
		}
		streams[e.Request] = s
	}
	return streams, nil
}

// A Surplus says by how much the server's count of the tokens of an answer is above
// the number of pieces in which it came, over answers of which every event was
// looked at; and how many answers are longer, by that count, than they may be.
type Surplus struct {
	Answers         int
	Least, Most     int32 // surplus of an answer
	Fewest, Longest int32 // tokens of an answer
	Beyond          int   // answers with more tokens than the request allows, of all
	Bounded         int   // answers whose requests allow a number
}

func (s *Surplus) add(r *record.Request, events stream) {
	if r.UsageOutput == nil {
		return
	}
	if r.AskedOutput > 0 {
		s.Bounded++
		if *r.UsageOutput > r.AskedOutput+1 { // some count the token that ends an answer
			s.Beyond++
		}
	}
	if events.output == 0 || events.rows != r.Chunks {
		return
	}
	more := *r.UsageOutput - events.output
	if s.Answers == 0 {
		s.Least, s.Most, s.Fewest, s.Longest = more, more, *r.UsageOutput, *r.UsageOutput
	}
	s.Answers++
	s.Least, s.Most = min(s.Least, more), max(s.Most, more)
	s.Fewest, s.Longest = min(s.Fewest, *r.UsageOutput), max(s.Longest, *r.UsageOutput)
}
