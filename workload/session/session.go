// Package session describes work of many steps: conversations of several turns,
// agents that call tools, and branches that part and meet again.
//
// A Session is a plan of what depends on what, and nothing runs here. When a
// step is due follows from when the steps before it ended, which only the run
// knows: due is the last of those ends plus the think time. Progress keeps that
// account for whoever runs a session; Records and Total are what is left of it.
package session

import (
	"fmt"
	"slices"
	"time"

	"assay/record"
)

// A Kind says what a step does.
type Kind string

// The kinds of step.
const (
	Generate Kind = "generate" // asks the target
	Tool     Kind = "tool"     // does something else for a while
)

// A Step is one piece of a session.
type Step struct {
	Kind Kind

	// After lists the steps that must have ended, by index and all below this
	// step's own. The first is the one whose conversation is continued.
	After []int

	// Think passes between the last end of After, or the session's start, and
	// the moment this step is due.
	Think time.Duration

	// Takes is how long a tool takes when its time is injected. The time of a
	// real tool is what Progress is told.
	Takes time.Duration

	// Name is the tool.
	Name string

	// Text is what the user says, or what a tool with injected time answers. A
	// step that only hands a tool's answer on says nothing.
	Text string

	// Messages is the whole conversation, where it is known beforehand. Nil puts
	// it together from the steps before.
	Messages []record.Message

	// Answer is what a generation is taken to have said where history is recorded.
	// Nothing is known of it otherwise.
	Answer string `json:",omitempty"`

	InputTokens  int32 // tokens of Text
	OutputTokens int32 // tokens asked for
}

// A Session is a plan of steps.
type Session struct {
	ID     int64
	Name   string
	Start  time.Duration // when it begins, from the schedule's zero
	System string        // what the model is told before anything else
	Steps  []Step
}

// Check refuses a session that cannot be carried out.
func (s Session) Check() error {
	if len(s.Steps) == 0 {
		return fmt.Errorf("session %d has no step", s.ID)
	}
	for i, step := range s.Steps {
		switch {
		case step.Kind != Generate && step.Kind != Tool:
			return fmt.Errorf("session %d, step %d: kind %q, want %s or %s", s.ID, i, step.Kind, Generate, Tool)
		case step.Think < 0 || step.Takes < 0 || s.Start < 0:
			return fmt.Errorf("session %d, step %d: a time is below zero", s.ID, i)
		case step.Kind == Generate && step.Takes > 0:
			return fmt.Errorf("session %d, step %d: only a tool's time can be injected", s.ID, i)
		}
		for n, before := range step.After {
			if before < 0 || before >= i || slices.Contains(step.After[:n], before) {
				return fmt.Errorf("session %d, step %d follows step %d: want each earlier step once", s.ID, i, before)
			}
		}
	}
	return nil
}

// Due is when a step is due, given when each step ended; negative means not
// yet. It is false while a step before it has not ended.
func (s Session) Due(step int, start int64, ends []int64) (due int64, ready bool) {
	last := start
	for _, before := range s.Steps[step].After {
		if ends[before] < 0 {
			return 0, false
		}
		last = max(last, ends[before])
	}
	return last + int64(s.Steps[step].Think), true
}

// Messages is the conversation that a generation sends, given what each step
// answered. It continues the conversation of the first step of After; of the
// other branches that meet here it is told the answers.
func (s Session) Messages(step int, answers []string) []record.Message {
	this := s.Steps[step]
	if this.Messages != nil {
		return slices.Clone(this.Messages)
	}
	list := s.history(step, answers)
	if this.Text != "" {
		list = append(list, record.Message{Role: "user", Content: this.Text})
	}
	return list
}

func (s Session) history(step int, answers []string) []record.Message {
	after := s.Steps[step].After
	if len(after) == 0 {
		if s.System == "" {
			return nil
		}
		return []record.Message{{Role: "system", Content: s.System}}
	}
	first := after[0]
	var list []record.Message
	if s.Steps[first].Kind == Tool {
		list = append(s.history(first, answers), record.Message{Role: "tool", Content: answers[first]})
	} else {
		list = append(s.Messages(first, answers), record.Message{Role: "assistant", Content: answers[first]})
	}
	for _, branch := range after[1:] {
		list = append(list, record.Message{Role: "tool", Content: answers[branch]})
	}
	return list
}

// Recorded is what each step is taken to have answered where history does not
// depend on what the target says.
func (s Session) Recorded() []string {
	answers := make([]string, len(s.Steps))
	for i, step := range s.Steps {
		answers[i] = step.Answer
		if step.Kind == Tool {
			answers[i] = step.Text
		}
	}
	return answers
}

// Turn is how many generations came before a step in the conversation that it
// continues: 0 for the first turn.
func (s Session) Turn(step int) int {
	turn := 0
	for len(s.Steps[step].After) > 0 {
		if step = s.Steps[step].After[0]; s.Steps[step].Kind == Generate {
			turn++
		}
	}
	return turn
}

// Call is the call of a generation, given what each step answered. Its input
// length is that of the new text alone: what the answers before it measure is
// not known to a plan.
func (s Session) Call(step int, answers []string) record.Call {
	this := s.Steps[step]
	return record.Call{
		Prompt: this.Text, InputTokens: this.InputTokens, OutputTokens: this.OutputTokens,
		Payload: &record.Payload{Messages: s.Messages(step, answers)},
	}
}
