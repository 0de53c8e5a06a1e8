package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"assay/workload"
)

// Options says what synthetic sessions look like. The zero value of each field
// but the lengths has a meaning.
type Options struct {
	// Turns is how many generations follow each other. Zero means 1.
	Turns int

	SystemTokens int // of the system text, which all sessions share; zero means none
	InputTokens  int // of what is said in each turn
	OutputTokens int // of each answer

	// Spread is how the lengths of turns and the times below spread.
	Spread workload.Spread

	// Think is the mean pause before each turn but the first.
	Think time.Duration

	// Tools are called between turns, one after the other.
	Tools []ToolCall

	// Before every ForkEvery-th turn the conversation parts into Branches
	// generations that run beside each other and meet in that turn. Zero means
	// no branches; zero Branches means 2.
	ForkEvery int
	Branches  int

	// Answers makes up what each generation is taken to have said, as long as
	// what is asked for.
	Answers bool

	// Counter counts tokens. Nil counts words.
	Counter workload.Counter
}

// A ToolCall is a tool that synthetic sessions call after every so many turns, but not
// after the last.
type ToolCall struct {
	Name   string
	Every  int           // turns; zero calls it never
	Time   time.Duration // that it takes on average where nothing really runs
	Tokens int           // of its answer
}

// A Synthetic makes sessions from a seed: session number i is always the same.
type Synthetic struct {
	seed    uint64
	opts    Options
	builder *workload.Builder
	system  string
}

// maxStepTime keeps times, which are drawn in milliseconds, inside an int32.
const maxStepTime = math.MaxInt32 * time.Millisecond

// NewSynthetic returns a source of sessions.
func NewSynthetic(seed int64, opts Options) (*Synthetic, error) {
	if opts.Turns == 0 {
		opts.Turns = 1
	}
	if opts.Branches == 0 {
		opts.Branches = 2
	}
	for _, n := range []int{opts.Turns, opts.SystemTokens, opts.ForkEvery, opts.Branches, int(opts.Think)} {
		if n < 0 {
			return nil, fmt.Errorf("session options %+v: want no number below zero", opts)
		}
	}
	if err := opts.Spread.Check(); err != nil {
		return nil, err
	}
	if opts.InputTokens < 1 || opts.OutputTokens < 1 {
		return nil, fmt.Errorf("turns of %d tokens in and %d out: want both above zero", opts.InputTokens, opts.OutputTokens)
	}
	if opts.Think > maxStepTime {
		return nil, fmt.Errorf("think time %v: want at most %v", opts.Think, maxStepTime)
	}
	for _, t := range opts.Tools {
		if t.Every < 0 || t.Tokens < 0 || t.Time < 0 || t.Time > maxStepTime {
			return nil, fmt.Errorf("tool %+v: want no number below zero, and a time of at most %v", t, maxStepTime)
		}
	}
	s := &Synthetic{seed: uint64(seed), opts: opts, builder: workload.NewBuilder(opts.Counter)}
	if opts.SystemTokens > 0 {
		s.system, _ = s.builder.Text(rand.New(rand.NewPCG(s.seed, math.MaxUint64)), opts.SystemTokens)
	}
	return s, nil
}

// Session is session number id.
func (s *Synthetic) Session(id int64) Session {
	rng := rand.New(rand.NewPCG(s.seed, uint64(id)))
	made := Session{ID: id, System: s.system}
	add := func(step Step) int {
		made.Steps = append(made.Steps, step)
		return len(made.Steps) - 1
	}
	var before []int
	for turn := range s.opts.Turns {
		think := time.Duration(0)
		if turn > 0 {
			think = s.time(rng, s.opts.Think)
		}
		if before != nil && every(s.opts.ForkEvery, turn) {
			var branches []int
			for range s.opts.Branches {
				branches = append(branches, add(s.turn(rng, before, think)))
			}
			before, think = branches, 0 // nobody thinks where branches meet
		}
		last := add(s.turn(rng, before, think))
		before = []int{last}
		for _, t := range s.opts.Tools {
			if !every(t.Every, turn) || turn+1 == s.opts.Turns {
				continue
			}
			text, count := s.builder.Text(rng, t.Tokens)
			before = []int{add(Step{
				Kind: Tool, Name: t.Name, After: before, Takes: s.time(rng, t.Time), Text: text, InputTokens: int32(count),
			})}
		}
	}
	if s.opts.Answers {
		s.answer(made)
	}
	return made
}

// answer makes up the answers. Their words are drawn apart from all else, so
// that the session is otherwise the one without answers.
func (s *Synthetic) answer(made Session) {
	rng := rand.New(rand.NewPCG(^s.seed, uint64(made.ID)))
	for i, step := range made.Steps {
		if step.Kind == Generate {
			made.Steps[i].Answer, _ = s.builder.Text(rng, int(step.OutputTokens))
		}
	}
}

func every(n, turn int) bool { return n > 0 && (turn+1)%n == 0 }

func (s *Synthetic) turn(rng *rand.Rand, after []int, think time.Duration) Step {
	text, count := s.builder.Text(rng, int(s.opts.Spread.Draw(rng, int32(s.opts.InputTokens))))
	return Step{
		Kind: Generate, After: after, Think: think, Text: text,
		InputTokens: int32(count), OutputTokens: s.opts.Spread.Draw(rng, int32(s.opts.OutputTokens)),
	}
}

// time draws a time with the given mean, in whole milliseconds.
func (s *Synthetic) time(rng *rand.Rand, mean time.Duration) time.Duration {
	if mean < time.Millisecond {
		return mean
	}
	return time.Duration(s.opts.Spread.Draw(rng, int32(mean/time.Millisecond))) * time.Millisecond
}
