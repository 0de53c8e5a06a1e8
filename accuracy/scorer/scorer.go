// Package scorer asks models for scores of recorded answers: a program or an address of
// one's own that speaks one small protocol, or a chat endpoint as a judge. It reads a
// bundle and changes none: what was said is written by whoever asked for it.
//
// The protocol is one JSON object for a batch and one for its scores. A program reads
// batches as lines and writes one line for each; an address is posted a batch and returns
// its scores.
//
//	{"batch": [{"id": "0", "prediction": "…", "references": ["…"], "prompt": "…", "image": "…"}]}
//	{"scores": [{"id": "0", "scores": {"f1": 0.93}, "signature": "roberta-large_L17 …"}]}
//
// An answer without a score is never a 0: it is not scored, with a reason of its own. A
// scorer that breaks the protocol, dies, hangs or floods ends there, and whatever it had
// not scored by then is not scored.
//
// To add a kind of scorer, write one file with a Scorer, name it in package spec and in
// Open.
package scorer

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"assay/spec"
)

// An Item is one answer to be scored.
type Item struct {
	ID         string   `json:"id"`
	Prediction string   `json:"prediction"`
	References []string `json:"references,omitempty"`
	Prompt     string   `json:"prompt,omitempty"`
	Image      string   `json:"image,omitempty"` // a path, an address or a data: URL
}

// A Result is what became of one item: scores, or the reason why there are none.
type Result struct {
	Scores    map[string]float64
	Signature string // what made the scores: library, version, model
	Missing   map[string]string
	Unscored  string // why there is no score at all
}

// A Scorer scores batches, one after another, in the order of their items.
type Scorer interface {
	// Score returns a result for each item. An error ends the scorer: it cannot be asked
	// again.
	Score(ctx context.Context, batch []Item) ([]Result, error)

	// Close ends the scorer and everything that it started.
	Close() error
}

// An Environment is what a scorer may see of the process that starts it.
type Environment struct {
	Lookup func(name string) (string, bool)
}

// Open starts or reaches the scorer of s.
func Open(ctx context.Context, s spec.Scorer, env Environment) (Scorer, error) {
	s = s.Settled()
	if fault := s.Check(); fault != "" {
		return nil, fmt.Errorf("scorer %s: %s", s.Name, fault)
	}
	switch {
	case s.Kind == spec.ScorerVQA:
		return openVQA(s, env)
	case s.Kind == spec.ScorerRubric:
		return openRubric(s, env)
	case len(s.Command) > 0:
		return startCommand(ctx, s, env)
	}
	return openWeb(s, env)
}

// Run scores all items with s in batches, and says why it ended early where it did. The
// results are in the order of the items; those that it never came to are not scored.
func Run(ctx context.Context, s spec.Scorer, env Environment, items []Item) (results []Result, ended error) {
	s = s.Settled()
	open, err := Open(ctx, s, env)
	if err != nil {
		return unscored(len(items), err), err
	}
	defer func() {
		if err := open.Close(); err != nil && ended == nil {
			ended = fmt.Errorf("scorer %s: %w", s.Name, err)
		}
	}()
	for batch := range slices.Chunk(items, s.Batch) {
		scored, err := open.Score(ctx, batch)
		if err != nil {
			err = fmt.Errorf("scorer %s, after %d of %d answers: %w", s.Name, len(results), len(items), err)
			return append(results, unscored(len(items)-len(results), err)...), err
		}
		results = append(results, scored...)
	}
	return results, nil
}

func unscored(n int, err error) []Result {
	return slices.Repeat([]Result{{Unscored: err.Error()}}, n)
}

// wire are the two objects of the protocol.
type (
	wireBatch struct {
		Batch []Item `json:"batch"`
	}
	wireScores struct {
		Scores []wireScore `json:"scores"`
		Error  string      `json:"error"` // the whole batch failed
	}
	wireScore struct {
		ID        string              `json:"id"`
		Scores    map[string]*float64 `json:"scores"`
		Signature string              `json:"signature"`
		Error     string              `json:"error"`
	}
)

// match gives every item of a batch the reply with its id. A reply to nobody, or a second
// one, breaks the protocol: nobody knows then which scores are whose.
func match(batch []Item, reply wireScores, names []string) ([]Result, error) {
	place := map[string]int{}
	for i, item := range batch {
		place[item.ID] = i
	}
	results := make([]Result, len(batch))
	for i := range results {
		results[i].Unscored = "the scorer gave no reply for it"
	}
	if reply.Error != "" {
		for i := range results {
			results[i].Unscored = "the scorer says: " + short(reply.Error)
		}
	}
	seen := map[string]bool{}
	for _, r := range reply.Scores {
		i, ok := place[r.ID]
		switch {
		case !ok:
			return nil, fmt.Errorf("it scored %q, which is no id of the batch", short(r.ID))
		case seen[r.ID]:
			return nil, fmt.Errorf("it scored %q twice", short(r.ID))
		}
		seen[r.ID] = true
		results[i] = r.result(names)
	}
	return results, nil
}

// result takes the scores that were asked for.
func (r wireScore) result(names []string) Result {
	if r.Error != "" {
		return Result{Unscored: "the scorer says: " + short(r.Error)}
	}
	out := Result{Scores: map[string]float64{}, Signature: r.Signature, Missing: map[string]string{}}
	for _, name := range names {
		value, there := r.Scores[name]
		switch {
		case !there:
			out.Missing[name] = "the scorer gave no score called " + name
		case value == nil || math.IsNaN(*value) || math.IsInf(*value, 0):
			out.Missing[name] = name + " is not a number"
		default:
			out.Scores[name] = *value
		}
	}
	return out
}

// longestQuote is how much of what a scorer says is repeated in a message.
const longestQuote = 300

func short(text string) string {
	if len(text) > longestQuote {
		return text[:longestQuote] + " …"
	}
	return text
}

// reveal reads a secret for a header.
func (e Environment) reveal(s spec.Secret) (string, error) { return s.Reveal(e.Lookup, os.ReadFile) }
