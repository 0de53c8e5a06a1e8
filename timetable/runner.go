package timetable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/alert"
	"assay/schedule"
)

// Options are what a Runner works with.
type Options struct {
	Dir      string // of the states and the folders of runs under way; required
	Measurer Measurer
	Say      func(line string) // tells what happens; required

	// Once does what is due, waits for it and ends.
	Once bool

	// Now makes one run of every schedule whatever the time is, waits for it and ends.
	Now bool
}

// A Runner makes runs when they are due.
type Runner struct {
	o       Options
	entries []Entry
	states  map[string]*State
	cancels map[string][]context.CancelCauseFunc // of active runs, by schedule
	ended   chan endedJob
	work    sync.WaitGroup
}

type endedJob struct {
	job     Job
	started time.Time
	outcome Outcome
}

// errReplaced is why a run ends that another one takes the place of.
var errReplaced = errors.New("the next run is due, and concurrencyPolicy is Replace")

// tolerance is how long before the first call of --once a time may have been due: a timer
// calls it at a due time, which must not be lost because nothing was known before it.
// Cron's own steps are minutes.
const tolerance = time.Minute

// sendWithin is how long a Runner that ends waits for alerts to be taken. The others stay
// in the state for the next one.
const sendWithin = 30 * time.Second

// longestWait is how long nobody looks at the clock: one that was set, or that slept, is
// noticed within it.
const longestWait = time.Minute

