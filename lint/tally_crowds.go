package lint

import (
	"cmp"
	"slices"

	"assay/plan"
)

// Crowds says how close together the users of a closed loop ask: for each request,
// what share of the other users asked within the same moment.
type Crowds struct {
	Users  int     // seen in the requests that were looked at
	Sends  int     // successful requests that were looked at, the first of the window
	Moment float64 // seconds: a tenth of the median answer, half before the request and half after it
	Share  float64 // of the other users, over all requests
	Crowd  float64 // seconds to the first byte, median of those with at least half of the others around them; 0 where they are few
	Apart  float64 // the same of those with less than a quarter around them
}

const (
	// mostSends bounds what is kept of a launch, where it is more than four requests of
	// each user.
	mostSends = 1 << 13
	// moments is how many moments the median answer has: few enough that users who
	// drift a little stay together, enough that chance seldom brings them together.
	moments = 10
	// fewestWaits is the least number of requests whose median wait is told.
	fewestWaits = 10
)

// A send is what is kept of a request to find its crowd.
type send struct {
	at   int64
	wait int64 // until the first byte; negative where none is known
	user int32
}

// sends keeps the first requests of a window until the time of an answer is known.
type sends struct {
	list []send
	most int
}

// newSends keeps nothing of an open loop, which has no users.
func newSends(p plan.Point) sends {
	if p.Open() {
		return sends{}
	}
	return sends{most: max(mostSends, 4*p.Concurrency)}
}

// add takes a successful measured request. One that failed at once is followed at
// once by the next of its user, which is no rhythm.
func (s *sends) add(r requestRow) {
	if r.User < 0 || len(s.list) >= s.most {
		return
	}
	wait := int64(-1)
	if r.First != nil {
		wait = *r.First - r.Sent
	}
	s.list = append(s.list, send{r.Sent, wait, r.User})
}

// order sorts what was kept by time. Requests come as they end: where there was no room
// for all of them, the neighbours of the last that were kept are not there, and these
// go too.
func (s *sends) order(answer float64) {
	slices.SortFunc(s.list, func(a, b send) int { return cmp.Compare(a.at, b.at) })
	if len(s.list) < s.most || len(s.list) == 0 {
		return
	}
	last := s.list[len(s.list)-1].at - int64(1e9*answer)
	s.list = slices.DeleteFunc(s.list, func(one send) bool { return one.at > last })
}

// crowds judges what was kept, where the median answer took so many seconds.
func (s *sends) crowds(answer float64) Crowds {
	s.order(answer)
	users := map[int32]int{} // how many requests of each are in the moment
	for _, one := range s.list {
		users[one.user] = 0
	}
	out := Crowds{Users: len(users), Sends: len(s.list), Moment: answer / moments}
	if out.Users < 2 || !(answer > 0) {
		return out
	}
	half, others := int64(1e9*out.Moment/2), float64(out.Users-1)
	asking, from, to := 0, 0, 0 // users in the moment, which holds the requests from … to-1
	var crowd, apart []int64
	for _, one := range s.list {
		for ; to < len(s.list) && s.list[to].at <= one.at+half; to++ {
			if users[s.list[to].user]++; users[s.list[to].user] == 1 {
				asking++
			}
		}
		for ; s.list[from].at < one.at-half; from++ {
			if users[s.list[from].user]--; users[s.list[from].user] == 0 {
				asking--
			}
		}
		share := float64(asking-1) / others
		out.Share += share / float64(out.Sends)
		switch {
		case one.wait < 0:
		case share >= .5:
			crowd = append(crowd, one.wait)
		case share < .25:
			apart = append(apart, one.wait)
		}
	}
	out.Crowd, out.Apart = middleWait(crowd), middleWait(apart)
	return out
}

// middleWait is the median in seconds; zero of few.
func middleWait(waits []int64) float64 {
	if len(waits) < fewestWaits {
		return 0
	}
	slices.Sort(waits)
	return float64(waits[(len(waits)-1)/2]) / 1e9
}
