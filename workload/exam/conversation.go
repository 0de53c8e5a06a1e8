package exam

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/record"
	"assay/spec"
	"assay/workload/session"
)

// A Turn is one step of a conversation: a question, or a tool's result that is handed to the
// model.
type Turn struct {
	Text   string
	Key    record.AnswerKey
	Graded bool          // there is a right answer to it
	Think  time.Duration // between the answer before it and this question

	// Of a tool: its name, what it says, which is Text, and how long that takes.
	Tool  string
	Takes time.Duration
}

// conversationStyles are the ways of asking several turns. Nothing is added to what the file
// says, and each turn is graded as a question of its own.
var conversationStyles = []Style{
	{
		Name: "conversation", Doc: "Turns of one conversation, each with its own right answer. A later turn repeats what the server said to the earlier ones, mistakes included.",
		Tokens: 512, Chat: true, put: one(putOwn),
	},
	{
		Name: "conversation-recorded", Doc: "The same, but a later turn repeats the right answers of the earlier ones: a mistake cannot carry over.",
		Tokens: 512, Chat: true, put: one(putOwn),
	},
}

// ownTurns reads the turns of a row: objects with the fields of a question, texts alone with
// the row's list of answers, or tools with their results.
func ownTurns(item *Item, list []any, answers any, t spec.Task) error {
	fallback, _ := answers.([]any)
	for i, value := range list {
		row, ok := value.(map[string]any)
		if !ok {
			row = map[string]any{"prompt": value}
			if i < len(fallback) {
				row["answer"] = fallback[i]
			}
		}
		turn, err := ownTurn(row, t, len(item.Turns) > 0 && item.Turns[len(item.Turns)-1].Tool != "")
		if err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		item.Turns = append(item.Turns, turn)
	}
	return item.checkTurns()
}

// ownTurn reads one turn. A question that follows a tool need say nothing: the result is what
// the model is to go on from.
func ownTurn(row map[string]any, t spec.Task, followsTool bool) (turn Turn, err error) {
	if turn.Think, err = durationOf(row, "think"); err != nil {
		return turn, err
	}
	if turn.Tool = textOf(row["tool"]); turn.Tool != "" {
		if _, ok := row["result"]; !ok {
			return turn, fmt.Errorf("the tool %s has no result: want the field result, which is what the model is given", turn.Tool)
		}
		turn.Text = textOf(row["result"])
		turn.Takes, err = durationOf(row, "takes")
		return turn, err
	}
	turn.Text = textOf(row[cmp.Or(t.Fields["prompt"], "prompt")])
	if turn.Text == "" && !followsTool {
		return turn, fmt.Errorf("no prompt: want the field %s", cmp.Or(t.Fields["prompt"], "prompt"))
	}
	if row["graded"] == false {
		return turn, nil
	}
	turn.Graded = true
	turn.Key, err = ownKey(row, t)
	return turn, err
}

// durationOf is a time of a turn, such as "250ms".
func durationOf(row map[string]any, name string) (time.Duration, error) {
	value, ok := row[name]
	if !ok {
		return 0, nil
	}
	d, err := time.ParseDuration(textOf(value))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is %v: want a time such as \"250ms\"", name, value)
	}
	return d, nil
}

// checkTurns wants a conversation that can be played and graded.
func (item *Item) checkTurns() error {
	graded := func(t Turn) bool { return t.Graded }
	switch {
	case len(item.Turns) == 0:
		return fmt.Errorf("turns is empty: want at least one")
	case item.Turns[0].Tool != "":
		return fmt.Errorf("turn 1 is a tool: want a prompt first")
	case item.Turns[len(item.Turns)-1].Tool != "":
		return fmt.Errorf("turn %d is a tool and the last: want a question after it, which may have no prompt", len(item.Turns))
	case !slices.ContainsFunc(item.Turns, graded):
		return fmt.Errorf("no turn is graded: want an answer for at least one")
	}
	return nil
}

