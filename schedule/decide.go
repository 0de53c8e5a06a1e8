package schedule

import "time"

// An Overlap is what becomes of a due run while an earlier one is active.
type Overlap string

// The words are those of Kubernetes' CronJob.
const (
	Forbid  Overlap = "Forbid"  // it waits, and is missed when its deadline passes
	Allow   Overlap = "Allow"   // it starts beside the other
	Replace Overlap = "Replace" // the other is ended, and it starts when that one has gone
)

// A Reason is why no run was started for a due time.
type Reason string

// The reasons.
const (
	Suspended Reason = "Suspended" // the schedule was suspended
	TooLate   Reason = "TooLate"   // nobody looked before its deadline had passed
	Overtaken Reason = "Overtaken" // nobody looked before the next was due
	Blocked   Reason = "Blocked"   // an earlier run was active until its deadline, or until the next was due
)

// A Rule is what a schedule asks for.
type Rule struct {
	Times     Times
	Overlap   Overlap
	Deadline  time.Duration // how late a run may start; 0: until the next is due
	Suspended bool
}

// A State is what is known when a decision is made.
type State struct {
	Decided time.Time // every due time up to here has its run, or is counted; at first when the schedule was made
	Waiting time.Time // a due time that was found blocked; zero where none was
	Active  int       // runs that have not ended
}

// A Miss counts due times without a run.
type Miss struct {
	Reason Reason    `json:"reason"`
	Count  int64     `json:"count"`
	Last   time.Time `json:"last"`
}

// A Decision is what to do now. Start and Wait exclude each other.
type Decision struct {
	Start   time.Time // the due time of the run to start; zero: none
	Wait    time.Time // the due time that an active run blocks; zero: none
	Replace bool      // end the active runs that Wait waits for
	Missed  []Miss
	Decided time.Time // the State's, once this is done
	Next    time.Time // the next due time; zero: none
	Look    time.Time // when to decide again, if nothing else happens before
}

// mostWalked is how many due times of one absence are counted; more are not. A schedule of every minute fills it in a week.
const mostWalked = 10_000

// Decide says what to do at now.
func (r Rule) Decide(s State, now time.Time) Decision {
	d := Decision{Decided: s.Decided, Next: r.Times.After(later(s.Decided, now))}
	d.Look = d.Next
	due := r.Times.latest(s.Decided, now)
	if due.IsZero() {
		return d
	}
	d.overtaken(r, s, due)
	expires := due.Add(r.Deadline)
	switch {
	case r.Suspended:
		d.miss(Suspended, 1, due)
	case r.Deadline > 0 && now.After(expires) && due.Equal(s.Waiting):
		d.miss(Blocked, 1, due)
	case r.Deadline > 0 && now.After(expires):
		d.miss(TooLate, 1, due)
	case s.Active > 0 && r.Overlap != Allow:
		d.Wait, d.Replace = due, r.Overlap == Replace
		d.Decided = due.Add(-time.Nanosecond) // it may still start
		if r.Deadline > 0 && (d.Look.IsZero() || expires.Before(d.Look)) {
			d.Look = expires.Add(time.Second)
		}
		return d
	default:
		d.Start = due
	}
	d.Decided = due
	return d
}

// overtaken counts the due times before the latest.
func (d *Decision) overtaken(r Rule, s State, latest time.Time) {
	why := Overtaken
	if r.Suspended {
		why = Suspended
	}
	n := 0
	for due := r.Times.After(s.Decided); due.Before(latest) && n < mostWalked; due = r.Times.After(due) {
		n++
		if due.Equal(s.Waiting) && !r.Suspended {
			d.miss(Blocked, 1, due)
			continue
		}
		d.miss(why, 1, due)
	}
}

func (d *Decision) miss(why Reason, n int64, last time.Time) {
	d.Missed = Add(d.Missed, Miss{why, n, last})
}

// Add is counts with one more added to its reason.
func Add(counts []Miss, one Miss) []Miss {
	sum := make([]Miss, 0, len(counts)+1)
	found := false
	for _, c := range counts {
		if c.Reason == one.Reason {
			found = true
			c.Count += one.Count
			c.Last = later(c.Last, one.Last)
		}
		sum = append(sum, c)
	}
	if !found {
		sum = append(sum, one)
	}
	return sum
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
