package target

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"assay/record"
)

// bedrock is the Converse API of AWS Bedrock. Its streams use Amazon's own
// framing, and requests are signed (see AWS) or carry a key as a bearer token.
type bedrock struct{}

var _ Dialect = bedrock{}

func (bedrock) Path() string { return "/model/MODEL/converse-stream" }

func (bedrock) Shape(ask Ask) Shape {
	// The colon of a model's version is escaped as Amazon's own clients do it:
	// the signature covers the path as it is sent.
	s := Shape{
		Path: "/model/" + strings.ReplaceAll(url.PathEscape(ask.Model), ":", "%3A") + "/converse",
		End:  EndFinish, Frames: eventStream,
		Header: http.Header{"Accept": {"application/json"}},
	}
	if ask.Stream {
		s.Path += "-stream"
		s.Header.Set("Accept", "application/vnd.amazon.eventstream")
	}
	return s
}

func (bedrock) Encode(call record.Call, ask Ask) ([]byte, error) {
	settings := map[string]any{}
	ask.limit(settings, "maxTokens", call)
	system, said := turns(call)
	body := map[string]any{"messages": inParts(said, "content", "assistant"), "inferenceConfig": settings}
	if system != "" {
		body["system"] = []any{map[string]string{"text": system}}
	}
	return encode(call, body, ask)
}

// bedrockBlock is a block of content, or a delta of one.
type bedrockBlock struct {
	Text      string          `json:"text"`
	ToolUse   json.RawMessage `json:"toolUse"`
	Reasoning *struct {
		Text     string `json:"text"` // of a delta
		Redacted string `json:"redactedContent"`
		Whole    struct {
			Text string `json:"text"`
		} `json:"reasoningText"` // of an answer that was not streamed
	} `json:"reasoningContent"`
}

func (b bedrockBlock) say(s *pieceList) {
	if r := b.Reasoning; r != nil {
		s.say(record.Reasoning, 0, r.Text+r.Whole.Text)
		if r.Redacted != "" {
			s.show(record.Reasoning, 0)
		}
	}
	s.say(record.Content, 0, b.Text)
	if present(b.ToolUse) {
		s.show(record.Tool, 0)
	}
}

// bedrockUsage counts the input in three parts that do not overlap.
type bedrockUsage struct {
	Input      *Count `json:"inputTokens"`
	Output     *Count `json:"outputTokens"`
	CacheRead  *Count `json:"cacheReadInputTokens"`
	CacheWrite *Count `json:"cacheWriteInputTokens"`
}

func (u bedrockUsage) usage() Usage {
	return Usage{Input: sum(u.Input, u.CacheRead, u.CacheWrite), Output: u.Output, Cached: u.CacheRead}
}

// Decode implements Dialect. The usage comes last, after the finish reason.
func (bedrock) Decode(data []byte) ([]Piece, error) {
	var event map[string]json.RawMessage
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	if _, whole := event["output"]; whole {
		return bedrockWhole(data)
	}
	var s pieceList
	for name, payload := range event {
		var part struct {
			Delta      bedrockBlock `json:"delta"`
			Start      bedrockBlock `json:"start"`
			StopReason string       `json:"stopReason"`
			Usage      bedrockUsage `json:"usage"`
		}
		if name == "error" || strings.HasSuffix(name, "Exception") {
			s.fail(name + " " + string(payload))
			continue
		}
		if err := decode(payload, &part); err != nil {
			return nil, err
		}
		switch name {
		case "messageStart":
			s.show(record.Role, 0)
		case "contentBlockStart":
			part.Start.say(&s)
		case "contentBlockDelta":
			part.Delta.say(&s)
		case "messageStop":
			s.finish(0, part.StopReason)
		case "metadata":
			s.count(part.Usage.usage())
		}
	}
	return s.pieces(""), nil
}

func bedrockWhole(data []byte) ([]Piece, error) {
	var answer struct {
		Output struct {
			Message struct {
				Content items[bedrockBlock] `json:"content"`
			} `json:"message"`
		} `json:"output"`
		StopReason string       `json:"stopReason"`
		Usage      bedrockUsage `json:"usage"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	var s pieceList
	for _, block := range answer.Output.Message.Content {
		block.say(&s)
	}
	s.finish(0, answer.StopReason)
	s.count(answer.Usage.usage())
	return s.pieces(""), nil
}
