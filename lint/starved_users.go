package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/finding"
	"assay/stats"
)

// StarvedUsers fires when a part of the users waits much longer than the others.
var StarvedUsers = Check{
	ID: "starved-users", Severity: finding.Caution, About: finding.Speed,
	Doc: "Some users, whose requests keep to a connection each, wait much longer than the others: a median of all describes neither.",
	When: "the users of a closed loop fall into two groups by every other answer of theirs, at the widest gap between their medians; in the " +
		"answers between those the slower group's median is at least twice the other's, and ranks tell them apart (Mann–Whitney, " +
		"p ≤ 0.1 %). Of at most 4,096 users and 64 answers of each, in each launch; not where users hold conversations",
	Applies: func(f *Facts) bool { return serves(f) && slices.ContainsFunc(f.Plan.Points, rhythmic(f)) },
	Run:     starvedUsers,
}

const (
	// starvedFactor is how much longer the slow wait where nobody would call that luck of the
	// draw or a busy processor.
	starvedFactor = 2
	starvedLevel  = 1e-3
	// fewestStarved is how many answers of each group must stand behind that.
	fewestStarved = 4
)

func starvedUsers(f *Facts) Answer {
	looked := false
	var list []finding.Finding
	for _, p := range f.places() {
		if !rhythmic(f)(p.point) {
			continue
		}
		var all groups
		for _, t := range p.launches {
			all.add(t.Users.split())
		}
		if len(all.slow) < fewestStarved || len(all.fast) < fewestStarved {
			continue
		}
		looked = true
		slow, fast := middle(all.slow), middle(all.fast)
		test, err := stats.MannWhitney(all.fast, all.slow)
		if err != nil || test.P > starvedLevel || slow < starvedFactor*fast {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %d of %d users wait %s for an answer in the middle, and the others %s (p = %.1g)",
				p.name, all.slowUsers, all.users, duration(slow), duration(fast), test.P),
			Why: "users keep to their connections, and the target serves some of them worse; in a closed loop the slow ones also ask less often, so that percentiles over requests hide them",
			Fix: "look for workers or replicas behind the address that share the connections unevenly, and report the slow users beside the others",
		})
	}
	if !looked {
		return missing(fmt.Sprintf("answers of users of a closed loop, %d of each group", fewestStarved))
	}
	return found(list...)
}

// groups are users who are slow by one half of their answers and those who are not, and how
// long the other half took: a group that luck made is as fast as the other in that one.
type groups struct {
	slow, fast       []float64
	users, slowUsers int
}

func (g *groups) add(o groups) {
	g.slow, g.fast = append(g.slow, o.slow...), append(g.fast, o.fast...)
	g.users, g.slowUsers = g.users+o.users, g.slowUsers+o.slowUsers
}

// split divides the users of a launch at the widest gap, as a factor, between their medians.
func (u userTallies) split() (g groups) {
	type half struct{ by, other []float64 }
	var users []half
	for _, one := range u {
		var h half
		for i, took := range one.took {
			if i%2 == 0 {
				h.by = append(h.by, took)
			} else {
				h.other = append(h.other, took)
			}
		}
		if len(h.by) > 0 {
			users = append(users, h)
		}
	}
	slices.SortFunc(users, func(a, b half) int { return cmp.Compare(middle(a.by), middle(b.by)) })
	from, widest := len(users), 1.0
	for i := 1; i < len(users); i++ {
		if gap := middle(users[i].by) / middle(users[i-1].by); gap > widest {
			from, widest = i, gap
		}
	}
	for i, h := range users {
		if i < from {
			g.fast = append(g.fast, h.other...)
		} else {
			g.slow = append(g.slow, h.other...)
		}
	}
	g.users, g.slowUsers = len(users), len(users)-from
	return g
}
