package session

import (
	"time"

	"assay/workload/trace"
)

// Done reports whether every step has ended.
func (p *Progress) Done() bool {
	for _, end := range p.ends {
		if end < 0 {
			return false
		}
	}
	return true
}

// A Record is what one step took.
type Record struct {
	Session int64
	Step    int
	Kind    Kind
	Name    string // of the tool
	Due     int64  // stamp
	End     int64  // stamp
	Think   time.Duration
}

// Took is the time of the step itself, from when it was due.
func (r Record) Took() time.Duration { return time.Duration(r.End - r.Due) }

// Records lists the steps that have ended, in the session's order.
func (p *Progress) Records() []Record {
	var list []Record
	for i, step := range p.session.Steps {
		if p.ends[i] >= 0 {
			list = append(list, Record{p.session.ID, i, step.Kind, step.Name, p.due[i], p.ends[i], step.Think})
		}
	}
	return list
}

// A Total is what a session took.
type Total struct {
	// Elapsed is from the session's start to the end of its last step.
	Elapsed time.Duration

	// Generation, ToolTime and Think are where Elapsed went: their parts of the
	// longest chain of steps, which sum to Elapsed exactly.
	Generation, ToolTime, Think time.Duration

	// AllGeneration and AllTools are the sums over all steps. They exceed their
	// parts of Elapsed by what ran beside the longest chain.
	AllGeneration, AllTools time.Duration
}

// Total sums the steps that have ended.
func (p *Progress) Total() Total {
	var t Total
	last := -1
	for _, r := range p.Records() {
		if r.Kind == Tool {
			t.AllTools += r.Took()
		} else {
			t.AllGeneration += r.Took()
		}
		if last < 0 || r.End > p.ends[last] {
			last = r.Step
		}
	}
	if last >= 0 {
		t.Elapsed = time.Duration(p.ends[last] - p.start)
	}
	for step := last; step >= 0; step = p.waitedFor(step) {
		took := time.Duration(p.ends[step] - p.due[step])
		if p.session.Steps[step].Kind == Tool {
			t.ToolTime += took
		} else {
			t.Generation += took
		}
		t.Think += p.session.Steps[step].Think
	}
	return t
}

// waitedFor is the step whose end made the given one due; -1 for none.
func (p *Progress) waitedFor(step int) int {
	latest := -1
	for _, before := range p.session.Steps[step].After {
		if latest < 0 || p.ends[before] > p.ends[latest] {
			latest = before
		}
	}
	return latest
}

// Play carries a session out on paper: tools take their injected time, and
// generate says when a generation that is due at a stamp ends and what it
// answers.
func Play(s Session, start int64, generate func(step int, due int64) (end int64, answer string)) (*Progress, error) {
	p, err := NewProgress(s, start)
	if err != nil {
		return nil, err
	}
	for ready := p.Next(); len(ready) > 0; ready = p.Next() {
		for _, d := range ready {
			step := s.Steps[d.Step]
			end, answer := d.At+int64(step.Takes), step.Text
			if step.Kind == Generate {
				end, answer = generate(d.Step, d.At)
			}
			if err := p.End(d.Step, end, answer); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// FromTrace is every session of records at once.
func FromTrace(records []trace.Record, prompts *trace.Source) ([]Session, error) {
	p, err := NewReplay(records, prompts)
	if err != nil {
		return nil, err
	}
	var sessions []Session
	for i := range p.Len() {
		sessions = append(sessions, p.Session(i))
	}
	return sessions, nil
}
