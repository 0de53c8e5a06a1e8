package session

import (
	"fmt"
	"time"

	"assay/record"
	"assay/workload/trace"
)

// A Replay is the sessions of recorded traffic, in the order of their
// beginning. Each is put together when it is asked for: the prompts of a day of
// traffic do not fit into memory.
type Replay struct {
	groups  [][]trace.Record
	prompts *trace.Source
}

// NewReplay gathers the sessions of records. Requests without a session are
// sessions of one step. Each prompt is rebuilt by prompts and holds its history
// already; recorded tool time is injected.
func NewReplay(records []trace.Record, prompts *trace.Source) (*Replay, error) {
	var order []string
	groups := map[string][]trace.Record{}
	for _, r := range records {
		key := "s" + r.Session
		if r.Session == "" {
			key = "r" + r.ID
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
	}
	p := &Replay{prompts: prompts}
	for i, key := range order {
		p.groups = append(p.groups, groups[key])
		if _, err := p.session(i, func(trace.Record) (string, int) { return "", 0 }); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Len is how many sessions there are.
func (p *Replay) Len() int { return len(p.groups) }

// Longest is how many steps the longest session has.
func (p *Replay) Longest() int {
	longest := 0
	for _, group := range p.groups {
		steps := len(group)
		for _, r := range group {
			if r.Tool > 0 {
				steps++
			}
		}
		longest = max(longest, steps)
	}
	return longest
}

// Start is when session number i began, from the trace's own zero.
func (p *Replay) Start(i int) time.Duration { return p.groups[i][0].At }

// Session is session number i.
func (p *Replay) Session(i int) Session {
	s, err := p.session(i, p.prompts.Prompt)
	if err != nil {
		panic("session: " + err.Error()) // NewReplay has put it together before
	}
	return s
}

func (p *Replay) session(i int, prompt func(trace.Record) (string, int)) (Session, error) {
	group := p.groups[i]
	r := replayBuilder{session: Session{ID: int64(i), Name: group[0].Session, Start: group[0].At}, place: map[string]int{}, prompt: prompt}
	if err := r.add(group); err != nil {
		return Session{}, fmt.Errorf("session %s: %w", r.session.Name, err)
	}
	return r.session, nil
}

// A replayBuilder puts a session together.
type replayBuilder struct {
	session Session
	place   map[string]int // steps by the id of their request
	prompt  func(trace.Record) (string, int)
}

// add puts every request behind those it follows, which a trace may list later
// when it was recorded on several clocks.
func (p *replayBuilder) add(waiting []trace.Record) error {
	for len(waiting) > 0 {
		var later []trace.Record
		for _, r := range waiting {
			if !p.step(r) {
				later = append(later, r)
			}
		}
		if len(later) == len(waiting) {
			return fmt.Errorf("request %s waits for itself or for another session", later[0].ID)
		}
		waiting = later
	}
	return nil
}

// step adds one request, or says that one it follows is not there yet.
func (p *replayBuilder) step(r trace.Record) bool {
	var after []int
	for _, id := range r.After {
		at, ok := p.place[id]
		if !ok {
			return false
		}
		after = append(after, at)
	}
	think := r.Think
	if len(after) == 0 {
		think = max(0, r.At-p.session.Start)
	}
	if r.Tool > 0 {
		p.session.Steps = append(p.session.Steps, Step{Kind: Tool, Name: "recorded", After: after, Takes: r.Tool})
		after = []int{len(p.session.Steps) - 1}
	}
	text, count := p.prompt(r)
	said := r.Messages
	if said == nil {
		said = []record.Message{{Role: "user", Content: text}}
	}
	p.place[r.ID] = len(p.session.Steps)
	p.session.Steps = append(p.session.Steps, Step{
		Kind: Generate, After: after, Think: max(think, time.Duration(0)), Text: text, Messages: said,
		InputTokens: int32(count), OutputTokens: r.Asked(),
	})
	return true
}
