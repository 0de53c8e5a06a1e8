package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"assay/record"
	"assay/visible"
	"assay/workload/exam"
)

// chatAPI is the API of conversations, which takes no prompt that could be repeated.
const chatAPI = "openai-chat"

// probeLogprobs asks the target for the probabilities that the questions need, once and
// before any question. Servers that ignore what they are asked give scores of mere chance,
// and no error: such a server is refused.
func (s *side) probeLogprobs(ctx context.Context, in *inputs) error {
	if in == nil || in.sheet == nil || s.target == nil || s.probed {
		return nil
	}
	s.probed = true
	seen := map[exam.Need]bool{}
	for _, need := range in.sheet.Needs() {
		if !need.Chat && s.target.API == chatAPI {
			return fmt.Errorf("task %s: the style %s cannot be asked through %s: want openai-completions (--api, or target.api in a spec), or another style", need.Task, need.Style, chatAPI)
		}
		same := exam.Need{Logprobs: need.Logprobs, Echo: need.Echo}
		if need.Logprobs == 0 || seen[same] {
			continue
		}
		seen[same] = true
		if err := s.probeNeed(ctx, need); err != nil {
			return fmt.Errorf("task %s, style %s: %w", need.Task, need.Style, err)
		}
	}
	return nil
}

// probeNeed sends the request of one need and looks at what comes back.
func (s *side) probeNeed(ctx context.Context, need exam.Need) error {
	zero := 0.0
	r, _, err := s.request(ctx, record.Call{
		Prompt: preflightPrompt, OutputTokens: 1,
		Sampling: &record.Sampling{Temperature: &zero, Logprobs: need.Logprobs, Echo: need.Echo},
	})
	if err != nil {
		return err
	}
	if r.Result != record.OK {
		return fmt.Errorf("the server was asked for probabilities and failed (%s, status %d: %s): want another style, such as letter or chain-of-thought, or a server that gives them", r.Result, r.Status, visible.Line(r.Error))
	}
	var got record.Logprobs
	if r.Logprobs != "" {
		if err := json.Unmarshal([]byte(r.Logprobs), &got); err != nil {
			return err
		}
	}
	if need.Echo {
		return echoed(r, got)
	}
	return s.alternatives(need, got)
}

// echoed wants the probabilities of the prompt's tokens and of one that follows, or of the
// prompt's alone. The first has none: nothing stands before it.
func echoed(r record.Request, got record.Logprobs) error {
	const advice = "the likelihood of a prompt cannot be had from this server, and a score would be mere chance: want another style (letter, chain-of-thought or top-logprobs), or a server that answers echo with logprobs"
	n := len(got.Values)
	switch {
	case n == 0:
		return fmt.Errorf("the server was asked to repeat the prompt with probabilities and gave none (it said %q): %s", visible.Line(r.Text), advice)
	case r.UsageInput == nil:
		return fmt.Errorf("the server gave %d probabilities and does not say how many tokens the prompt has (usage.prompt_tokens): %s", n, advice)
	case n != int(*r.UsageInput) && n != int(*r.UsageInput)+1:
		return fmt.Errorf("the server gave %d probabilities for a prompt of %d tokens and one token of answer, want %d (it said %q): %s", n, *r.UsageInput, *r.UsageInput+1, visible.Line(r.Text), advice)
	case got.Values[0] != nil:
		return fmt.Errorf("the server gave the first token of the prompt the probability %g, and nothing stands before it: these are not the prompt's (it said %q): %s", *got.Values[0], visible.Line(r.Text), advice)
	case !strings.Contains(strings.Join(got.Tokens, ""), preflightPrompt):
		return fmt.Errorf("the tokens that the server gave are %q and not the prompt: %s", visible.Line(strings.Join(got.Tokens, "")), advice)
	}
	return nil
}

// alternatives wants those of the first token, and notes how many there are.
func (s *side) alternatives(need exam.Need, got record.Logprobs) error {
	if len(got.Top) == 0 || len(got.Top[0]) == 0 {
		return fmt.Errorf("the server was asked for %d alternatives of each token and gave none: want another style (letter or chain-of-thought), or a server that gives log-probabilities", need.Logprobs)
	}
	if n := len(got.Top[0]); n < int(need.Logprobs) {
		s.notes = append(s.notes, fmt.Sprintf("the server gives %d alternatives of a token where style %s asks for %d: a letter that is not among them cannot win", n, need.Style, need.Logprobs))
	}
	return nil
}