// A talk is one session of a sheet: its steps, and the question that each asks; -1 for a step
// that is not graded.
type talk struct {
	id     string
	task   int // of the sheet
	sample int
	system string
	steps  []session.Step
	asks   []int32
}

// converse appends the turns of one item.
func (s *Sheet) converse(t spec.Task, item Item, sample int, limit int32, stop string) error {
	one := talk{id: item.ID, task: len(s.tasks), sample: sample, system: item.Context}
	number := 0 // of the question
	for i, turn := range item.Turns {
		step := session.Step{Kind: session.Generate, Text: turn.Text, Think: turn.Think, OutputTokens: limit}
		if i > 0 {
			step.After = []int{i - 1}
		}
		ask := int32(-1)
		switch {
		case turn.Tool != "":
			step.Kind, step.Name, step.Takes, step.OutputTokens = session.Tool, turn.Tool, turn.Takes, 0
		case turn.Graded:
			number++
			ask = int32(len(s.Asks))
			key, err := json.Marshal(turn.Key)
			if err != nil {
				return fmt.Errorf("item %s, turn %d: %w", item.ID, i+1, err)
			}
			step.Answer = rightAnswer(turn.Key)
			s.Asks = append(s.Asks, record.Ask{
				ID: ask, Task: t.Name, Item: fmt.Sprintf("%s/%d", item.ID, number), Group: item.Group, Cluster: cmp.Or(item.Cluster, item.ID),
				Conversation: item.ID, Turn: int32(number), Sample: int32(sample), Choice: -1, Prompt: asked(item.Turns, i), Key: string(key), Limit: limit, Stop: stop,
			})
		default:
			number++
		}
		one.steps, one.asks = append(one.steps, step), append(one.asks, ask)
	}
	s.talks = append(s.talks, one)
	return nil
}

// asked is what turn i puts to the model: its own text, or the result of the tool before it.
func asked(turns []Turn, i int) string {
	for ; i > 0 && turns[i].Text == "" && turns[i-1].Tool != ""; i-- {
		if turns[i-1].Text != "" {
			return turns[i-1].Text
		}
	}
	return turns[i].Text
}

// rightAnswer is what a turn is taken to have been answered where history is recorded.
func rightAnswer(key record.AnswerKey) string {
	switch {
	case len(key.References) > 0:
		return key.References[0]
	case key.Target != nil:
		return key.Choices[*key.Target]
	}
	return ""
}

// Converses reports whether questions come in conversations: the calls of a run are then the
// sheet's sessions. A question that stands alone beside them is a session of one turn.
func (s *Sheet) Converses() bool {
	return slices.ContainsFunc(s.Asks, func(a record.Ask) bool { return a.Turn > 0 })
}

// Sessions is how many sessions ask everything once.
func (s *Sheet) Sessions() int { return len(s.talks) }

// Longest is the number of steps of the longest session.
func (s *Sheet) Longest() (steps int) {
	for _, t := range s.talks {
		steps = max(steps, len(t.steps))
	}
	return steps
}

// Session is session number n of a point; the first again after the last.
func (s *Sheet) Session(n int64) session.Session {
	t := s.talks[n%int64(len(s.talks))]
	return session.Session{ID: n, Name: t.id, System: t.system, Steps: t.steps}
}

// Address completes the call of a step of session n: the question that it asks, and how its
// answer is drawn.
func (s *Sheet) Address(call *record.Call, n int64, step int) {
	t := s.talks[n%int64(len(s.talks))]
	call.Sampling = &s.tasks[t.task].sampling[t.sample]
	if ask := t.asks[step]; ask >= 0 {
		call.Ask = &ask
	}
}

// namedGrader is the grader that a row names for itself; none where it names none.
func namedGrader(value any) (string, error) {
	name := textOf(value)
	if name != "" && !slices.Contains(spec.NamedGraders(), name) {
		return "", fmt.Errorf("grader %q: want one of %s", name, strings.Join(spec.NamedGraders(), ", "))
	}
	return name, nil
}
