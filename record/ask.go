package record

// An Ask is one question of an evaluation as it was put: one row of the table asks. A
// request names the row that it asked, so that answers can be graded, and graded again by
// newer code, from the bundle alone.
type Ask struct {
	ID      int32  `parquet:"ask,delta"`    // its number on the sheet, from 0
	Task    string `parquet:"task,dict"`    // the task's name in the spec
	Item    string `parquet:"item"`         // the question's id in its data set
	Group   string `parquet:"group,dict"`   // the part of the task that it belongs to, such as a subject; empty for none
	Cluster string `parquet:"cluster,dict"` // questions that share a context; empty where each stands alone
	Sample  int32  `parquet:"sample,delta"` // which of several answers to the same question, from 0
	Choice  int32  `parquet:"choice,delta"` // which choice the likelihood is asked of; -1 where an answer is generated
	Prompt  string `parquet:"prompt,zstd"`  // what was sent, without the chat template of the server
	Said    string `parquet:"said,zstd"`    // the end of the prompt whose likelihood is asked; empty for generated answers
	Key     string `parquet:"key,zstd"`     // the right answer: an AnswerKey as JSON
	Limit   int32  `parquet:"max_tokens"`   // the longest answer
	Stop    string `parquet:"stop,dict"`    // what ends the answer: a list as JSON; empty for nothing

	Conversation string `parquet:"conversation,dict"` // the conversation's id in its data set, where the question is a turn of one, which is a session of the run; empty where it stands alone
	Turn         int32  `parquet:"turn,delta"`        // which turn of the conversation it is, from 1; 0 where it stands alone
}

// An AnswerKey is what graders hold an answer against. Fields that a task does not have
// are empty.
type AnswerKey struct {
	References []string `json:"references,omitempty"` // any of them is right
	Choices    []string `json:"choices,omitempty"`    // what a multiple choice offers
	Target     *int     `json:"target,omitempty"`     // which of them is right
	Labels     []string `json:"labels,omitempty"`     // the classes that there are
	Image      string   `json:"image,omitempty"`      // what the question is about, for scorers: a path, an address or a data: URL
	Grader     string   `json:"grader,omitempty"`     // what marks this answer, where the row itself says it
	Note       string   `json:"note,omitempty"`       // what the data set says about the question, such as a known error of its label

	// Of programs: what stands before the answer, what is run after it, and the function
	// that is tested.
	Program *ProgramKey `json:"program,omitempty"`

	// Of tasks of lm-eval: the ways in which an answer is filtered, and how it is compared.
	Filters []Filter    `json:"filters,omitempty"`
	Exact   *ExactMatch `json:"exact,omitempty"`
}

// Unanswerable is the reference of a question that its passage does not answer, and the
// word that a prompt asks for then.
const Unanswerable = "unanswerable"

// A Filter is the steps from what was said to what is compared.
type Filter struct {
	Name  string       `json:"name,omitempty"`
	Steps []FilterStep `json:"steps"`
}

// A FilterStep is one function of a Filter. A regular expression takes the match of a
// number, from 0 or, negative, from the end, and Fallback where nothing matches.
type FilterStep struct {
	Function string `json:"function"`
	Pattern  string `json:"pattern,omitempty"`
	Select   int    `json:"select,omitempty"`
	Fallback string `json:"fallback,omitempty"`
}

// ExactMatch is what a comparison leaves out.
type ExactMatch struct {
	Ignore            []string `json:"ignore,omitempty"` // regular expressions
	IgnoreCase        bool     `json:"ignoreCase,omitempty"`
	IgnorePunctuation bool     `json:"ignorePunctuation,omitempty"`
	IgnoreNumbers     bool     `json:"ignoreNumbers,omitempty"`
}

// A ProgramKey says how an answer becomes a program, and what tests it.
type ProgramKey struct {
	Prefix  string `json:"prefix,omitempty"`  // what the answer goes on from
	Test    string `json:"test"`              // run after the program, calling what it defines
	Entry   string `json:"entry,omitempty"`   // the function that is tested; empty where the tests name it
	Prepare string `json:"prepare,omitempty"` // run before the tests: what they themselves need
}

// Sampling is what one call asks about the drawing of its answer, beyond what all calls
// of a run have in common.
type Sampling struct {
	Stop        []string
	Temperature *float64
	Seed        *int64
	Logprobs    int32 // how many alternatives of each token; 0 asks for no probabilities
	Echo        bool  // the answer repeats the prompt, with the probabilities of its tokens
}

// Logprobs are the logarithms of probabilities that a server gave with an answer: column
// logprobs of the table requests, as JSON.
type Logprobs struct {
	Tokens  []string        `json:"tokens"`
	Values  []*float64      `json:"logprobs"`          // null where the server gives none, as for the first token of a prompt
	Offsets []int           `json:"offsets,omitempty"` // where each token begins in the text, in characters
	Top     [][]Alternative `json:"top,omitempty"`     // the likeliest tokens at each place
}

// An Alternative is a token that could have come, and the logarithm of its probability.
type Alternative struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

// Append adds the tokens that follow.
func (l *Logprobs) Append(more *Logprobs) {
	l.Tokens = append(l.Tokens, more.Tokens...)
	l.Values = append(l.Values, more.Values...)
	l.Offsets = append(l.Offsets, more.Offsets...)
	l.Top = append(l.Top, more.Top...)
}
