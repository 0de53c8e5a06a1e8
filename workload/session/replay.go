package session

import (
	"fmt"
	"time"

	"assay/record"
	"assay/workload/trace"
)

// FromTrace turns recorded traffic into sessions, in the order of their
// beginning. Requests without a session are sessions of one step. Each prompt
// is rebuilt by prompts and holds its history already; recorded tool time is
// injected.
func FromTrace(records []trace.Record, prompts *trace.Source) ([]Session, error) {
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
	var sessions []Session
	for i, key := range order {
		s := replay{session: Session{ID: int64(i), Name: groups[key][0].Session, Start: groups[key][0].At}, place: map[string]int{}}
		if err := s.add(groups[key], prompts); err != nil {
			return nil, fmt.Errorf("session %s: %w", s.session.Name, err)
		}
		sessions = append(sessions, s.session)
	}
	return sessions, nil
}

// A replay is a session while it is put together.
type replay struct {
	session Session
	place   map[string]int // steps by the id of their request
}

// add puts every request behind those it follows, which a trace may list later
// when it was recorded on several clocks.
func (p *replay) add(waiting []trace.Record, prompts *trace.Source) error {
	for len(waiting) > 0 {
		var later []trace.Record
		for _, r := range waiting {
			if !p.step(r, prompts) {
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
func (p *replay) step(r trace.Record, prompts *trace.Source) bool {
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
	text, count := prompts.Prompt(r)
	said := r.Messages
	if said == nil {
		said = []record.Message{{Role: "user", Content: text}}
	}
	p.place[r.ID] = len(p.session.Steps)
	p.session.Steps = append(p.session.Steps, Step{
		Kind: Generate, After: after, Think: max(think, time.Duration(0)), Text: text, Messages: said,
		InputTokens: int32(count), OutputTokens: r.Output,
	})
	return true
}
