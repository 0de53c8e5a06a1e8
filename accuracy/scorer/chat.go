package scorer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/accuracy/lexical"
	"assay/spec"
)

// A Chat asks an endpoint that speaks as OpenAI's chat does, one question at a time. It is
// no part of the measured path: it judges what was measured.
type Chat struct {
	Model string
	post  poster
}

// NewChat reaches the endpoint of s.
func NewChat(s spec.Scorer, env Environment) (Chat, error) {
	post, err := newPoster(s, chatAddress(s.URL), env)
	return Chat{Model: s.Model, post: post}, err
}

// chatAddress completes the address of a server.
func chatAddress(url string) string {
	url = strings.TrimSuffix(url, "/")
	switch {
	case strings.HasSuffix(url, "/chat/completions"):
		return url
	case strings.HasSuffix(url, "/v1"):
		return url + "/chat/completions"
	}
	return url + "/v1/chat/completions"
}

// Close lets go of connections.
func (c Chat) Close() error {
	c.post.client.CloseIdleConnections()
	return nil
}

// A Question is what an endpoint is asked.
type Question struct {
	Text     string
	Image    string // a data: URL or an address; empty for none
	Tokens   int    // the longest answer
	Logprobs int    // alternatives of each token; 0 asks for none
	Seed     int64  // 0 asks for none
}

// A Said is what it answered.
type Said struct {
	Text  string
	Model string // as the server names it
	Top   []lexical.TokenLogprob
}

type (
	chatRequest struct {
		Model       string        `json:"model"`
		Messages    []chatMessage `json:"messages"`
		MaxTokens   int           `json:"max_tokens"`
		Temperature float64       `json:"temperature"`
		Seed        int64         `json:"seed,omitempty"`
		Logprobs    bool          `json:"logprobs,omitempty"`
		TopLogprobs int           `json:"top_logprobs,omitempty"`
	}
	chatMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	chatPart struct {
		Type  string     `json:"type"`
		Text  string     `json:"text,omitempty"`
		Image *chatImage `json:"image_url,omitempty"`
	}
	chatImage struct {
		URL string `json:"url"`
	}
	chatReply struct {
		Model   string `json:"model"`
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
			Logprobs *struct {
				Content []struct {
					Top []struct {
						Token   string  `json:"token"`
						Logprob float64 `json:"logprob"`
					} `json:"top_logprobs"`
				} `json:"content"`
			} `json:"logprobs"`
		} `json:"choices"`
	}
)

// Ask sends one question at temperature 0.
func (c Chat) Ask(ctx context.Context, q Question) (Said, error) {
	var content any = q.Text
	if q.Image != "" {
		content = []chatPart{{Type: "image_url", Image: &chatImage{q.Image}}, {Type: "text", Text: q.Text}}
	}
	text, err := c.post.send(ctx, chatRequest{
		Model: c.Model, Messages: []chatMessage{{"user", content}}, MaxTokens: q.Tokens, Seed: q.Seed,
		Logprobs: q.Logprobs > 0, TopLogprobs: q.Logprobs,
	})
	if err != nil {
		return Said{}, err
	}
	var reply chatReply
	if err := json.Unmarshal(text, &reply); err != nil {
		return Said{}, fmt.Errorf("its answer %q is no chat completion: %w", short(string(text)), err)
	}
	if len(reply.Choices) == 0 {
		return Said{}, errors.New("its answer has no choices")
	}
	first := reply.Choices[0]
	said := Said{Model: reply.Model}
	if first.Message.Content != nil {
		said.Text = *first.Message.Content
	}
	if first.Logprobs != nil && len(first.Logprobs.Content) > 0 {
		for _, entry := range first.Logprobs.Content[0].Top {
			said.Top = append(said.Top, lexical.TokenLogprob{Token: entry.Token, Logprob: entry.Logprob})
		}
	}
	return said, nil
}
