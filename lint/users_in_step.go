package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/analysis/steady"
	"assay/finding"
	"assay/plan"
	"assay/spec"
)

// UsersInStep fires when the users of a closed loop ask at the same moments.
var UsersInStep = Check{
	ID: "users-in-step", Severity: finding.Caution, About: finding.Speed,
	Doc: "Users of a closed loop who ask at the same moments wait for each other, and TTFT is that of a crowd.",
	When: "whenever a user asks, at least 20 % of the others ask within the same tenth of a median answer (independent " +
		"users: 10 %), as the median over launches, and more than chance brings together (10 % + 350 % / users; 10 % + " +
		"140 % / users where load.start is together): a caution; a note below 25 % or where load.start is together. From 5 users and 2 requests of each on, and not where " +
		"users pause for longer than an answer",
	Applies: func(f *Facts) bool { return serves(f) && slices.ContainsFunc(f.Plan.Points, rhythmic(f)) },
	Run:     usersInStep,
}

// rhythmic holds for points in which the end of an answer is what makes a user ask
// again. The pauses of sessions have lengths of their own.
func rhythmic(f *Facts) func(plan.Point) bool {
	session := f.Plan.Workload().Session
	pauses := session != nil && (session.ThinkTime > 0 || len(session.AllTools()) > 0 || session.From != spec.SessionSynthetic)
	return func(p plan.Point) bool {
		return !p.Open() && p.Concurrency > 1 && !pauses && steadyPoint(f)(p)
	}
}

const (
	// stepShare is the share of the other users from which on a report should say that
	// they ask together, twice that of independent users. From stepMost on it is a
	// caution: 32 users of an engine that prefills ten prompts at a time have 30 %, and
	// a TTFT three times that of independent ones.
	stepShare, stepMost = .2, .25
	// stepLuck divided by the number of users is what chance adds to the tenth that
	// independent users have, in one launch of ten thousand: with answers of one length
	// their phases never change, and one draw of each decides. By simulation, for 5 to
	// 128 users; fewer may all be in step by chance.
	stepLuck     = 3.5
	fewestInStep = 5
	// togetherLuck is the same in one launch of a hundred, for users who are known to have
	// begun together: that they still are is likelier than chance. Eight users of a real
	// engine on a busy host had 36 %, for which stepLuck would ask for 54 %.
	togetherLuck = 1.4
	// fewestPerUser is the least number of requests per user: with one, nobody has kept
	// step yet.
	fewestPerUser = 2
	// startAnswers is how many answers a warm-up must last for users to begin over the
	// whole of one: they begin in its first half.
	startAnswers = 2
	// apartFactor is how much shorter the waits apart from the crowd must be to be named.
	apartFactor = .8
)

func usersInStep(f *Facts) Answer {
	var answer Answer
	looked := false
	for _, p := range f.places() {
		if !rhythmic(f)(p.point) {
			continue
		}
		list := p.crowds(f)
		if len(list) == 0 {
			answer.Missing = fmt.Sprintf("requests at %s: want those of at least %d users, %d of each in a launch", p.name, fewestInStep, fewestPerUser)
			continue
		}
		looked = true
		at := list[(len(list)-1)/2]
		if at.Share < max(stepShare, chance(p.point, at.Users)) || p.point.ThinkTime.Seconds() > steady.Moments*at.Moment {
			continue
		}
		answer.Findings = append(answer.Findings, stepFinding(p, at))
	}
	if looked {
		answer.Missing = ""
	}
	return answer
}

// chance is the share up to which luck may have brought the users of a point together.
func chance(point plan.Point, users int) float64 {
	luck := stepLuck
	if point.Start == spec.StartTogether {
		luck = togetherLuck
	}
	return 1./steady.Moments + luck/float64(users)
}

// crowds lists those of the launches that hold enough, the loosest first.
func (p placeTally) crowds(f *Facts) []steady.Crowds {
	var list []steady.Crowds
	for _, at := range f.Steady.Points {
		own := slices.ContainsFunc(p.launches, func(t PointTally) bool { return t.Launch == at.Launch && t.Point == at.Point })
		if c := at.Crowds; own && c != nil && c.Users >= fewestInStep && c.Requests >= fewestPerUser*c.Users {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b steady.Crowds) int { return cmp.Compare(a.Share, b.Share) })
	return list
}

func stepFinding(p placeTally, at steady.Crowds) finding.Finding {
	enough := startAnswers * steady.Moments * at.Moment
	one := finding.Finding{
		Severity: finding.Caution,
		Message: fmt.Sprintf("%s: users ask in step: whenever one asks, %.0f %% of the other %d ask within the same %s (independent users: %d %%); %s",
			p.name, 100*at.Share, at.Users-1, duration(at.Moment), 100/steady.Moments, crowdWaits(at)),
		Why: "those who ask in a crowd wait for each other, and TTFT is longer than for users who come one by one",
		Fix: "give load.warmup a duration of at least two answers, because users begin at random moments of its first half" + fmt.Sprintf(": here %s", duration(enough)),
	}
	if at.Share < stepMost {
		one.Severity = finding.Note
	}
	switch {
	case p.point.Start == spec.StartTogether:
		one.Severity = finding.Note
		one.Message += "; load.start: together asks for it"
		one.Fix = "quote the latencies as those of bursts, or leave out load.start for users who begin one by one"
	case p.point.Warmup.Seconds() >= enough:
		one.Fix = "find what brings them together, such as a target that answers in batches; an open loop (load.rate) shows how it treats independent users"
	}
	return one
}

// crowdWaits says what the crowd does to TTFT. Those who ask a little after a crowd still
// wait for it: they show its effect only where they wait for a good deal less.
func crowdWaits(at steady.Crowds) string {
	switch {
	case at.Crowd == nil:
		return "crowds of half of the users are too rare to tell their TTFT"
	case at.Apart == nil || *at.Apart > apartFactor**at.Crowd:
		return fmt.Sprintf("TTFT p50 is %s in the crowd, and this run cannot say what it would be without", duration(*at.Crowd))
	}
	return fmt.Sprintf("TTFT p50 is %s in the crowd and %s apart from it", duration(*at.Crowd), duration(*at.Apart))
}
