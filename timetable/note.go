package timetable

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/alert"
	"assay/schedule"
)

// note takes in how a run ended.
func (r *Runner) note(j endedJob) error {
	e, o, now := j.job.Entry, j.outcome, time.Now()
	s := r.states[e.Name]
	s.forget(j.job.Folder)
	if len(s.Active) == 0 {
		delete(r.cancels, e.Name)
	}
	ended := EndedRun{Due: j.job.Due, Started: j.started.UTC(), Ended: now.UTC(), RunID: o.RunID, Digest: o.Digest, Status: o.Status, Note: o.Note, Problems: []string{}}
	good := true
	for _, p := range o.Problems {
		ended.Problems = append(ended.Problems, p.Title)
		good = good && p.Kind != alert.Failed
	}
	looked := o.Looked
	if good { // a due time has its run again
		looked = append(looked, alert.Missed)
	}
	s.Ended = append(s.Ended, ended)
	s.Ended = s.Ended[max(0, len(s.Ended)-remembered(e)):]
	s.Alerts.Note(alert.Notice{Schedule: e.Name, RunID: o.RunID, Digest: o.Digest, Problems: o.Problems, Undecided: o.Undecided, Looked: looked, Now: now}, e.Routes)
	r.o.Say(fmt.Sprintf("%s: the run due at %s ended: %s", e.Name, stamp(j.job.Due), ended.words()))
	return s.write(r.o.Dir)
}

// remembered is how many ended runs a state holds. Their bundles are in the warehouse.
func remembered(e Entry) int {
	n := 1
	for _, limit := range []*int{e.Document.Spec.SuccessfulRunsHistoryLimit, e.Document.Spec.FailedRunsHistoryLimit} {
		if limit != nil {
			n += *limit
		}
	}
	return n
}

// words are how a run ended, in a line.
func (e EndedRun) words() string {
	parts := []string{e.Status}
	if e.RunID != "" {
		parts = append(parts, e.RunID)
	}
	if e.Note != "" {
		parts = append(parts, e.Note)
	}
	return strings.Join(append(parts, e.Problems...), "; ")
}

// missWords says why no run was made.
var missWords = map[schedule.Reason]string{
	schedule.TooLate:   "nobody looked before the starting deadline had passed",
	schedule.Overtaken: "nobody looked before the next one was due",
	schedule.Blocked:   "another run was active for too long",
}

// missProblem is that of due times without a run.
func missProblem(list []schedule.Miss) alert.Problem {
	var n int64
	var lines []string
	for _, m := range list {
		n += m.Count
		lines = append(lines, fmt.Sprintf("%d: %s; the last was due at %s", m.Count, missWords[m.Reason], stamp(m.Last)))
	}
	title := fmt.Sprintf("%d runs were missed", n)
	if n == 1 {
		title = "a run was missed"
	}
	return alert.Problem{Kind: alert.Missed, Title: title, Text: strings.Join(lines, "\n")}
}

// deliverOne sends one alert of one schedule, if one is due.
func (r *Runner) deliverOne(ctx context.Context) (tried bool, err error) {
	for _, e := range r.entries {
		s := r.states[e.Name]
		tried, failed := s.Alerts.DeliverOne(ctx, e.Routes, time.Now())
		if failed != nil {
			r.o.Say(failed.Error())
		}
		if tried {
			return true, s.write(r.o.Dir) // one that was taken is not sent again after a kill
		}
	}
	return false, nil
}

// nextDelivery is when the next alert should be tried; zero where there is none.
func (r *Runner) nextDelivery() (at time.Time) {
	for _, s := range r.states {
		if next := s.Alerts.Next(); !next.IsZero() && (at.IsZero() || next.Before(at)) {
			at = next
		}
	}
	return at
}
