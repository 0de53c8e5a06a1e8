package session

import (
	"fmt"
)

// A Progress is a session while it runs: what ended, when, and with what
// answer. It is not safe for concurrent use.
type Progress struct {
	session Session
	start   int64
	due     []int64
	ends    []int64 // -1: not yet
	answers []string
	handed  []bool
}

// NewProgress begins a session at the stamp start.
func NewProgress(s Session, start int64) (*Progress, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p := &Progress{
		session: s, start: start,
		due: make([]int64, len(s.Steps)), ends: make([]int64, len(s.Steps)),
		answers: make([]string, len(s.Steps)), handed: make([]bool, len(s.Steps)),
	}
	for i := range p.ends {
		p.ends[i] = -1
	}
	return p, nil
}

// A Due is a step whose turn has come.
type Due struct {
	Step int
	At   int64 // the stamp at which it is due
}

// Next returns the steps that became ready since it was last asked.
func (p *Progress) Next() []Due {
	var list []Due
	for i := range p.session.Steps {
		if p.handed[i] {
			continue
		}
		if at, ready := p.session.Due(i, p.start, p.ends); ready {
			p.handed[i], p.due[i] = true, at
			list = append(list, Due{i, at})
		}
	}
	return list
}

// End records that a step ended and what it answered. A step ends once, after
// Next has returned it and not before it was due.
func (p *Progress) End(step int, at int64, answer string) error {
	switch {
	case step < 0 || step >= len(p.ends) || !p.handed[step]:
		return fmt.Errorf("session %d, step %d ended without having been due", p.session.ID, step)
	case p.ends[step] >= 0:
		return fmt.Errorf("session %d, step %d ended twice", p.session.ID, step)
	case at < p.due[step]:
		return fmt.Errorf("session %d, step %d ended at %d before it was due at %d", p.session.ID, step, at, p.due[step])
	}
	p.ends[step], p.answers[step] = at, answer
	return nil
}

// Answers is what the steps answered so far, for Session.Call.
func (p *Progress) Answers() []string { return p.answers }