// Run works until ctx ends, or until what was due is done. It has the folder of states for
// itself.
func Run(ctx context.Context, entries []Entry, o Options) (err error) {
	r, unlock, err := open(ctx, entries, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	r.salvage(ctx)
	if o.Now {
		err = r.makeNow(ctx)
	} else {
		err = r.loop(ctx)
	}
	return errors.Join(err, r.finish(ctx))
}

// Amend has the folder of states for itself while do changes the alerts of a schedule, and sends
// what came of that.
func Amend(ctx context.Context, e Entry, o Options, do func(book *alert.Book) error) (err error) {
	r, unlock, err := open(ctx, []Entry{e}, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s := r.states[e.Name]
	err = do(&s.Alerts) // what was decided before it failed is kept
	if err = errors.Join(err, s.write(r.o.Dir)); err != nil {
		return err
	}
	return r.deliver(ctx)
}

func open(ctx context.Context, entries []Entry, o Options) (r *Runner, unlock func() error, err error) {
	if err := distinctNames(entries); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	if unlock, err = lock(ctx, filepath.Join(o.Dir, ".lock"), o.Once || o.Now); err != nil {
		return nil, nil, err
	}
	r = &Runner{o: o, entries: entries, states: map[string]*State{}, cancels: map[string][]context.CancelCauseFunc{}, ended: make(chan endedJob)}
	if err := r.begin(); err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	return r, unlock, nil
}

func distinctNames(entries []Entry) error {
	seen := map[string]string{}
	for _, e := range entries {
		if before := seen[e.Name]; before != "" {
			return fmt.Errorf("%s and %s are both called %s: their states would be one; give one another metadata.name", before, e.File, e.Name)
		}
		seen[e.Name] = e.File
	}
	return nil
}

// begin reads the states.
func (r *Runner) begin() error {
	now := time.Now()
	for _, e := range r.entries {
		s, err := readState(r.o.Dir, e.Name)
		if err != nil {
			return err
		}
		switch {
		case s.Version == "" && r.o.Once:
			s.Decided = now.Add(-tolerance)
		case s.Version == "", s.DecidedBy != e.decidedBy():
			s.Decided, s.Waiting = now, time.Time{}
		}
		s.DecidedBy, s.Suspended = e.decidedBy(), e.Document.Spec.Suspend
		r.states[e.Name] = &s
		if err := s.write(r.o.Dir); err != nil {
			return err
		}
	}
	return nil
}

// salvage sees to the runs that a killed process left.
func (r *Runner) salvage(ctx context.Context) {
	for _, e := range r.entries {
		for _, a := range r.states[e.Name].Active {
			r.o.Say(fmt.Sprintf("%s: the run due at %s was under way when its runner was killed", e.Name, stamp(a.Due)))
			r.launch(ctx, r.job(e, a.Due, a.Folder), a.Started, r.o.Measurer.Salvage)
		}
	}
}

// loop decides, waits until something may have changed, and decides again.
func (r *Runner) loop(ctx context.Context) error {
	for ctx.Err() == nil {
		wake, err := r.decideAll(ctx)
		if err != nil {
			return err
		}
		tried, err := r.deliverOne(ctx)
		if err != nil {
			return err
		}
		if tried {
			continue // what became due meanwhile goes first
		}
		if r.o.Once && r.active() == 0 {
			return nil
		}
		wait := longestWait
		if !wake.IsZero() {
			wait = min(longestWait, max(time.Until(wake), time.Millisecond))
		}
		select {
		case <-ctx.Done():
			return nil
		case job := <-r.ended:
			err = r.note(job)
		case <-time.After(wait):
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decideAll does what is due, and says when to look again.
func (r *Runner) decideAll(ctx context.Context) (wake time.Time, err error) {
	sooner := func(at time.Time) {
		if !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
			wake = at
		}
	}
	for _, e := range r.entries {
		look, err := r.decide(ctx, e, time.Now())
		if err != nil {
			return wake, err
		}
		sooner(look)
		sooner(r.states[e.Name].Alerts.Next())
	}
	return wake, nil
}

// decide does what is due of one schedule. The state is on the disk before a run starts:
// one that is killed in between is found, and not made twice.
func (r *Runner) decide(ctx context.Context, e Entry, now time.Time) (look time.Time, err error) {
	s := r.states[e.Name]
	d := e.Rule.Decide(schedule.State{Decided: s.Decided, Waiting: s.Waiting, Active: r.active()}, now)
	changed := !d.Decided.Equal(s.Decided) || !d.Wait.Equal(s.Waiting) || !d.Next.Equal(s.Next) || len(d.Missed) > 0
	s.Decided, s.Waiting, s.Next = d.Decided, d.Wait, d.Next
	r.miss(e, s, d, now)
	if d.Replace {
		for _, cancel := range r.cancels[e.Name] {
			cancel(errReplaced)
		}
	}
	if !d.Start.IsZero() {
		return d.Look, r.start(ctx, e, d.Start)
	}
	if !changed {
		return d.Look, nil
	}
	return d.Look, s.write(r.o.Dir)
}

// miss counts due times without a run, and tells people, unless the schedule is suspended:
// they asked for that.
func (r *Runner) miss(e Entry, s *State, d schedule.Decision, now time.Time) {
	var unasked []schedule.Miss
	for _, m := range d.Missed {
		s.Missed = schedule.Add(s.Missed, m)
		if m.Reason != schedule.Suspended {
			unasked = append(unasked, m)
		}
	}
	if len(unasked) == 0 {
		return
	}
	p := missProblem(unasked)
	r.o.Say(e.Name + ": " + p.Title)
	s.Alerts.Note(alert.Notice{Schedule: e.Name, Problems: []alert.Problem{p}, Now: now}, e.Routes)
}

// start makes the run of a due time.
func (r *Runner) start(ctx context.Context, e Entry, due time.Time) error {
	s := r.states[e.Name]
	folder := filepath.Join(r.o.Dir, "runs", e.Name, due.UTC().Format("20060102-150405"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	now := time.Now()
	s.Active = append(s.Active, ActiveRun{due, now.UTC(), folder})
	if err := s.write(r.o.Dir); err != nil {
		return err
	}
	r.o.Say(fmt.Sprintf("%s: the run due at %s starts", e.Name, stamp(due)))
	r.launch(ctx, r.job(e, due, folder), now, r.o.Measurer.Measure)
	return nil
}

func (r *Runner) job(e Entry, due time.Time, folder string) Job {
	j := Job{Entry: e, Due: due, Folder: folder}
	for _, a := range r.states[e.Name].Alerts.Open {
		j.Open = append(j.Open, a.ID)
	}
	return j
}

// launch makes a run beside the loop.
func (r *Runner) launch(ctx context.Context, j Job, started time.Time, measure func(context.Context, Job) Outcome) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.cancels[j.Entry.Name] = append(r.cancels[j.Entry.Name], cancel)
	r.work.Go(func() {
		defer cancel(nil)
		r.ended <- endedJob{j, started, measure(ctx, j)}
	})
}

// active counts the runs of all schedules: they would disturb each other.
func (r *Runner) active() (n int) {
	for _, s := range r.states {
		n += len(s.Active)
	}
	return n
}

// makeNow makes a run of every schedule, one after the other.
func (r *Runner) makeNow(ctx context.Context) error {
	for _, e := range r.entries {
		for r.active() > 0 { // what a killed process left
			if err := r.note(<-r.ended); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := r.start(ctx, e, time.Now().Truncate(time.Second)); err != nil {
			return err
		}
		if err := r.note(<-r.ended); err != nil {
			return err
		}
	}
	return nil
}

// finish waits for active runs, which end soon after ctx, and for alerts.
func (r *Runner) finish(ctx context.Context) (err error) {
	go func() { // ends when the last run has
		r.work.Wait()
		close(r.ended)
	}()
	for job := range r.ended {
		err = errors.Join(err, r.note(job))
	}
	if err != nil {
		return err
	}
	return r.deliver(ctx)
}

// deliver sends what is due, and waits a while for what soon will be.
func (r *Runner) deliver(ctx context.Context) (err error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendWithin)
	defer cancel()
	for err == nil && within.Err() == nil {
		tried, e := r.deliverOne(within)
		err = e
		next := r.nextDelivery()
		if tried || next.IsZero() {
			if next.IsZero() {
				break
			}
			continue
		}
		if time.Until(next) > sendWithin {
			break
		}
		select {
		case <-within.Done():
		case <-time.After(time.Until(next)):
		}
	}
	return err
}

// stamp is a time as people and programs read it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// forget takes a run out of those that are active.
func (s *State) forget(folder string) {
	s.Active = slices.DeleteFunc(s.Active, func(a ActiveRun) bool { return a.Folder == folder })
}
