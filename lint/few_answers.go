package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/plan"
)

// FewAnswers fires when the window of a closed loop holds few answers of each user.
var FewAnswers = Check{
	ID: "few-answers", Severity: finding.Caution, About: finding.Speed,
	Doc: "In a window of few answers per user, rates depend on where its edges cut the answers.",
	When: "the measured window of a closed loop holds fewer than 3 whole answers per user, as the median over " +
		"launches: a note; a caution below 1",
	Applies: func(f *Facts) bool { return serves(f) && slices.ContainsFunc(f.Plan.Points, asksAgain(f)) },
	Run:     fewAnswers,
}

// asksAgain holds for points whose users go on asking through the whole window.
func asksAgain(f *Facts) func(plan.Point) bool {
	return func(p plan.Point) bool { return !p.Open() && p.Concurrency > 0 && steadyPoint(f)(p) }
}

const (
	// fewestWhole is the least number of whole answers per user: an edge cuts half an
	// answer of each user on average, and of users in step the same part of all.
	fewestWhole = 3
	// mostlyCut is below how many most answers are cut by an edge: rates, which count the
	// part of each answer in the window, then rest on parts alone.
	mostlyCut = 1
	// wantedWhole is how many leave the edges less than a tenth of the window.
	wantedWhole = 10
)

func fewAnswers(f *Facts) Answer {
	var answer Answer
	for _, p := range f.places() {
		if !asksAgain(f)(p.point) {
			continue
		}
		rounds := p.rounds()
		if len(rounds) == 0 {
			answer.Missing = "the end of a measured window, or answers in it, at " + p.name
			continue
		}
		at := rounds[(len(rounds)-1)/2]
		if at.whole >= fewestWhole {
			continue
		}
		severity := finding.Note
		if at.whole < mostlyCut {
			severity = finding.Caution
		}
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: severity,
			Message:  fmt.Sprintf("%s: the window of %s holds %.2g whole answers per user", p.name, duration(at.window), at.whole),
			Why:      "rates then depend on where the edges of the window cut the answers, and launches that are cut alike agree on the same error",
			Fix:      "measure for longer (load.duration), until every user has ten answers" + enoughFor(p.point, at.turn),
		})
	}
	return answer
}

// A round says how often users ask in a launch.
type round struct {
	window float64 // seconds
	whole  float64 // answers per user that began and ended in the window
	turn   float64 // seconds from one request of a user to the next
}

// rounds lists those of the launches, the fewest answers first.
func (p placeTally) rounds() []round {
	var list []round
	for _, t := range p.launches {
		if t.End <= t.Begin || t.Response.Count() == 0 {
			continue
		}
		window, users := float64(t.End-t.Begin)/1e9, float64(p.point.Concurrency)
		turn := t.Response.Quantile(.5) + p.point.ThinkTime.Seconds()
		list = append(list, round{window, float64(t.Whole) / users, max(turn, window*users/float64(t.Measured))})
	}
	slices.SortFunc(list, func(a, b round) int { return cmp.Compare(a.whole, b.whole) })
	return list
}

// enoughFor says what gives every user wantedWhole answers. A window holds one whole
// answer less than its length has.
func enoughFor(p plan.Point, turn float64) string {
	text := fmt.Sprintf(": here for %.0f s", math.Ceil((wantedWhole+1)*turn))
	if enough := (wantedWhole + 1) * p.Concurrency; p.Requests > 0 && p.Requests < enough {
		text += fmt.Sprintf(", with load.requests of at least %d", enough)
	}
	return text
}
