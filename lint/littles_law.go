package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/record"
)

// LittlesLaw fires when times and numbers of requests contradict the number of users.
var LittlesLaw = Check{
	ID: "littles-law", Severity: finding.Caution, About: finding.Speed,
	Doc: "Users × time is not the sum of what the requests took: stamps end answers early, or the requests of users are not all there.",
	When: "in a closed loop without pauses, more than 30 % of the users' time lies between the end of an answer and when the next " +
		"request was due, of at least 20 requests (20 % where a program stamps its answers itself); or the requests of a window, by their stamps, are in flight " +
		"1 % more at a time, on average, than the client counted at most",
	Applies: serves,
	Run:     littlesLaw,
}

const (
	// apartShare is the part of the users' time between an answer and the next request from
	// which on stamps, or requests, are missing. A busy client takes a part of it.
	apartShare, apartOfProgram = .3, .2
	fewestTurns                = 20
	// crowdedBy is how far the mean number of requests in flight may lie above the largest.
	crowdedBy = .01
)

// A userTally is what a user of a launch did.
type userTally struct {
	took          []float64 // seconds from sending to the end, of the first successful measured requests
	done          int64     // stamp of the end of the last request; zero for none
	apart, inside int64     // nanoseconds before and of measured requests
	turns, told   int       // measured requests after another one, and those that a program stamped
}

// userTallies are those of a launch, by user.
type userTallies map[int32]*userTally

const mostUsers, mostTook = 4096, 64

func (u *userTallies) of(user int32) *userTally {
	if user < 0 {
		return nil
	}
	if *u == nil {
		*u = userTallies{}
	}
	if (*u)[user] == nil && len(*u) < mostUsers {
		(*u)[user] = &userTally{}
	}
	return (*u)[user]
}

// add takes a successful measured request.
func (u *userTallies) add(r *record.Request) {
	if one := u.of(r.User); one != nil && len(one.took) < mostTook {
		one.took = append(one.took, float64(r.Done-r.Sent)/1e9)
	}
}

// turn takes a measured request of any outcome, each after the one before it.
func (u *userTallies) turn(r *record.Request) {
	one := u.of(r.User)
	if one == nil {
		return
	}
	if one.done > 0 && r.Due >= one.done {
		one.apart += r.Due - one.done
		one.inside += r.Done - r.Due
		one.turns++
		if r.Stamps == programStamps {
			one.told++
		}
	}
	one.done = r.Done
}

// programStamps says, in a record, that the program stamped its answer itself.
const programStamps = "command+program"

func littlesLaw(f *Facts) Answer {
	looked := false
	var list []finding.Finding
	for _, p := range f.places() {
		if one, crowded := tooMany(p); crowded {
			list = append(list, one)
		}
		if !rhythmic(f)(p.point) || p.point.ThinkTime > 0 {
			continue
		}
		all := p.turns()
		looked = looked || all.turns > 0
		share, most := float64(all.apart)/float64(max(1, all.apart+all.inside)), apartShare
		if 2*all.told > all.turns {
			most = apartOfProgram
		}
		if all.turns < fewestTurns || share <= most {
			continue
		}
		took, every := float64(all.inside)/float64(all.turns)/1e9, float64(all.inside+all.apart)/float64(all.turns)/1e9
		users := float64(p.point.Concurrency)
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: by their stamps requests take %s on average, and a user asks every %s: throughput × E2E is %.3g, where there are %.0f users who never pause",
				p.name, duration(took), duration(every), users*(1-share), users),
			Why: "by Little's law the two agree where every stamp is right: the answers ended later than they say, or the client took its time",
			Fix: "compare the clock of whoever stamps with the client's, and look at client-limit; until then quote throughput, not latency",
		})
	}
	if !looked && len(list) == 0 && slices.ContainsFunc(f.Plan.Points, rhythmic(f)) {
		return missing("requests of users who asked before")
	}
	return found(list...)
}

// turns adds those of the users of all launches.
func (p placeTally) turns() (all userTally) {
	for _, t := range p.launches {
		for _, u := range t.Users {
			all.apart, all.inside = all.apart+u.apart, all.inside+u.inside
			all.turns, all.told = all.turns+u.turns, all.told+u.told
		}
	}
	return all
}

// tooMany compares how many requests were in flight on average, which is rate × E2E, with the
// largest number that the client counted.
func tooMany(p placeTally) (finding.Finding, bool) {
	for _, t := range p.launches {
		if t.MostInFlight == nil || t.End <= t.Begin || len(t.Lag) > 0 { // several load generators count their own
			continue
		}
		mean := float64(t.InFlight) / float64(t.End-t.Begin)
		if most := float64(*t.MostInFlight); mean > (1+crowdedBy)*most {
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: launch %d: %.4g requests were in flight on average, by their stamps, and the client counted %.0f at most", p.name, t.Launch+1, mean, most),
				Why:      "rate × E2E is the number of requests in flight (Little's law): stamps or requests are not those of this client",
				Fix:      "measure again, and keep the bundle as it was written",
			}, true
		}
	}
	return finding.Finding{}, false
}
