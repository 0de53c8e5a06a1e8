package metric

import (
	"assay/metric/exchange"
	"assay/record"
	"assay/unit"
)

// JobTime is how long a training job of the measured steps takes from a standing start.
var JobTime = Metric{
	ID: "job_time.v1", Name: "job time", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
	Doc: "From when the ranks of a point were asked for to their first step, and then the measured steps with gradient exchange on their slowest rank, the checkpoints after them and the trainer's own pauses between them. What assay does between steps, warm-up steps and steps without exchange are left out. A point that takes over the ranks of the one before begins where it was handed to them. The parts of it are in the jobs of estimates.json.",
	Of: Whole(func(p *Point) (float64, bool) {
		j, ok := p.job()
		return j.Seconds, ok
	}),
}

// The parts of a job in their order. The first four are over when the first step begins.
const (
	JobQueue    = "queue"                 // asked for, not yet started
	JobAttempts = "failed attempts"       // until the attempt that succeeded was asked for
	JobStart    = "start of processes"    // started, until the last of them has greeted
	JobSetup    = "setup"                 // joining peers, making model and input; until the first step
	JobInput    = "input"                 // waiting for batches, and copying them to the device
	JobCompute  = "computation"           // forward, backward and optimizer
	JobExposed  = "exposed communication" // what of the exchange no computation hides
	JobHost     = "host"                  // of steps, before their input was asked for
	JobPauses   = "pauses"                // of the trainer, between steps
	JobSaves    = "checkpoints"
	JobOther    = "other" // of steps
)

// A Job is where the time of job_time.v1 went at one point of one launch.
type Job struct {
	Launch  int       `json:"launch"`
	Point   int       `json:"point"`
	Side    string    `json:"side,omitempty"` // empty in a run of one side
	Steps   int       `json:"steps"`
	Seconds float64   `json:"seconds"`
	Parts   []JobPart `json:"parts"` // they add up to seconds; one that nothing was recorded of is not there
}

// A JobPart is one part of a job.
type JobPart struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// A jobClock adds the parts of a job up, in nanoseconds.
type jobClock struct {
	Job
	whole int64
}

func (j *jobClock) add(name string, ns int64) {
	j.whole += ns
	j.Seconds = seconds(j.whole)
	j.Parts = append(j.Parts, JobPart{name, seconds(ns)})
}

// job is false where nobody wrote down when ranks were asked for, or no step was
// counted.
func (p *Point) job() (Job, bool) {
	steps := p.counted()
	if len(steps) == 0 || len(p.Ranked.Begun) == 0 || !p.Ranked.Timed {
		return Job{}, false
	}
	j := jobClock{Job: Job{Point: p.Index, Steps: len(steps)}}
	if !p.start(&j) {
		return Job{}, false
	}
	p.work(&j, steps)
	return j.Job, true
}

// start adds what went by until the first step of the attempt that succeeded.
func (p *Point) start(j *jobClock) bool {
	r := p.Ranked
	began, last := r.Begun[0], r.Begun[len(r.Begun)-1] // of the attempts at this point
	first, known := int64(0), false
	for _, row := range r.Steps {
		if row.Start >= last && (!known || row.Start < first) {
			first, known = row.Start, true
		}
	}
	if !known {
		return false
	}
	if len(r.Asked) == 0 { // the ranks were there already
		j.add(JobSetup, first-began)
		return true
	}
	asked := r.Asked[len(r.Asked)-1]
	started, joined, known := attempt(r.World, asked, first)
	if !known {
		return false
	}
	if before := asked - min(began, r.Asked[0]); before > 0 {
		j.add(JobAttempts, before)
	}
	j.add(JobQueue, started-asked)
	j.add(JobStart, joined-started)
	j.add(JobSetup, first-joined)
	return true
}

// attempt is when the first of the processes that were asked for was started, and when the
// last of them had greeted; all before the first step.
func attempt(world []record.Rank, asked, first int64) (started, joined int64, ok bool) {
	for _, row := range world {
		if row.Started == nil || row.Joined == nil || *row.Started < asked || *row.Joined > first {
			continue
		}
		if !ok || *row.Started < started {
			started = *row.Started
		}
		joined, ok = max(joined, *row.Joined), true
	}
	return started, joined, ok
}

// work adds the steps and what lies between them.
func (p *Point) work(j *jobClock, steps []exchange.Step) {
	alone := p.Ranked.Plan.Ranks < 2 // which exchanges nothing, and that is known
	for _, part := range []struct {
		name  string
		of    []func(exchange.Step, int) (int64, bool)
		known bool
	}{
		{JobInput, []func(exchange.Step, int) (int64, bool){dataPart, copyPart}, false},
		{JobCompute, []func(exchange.Step, int) (int64, bool){forwardPart, backwardPart, optimizerPart}, false},
		{JobExposed, []func(exchange.Step, int) (int64, bool){exposedPart}, alone},
		{JobHost, []func(exchange.Step, int) (int64, bool){hostPart}, false},
		{JobPauses, []func(exchange.Step, int) (int64, bool){recorded(func(r record.Step) *int64 { return r.Pause })}, false},
		{JobSaves, []func(exchange.Step, int) (int64, bool){saved}, p.Ranked.Plan.Steps != nil && p.Ranked.Plan.Steps.SaveEvery == 0},
		{JobOther, []func(exchange.Step, int) (int64, bool){otherPart}, false},
	} {
		total, known := int64(0), part.known
		for _, s := range steps {
			for _, of := range part.of {
				v, there := of(s, s.SlowestRow())
				total, known = total+v, known || there
			}
		}
		if known {
			j.add(part.name, total)
		}
	}
}

// saved is the longest that a rank took to save the state after a step: nobody goes on
// before all have.
func saved(s exchange.Step, _ int) (longest int64, known bool) {
	for _, row := range s.Rows {
		if row.Save != nil {
			longest, known = max(longest, *row.Save), true
		}
	}
	return longest, known
}
