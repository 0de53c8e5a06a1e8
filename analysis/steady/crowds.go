package steady

import (
	"cmp"
	"slices"
)

// Crowds says how close together the users of a closed loop ask: of each request in the
// window, which share of the other users asked within the same moment. Users who began
// together and get answers of one length never part, and wait for each other.
type Crowds struct {
	Users    int     `json:"users"`
	Requests int     `json:"requests"`
	Moment   float64 `json:"moment"` // seconds: a tenth of the median answer, half before a request and half after it
	Share    float64 `json:"share"`  // of the other users, mean over all requests; about a tenth when they are independent

	// Seconds to the first token, median: of requests with at least half of the other
	// users around them, and of those with less than a quarter. Nil where they are few.
	Crowd *float64 `json:"crowd,omitempty"`
	Apart *float64 `json:"apart,omitempty"`
}

// Moments is how many moments the median answer has: few enough that users who drift a
// little stay together, enough that chance seldom brings them together.
const Moments = 10

const (
	crowdShare, apartShare = .5, .25 // of the other users
	// fewestWaits is the least number of requests whose median wait is worth stating.
	fewestWaits = 10
	// mostAsks bounds how many requests of a window are looked at, the first of it:
	// a thousand users have asked dozens of times by then.
	mostAsks = 1 << 16
)

// crowds looks at the measured calls of a point, which are sorted by when they were due;
// nil in an open loop, which has no users, and for a user alone.
func crowds(calls []call) *Crowds {
	var asks []call
	var took []float64
	m := moment{asking: map[int32]int{}}
	for _, c := range calls {
		if c.measured && c.User >= 0 && len(asks) < mostAsks {
			asks = append(asks, c)
			took = append(took, seconds(c.Done-c.Origin()))
			m.asking[c.User] = 0
		}
	}
	if len(m.asking) < 2 {
		return nil
	}
	slices.SortFunc(asks, func(a, b call) int { return cmp.Compare(a.Origin(), b.Origin()) })
	out := &Crowds{Users: len(m.asking), Requests: len(asks), Moment: figures(took).Median / Moments}
	m.half = int64(1e9 * out.Moment / 2)
	var crowd, apart []float64
	company := 0
	for _, c := range asks {
		others := m.around(c, asks) - 1
		company += others
		share := float64(others) / float64(out.Users-1)
		switch wait, known := firstToken.of(c); {
		case known && share >= crowdShare:
			crowd = append(crowd, wait)
		case known && share < apartShare:
			apart = append(apart, wait)
		}
	}
	out.Share = float64(company) / float64(out.Requests*(out.Users-1))
	out.Crowd, out.Apart = medianWait(crowd), medianWait(apart)
	return out
}

// A moment moves over requests in the order of their sends and counts the users in it: a
// user who asks twice is one.
type moment struct {
	half     int64         // of its length, in nanoseconds
	from, to int           // it holds the requests from … to-1
	asking   map[int32]int // how many of them are each user's
	users    int           // who have one
}

// around moves the moment on to c and returns the users in it, that of c among them.
func (m *moment) around(c call, asks []call) int {
	for ; m.to < len(asks) && asks[m.to].Origin() <= c.Origin()+m.half; m.to++ {
		user := asks[m.to].User
		m.asking[user]++
		m.users += count(m.asking[user] == 1)
	}
	for ; asks[m.from].Origin() < c.Origin()-m.half; m.from++ {
		user := asks[m.from].User
		m.asking[user]--
		m.users -= count(m.asking[user] == 0)
	}
	return m.users
}

// medianWait is nil of few.
func medianWait(waits []float64) *float64 {
	if len(waits) < fewestWaits {
		return nil
	}
	middle := figures(waits).Median
	return &middle
}
