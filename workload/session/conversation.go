package session

import (
	"cmp"
	"fmt"
	"time"

	"assay/record"
)

// A Pace is what a recorded conversation does not tell: how long its people
// think, its tools take and its answers become.
type Pace struct {
	Think        time.Duration // before each turn but the first
	ToolTime     time.Duration // of each answer of a tool
	ToolName     string        // empty means tool
	OutputTokens func(answer string) int32
}

// FromConversation is the session of a recorded conversation: each turn of the
// user asks for the answer that follows it, and each answer of a tool is a step
// of its own. A turn without a recorded answer can only be the last.
func FromConversation(id int64, said []record.Message, pace Pace) (Session, error) {
	s := Session{ID: id}
	var waiting string // what was said since the last answer
	var before []int   // the step that the next one follows
	turns := 0
	ask := func(answer string) {
		step := Step{Kind: Generate, After: before, Text: waiting, Answer: answer, OutputTokens: pace.OutputTokens(answer)}
		if turns > 0 && waiting != "" {
			step.Think = pace.Think
		}
		s.Steps = append(s.Steps, step)
		waiting, before = "", []int{len(s.Steps) - 1}
		turns++
	}
	for i, m := range said {
		switch {
		case m.Role == "system" && turns == 0 && waiting == "":
			s.System = join(s.System, m.Content)
		case m.Role == "user" || m.Role == "system":
			waiting = join(waiting, m.Content)
		case m.Role == "assistant" && (waiting != "" || follows(s, before, Tool)):
			ask(m.Content)
		case m.Role == "tool" && follows(s, before, Generate) && waiting == "":
			s.Steps = append(s.Steps, Step{Kind: Tool, Name: cmp.Or(pace.ToolName, "tool"), After: before, Takes: pace.ToolTime, Text: m.Content})
			before = []int{len(s.Steps) - 1}
		default:
			return Session{}, fmt.Errorf("message %d is of the %s: want one that answers what was said before it", i, m.Role)
		}
	}
	if waiting != "" || follows(s, before, Tool) {
		ask("")
	}
	return s, s.Check()
}

func follows(s Session, before []int, kind Kind) bool {
	return len(before) == 1 && s.Steps[before[0]].Kind == kind
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
