// Package accuracy grades what a bundle holds: the questions of an evaluation, the
// answers that came, and the right ones. Nothing is graded while it is measured, so that
// any bundle that kept its answers can be graded again, by newer graders too.
//
// An answer that never came is no wrong answer. Every answer has a state, which is counted
// apart: a score is the mean over what was answered, and its bounds say what it would be
// had everything that failed been wrong, or right.
//
// To add a grader, write one file NAME.go with a Grader, list it in All and name it in
// package spec.
package accuracy

import (
	"fmt"
	"slices"

	"assay/record"
	"assay/unit"
)

// A State says what became of a question, before anybody looks at what was said.
type State string

// The states.
const (
	Answered  State = "answered"
	Truncated State = "truncated" // cut at its longest length; graded as far as it got
	Empty     State = "empty"     // ended in order and said nothing
	Failed    State = "failed"    // the request failed: no answer, right or wrong
	Cut       State = "cut"       // still under way when the run ended: neither
)

// States lists them in the order of tables.
var States = []State{Answered, Truncated, Empty, Failed, Cut}

// An Answer is what came back for one question, once.
type Answer struct {
	Launch   int
	Side     string // which system, in a run of several; empty in a run of one
	Point    int32
	Task     string
	Item     string
	Group    string
	Cluster  string
	Question string // the digest of what was asked, by which tools that number items otherwise know it

	// Of a turn: the conversation's id, and which turn it is, from 1; empty and 0 for a
	// question that stands alone.
	Conversation string
	Turn         int32

	Sample int32
	Pass   int32 // which time it was asked at the point, from 0: under load questions come again
	State  State
	Error  string // of a failed request
	Prompt string
	Key    *record.AnswerKey
	Took   float64 // seconds to its end, as E2E counts them; of several requests the longest

	// Text is the answer, and Replies everything that came: one for a generated answer, one
	// for each choice whose likelihood was asked.
	Text    string
	Replies []Reply
}

// A Reply is one request's part of an answer.
type Reply struct {
	Request  int64
	Choice   int32
	Said     string // the end of the prompt whose likelihood was asked
	Prompt   string
	Logprobs *record.Logprobs

	PromptTokens int // as the server counts them; 0 where it does not
}

// A Mark is what a grader says about an answer.
type Mark struct {
	Score     float64 // 1 is right and 0 wrong, unless the grader says otherwise
	Extracted string  // what it took for the answer
	Unparsed  bool    // no answer was found in what was said
	Why       string  // what decided, where the score and the extract do not say it

	// Stats are what a grader of a whole corpus adds up; its score is of the sums.
	Stats []float64
}

// A Grader turns answers into marks.
type Grader struct {
	Name  string
	Doc   string
	Lower bool // less is better

	// Corpus makes the score of a task from the sums of the Stats of its marks; nil where it
	// is the mean of their scores.
	Corpus func(sums []float64) float64

	// Likelihood says that it reads probabilities and no text.
	Likelihood bool

	// Program says that it runs answers as programs.
	Program bool

	// Unit is that of its scores; empty means a share of one.
	Unit unit.Unit

	// Signature says how a score was made, with so many references for each item, or a
	// varying number at 0. Nil where the name says it all.
	Signature func(references int) string

	// grade marks one answer, batch all of them at once. Every grader has one of the two.
	grade func(a *Answer) (Mark, error)
	batch func(answers []*Answer) ([]Mark, error)

	// prepare changes the Stats of all marks once they are there; nil for most.
	prepare func(rows []Grade)
}

// All lists every grader.
var All = slices.Concat(textGraders, squad2Graders, helmGraders, inspectGraders, namedGraders, gsm8kGraders, choiceGraders, calibrationGraders,
	labelGraders, codeGraders, lmEvalGraders, corpusGraders, synonymGraders, textLikelihoods)

// Find returns the grader called name.
func Find(name string) (Grader, error) {
	if g, ok := scorerGrader(name); ok {
		return g, nil
	}
	i := slices.IndexFunc(All, func(g Grader) bool { return g.Name == name })
	if i < 0 {
		return Grader{}, fmt.Errorf("grader %q: want one of %v", name, Names())
	}
	return All[i], nil
}

// Names lists the graders.
func Names() []string {
	var names []string
	for _, g := range All {
		names = append(names, g.Name)
	}
	return names
}

// A Grade is one row of the derived table of grades.
type Grade struct {
	Task     string `json:"task"`
	Item     string `json:"item"`
	Group    string `json:"group,omitempty"`
	Cluster  string `json:"cluster,omitempty"`
	Question string `json:"question,omitempty"` // names what was asked: the digest of its text
	Launch   int    `json:"launch"`

	// Of a turn: the conversation's id, and which turn it is, from 1.
	Conversation string `json:"conversation,omitempty"`
	Turn         int32  `json:"turn,omitempty"`

	Side      string    `json:"side,omitempty"`
	Point     int32     `json:"point"`
	Sample    int32     `json:"sample,omitempty"`
	Pass      int32     `json:"pass,omitempty"`
	Grader    string    `json:"grader"`
	State     State     `json:"state"`
	Score     *float64  `json:"score"` // null where there was no answer
	Extracted string    `json:"extracted,omitempty"`
	Unparsed  bool      `json:"unparsed,omitempty"`
	Why       string    `json:"why,omitempty"`
	Stats     []float64 `json:"stats,omitempty"`
	Took      float64   `json:"took,omitempty"` // seconds to the end of the answer
}

// all marks every answer. Empty answers are marked as what they are; failed and cut ones
// have no mark.
func (g Grader) all(answers []*Answer) ([]Grade, error) {
	rows := make([]Grade, len(answers))
	var there []*Answer
	var places []int
	for i, a := range answers {
		rows[i] = Grade{
			Task: a.Task, Item: a.Item, Group: a.Group, Cluster: a.Cluster, Question: a.Question, Conversation: a.Conversation, Turn: a.Turn, Launch: a.Launch, Side: a.Side, Point: a.Point,
			Sample: a.Sample, Pass: a.Pass, Grader: g.Name, State: a.State, Took: a.Took,
		}
		if a.State == Failed || a.State == Cut {
			rows[i].Why = a.Error
			continue
		}
		there, places = append(there, a), append(places, i)
	}
	marks, err := g.marks(there)
	if err != nil {
		return nil, err
	}
	for i, mark := range marks {
		row := &rows[places[i]]
		row.Score, row.Extracted, row.Unparsed, row.Why, row.Stats = &mark.Score, mark.Extracted, mark.Unparsed, mark.Why, mark.Stats
	}
	if g.prepare != nil {
		g.prepare(rows)
	}
	return rows, nil
}

// marks are those of answers that came.
func (g Grader) marks(answers []*Answer) ([]Mark, error) {
	if g.batch != nil && len(answers) > 0 {
		return g.batch(answers)
	}
	var marks []Mark
	for _, a := range answers {
		mark, err := g.grade(a)
		if err != nil {
			return nil, fmt.Errorf("task %s, item %s, grader %s: %w", a.Task, a.Item, g.Name, err)
		}
		marks = append(marks, mark)
	}
	return marks, nil
}
