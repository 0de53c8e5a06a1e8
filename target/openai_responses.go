package target

import (
	"encoding/json"
	"strings"

	"assay/record"
)

// responses is OpenAI's Responses API: typed events, of which those that end in
// .done repeat what the deltas have said.
type responses struct{}

var _ Dialect = responses{}

func (responses) Path() string { return "/v1/responses" }

func (responses) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model, "input": call.Prompt, "store": false}
	if call.Payload != nil && len(call.Payload.Messages) > 0 {
		body["input"] = messages(call)
	}
	ask.limit(body, "max_output_tokens", call)
	if ask.Stream {
		body["stream"] = true
	}
	if ask.IgnoreEOS != nil {
		body["ignore_eos"] = *ask.IgnoreEOS
	}
	if len(pictures(call)) > 0 {
		body["input"] = looking(call, "input_text", responsesImage)
	}
	return encode(call, body, ask)
}

// responsesAnswer is a whole response: the body of an answer that was not
// streamed, and part of the events that begin and end a stream.
type responsesAnswer struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Error  json.RawMessage `json:"error"`
	Output items[struct {
		Type    string               `json:"type"`
		Content items[responsesPart] `json:"content"`
		Summary items[responsesPart] `json:"summary"`
	}] `json:"output"`
	Usage *struct {
		Input        *Count `json:"input_tokens"`
		Output       *Count `json:"output_tokens"`
		InputDetails struct {
			Cached *Count `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning *Count `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

type responsesPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// responsesKinds says what the deltas carry. Every other event is a blank one.
var responsesKinds = map[string]record.ChunkKind{
	"response.output_text.delta":             record.Content,
	"response.reasoning_text.delta":          record.Reasoning,
	"response.reasoning_summary_text.delta":  record.Reasoning,
	"response.refusal.delta":                 record.OtherOut,
	"response.function_call_arguments.delta": record.Tool,
	"response.mcp_call_arguments.delta":      record.Tool,
	"response.custom_tool_call_input.delta":  record.Tool,
	"response.audio.delta":                   record.OtherOut,
	"response.audio.transcript.delta":        record.OtherOut,
}

// Decode implements Dialect.
func (responses) Decode(data []byte) ([]Piece, error) {
	if isDone(data) {
		return []Piece{{Kind: record.DoneMark}}, nil
	}
	var event struct {
		Type     string           `json:"type"`
		Object   string           `json:"object"`
		Delta    string           `json:"delta"`
		Response *responsesAnswer `json:"response"`
		Item     struct {
			Type string `json:"type"`
		} `json:"item"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	if event.Object == "response" {
		var whole responsesAnswer
		if err := decode(data, &whole); err != nil {
			return nil, err
		}
		return whole.pieces(true), nil
	}
	var s pieceList
	switch kind, isDelta := responsesKinds[event.Type]; {
	case isDelta && (kind == record.Content || kind == record.Reasoning || event.Type == "response.refusal.delta"):
		s.say(kind, 0, event.Delta)
	case isDelta && event.Delta != "":
		s.show(kind, 0)
	case event.Type == "response.output_item.added" && event.Item.Type == "message":
		s.show(record.Role, 0)
	case event.Type == "error" || present(event.Error):
		s.fail(string(data))
	case event.Response != nil && strings.Contains(" response.completed response.incomplete response.failed ", " "+event.Type+" "):
		return event.Response.pieces(false), nil
	}
	id := ""
	if event.Response != nil {
		id = event.Response.ID
	}
	return s.pieces(id), nil
}

// pieces lists how a response ended and, for one that was not streamed, what it
// says.
func (r *responsesAnswer) pieces(output bool) []Piece {
	var s pieceList
	for _, item := range r.Output {
		if !output {
			break
		}
		if strings.HasSuffix(item.Type, "_call") {
			s.show(record.Tool, 0)
		}
		for _, part := range append(item.Summary, item.Content...) {
			kind := record.Content
			if item.Type == "reasoning" {
				kind = record.Reasoning
			}
			s.say(kind, 0, part.Text)
			s.say(record.OtherOut, 0, part.Refusal)
		}
	}
	switch {
	case r.Status == "failed" || present(r.Error):
		s.fail(string(r.Error))
	case r.Incomplete != nil && r.Incomplete.Reason != "":
		s.finish(0, r.Incomplete.Reason)
	default:
		s.finish(0, r.Status)
	}
	if u := r.Usage; u != nil {
		s.count(Usage{Input: u.Input, Output: u.Output, Cached: u.InputDetails.Cached, Reasoning: u.OutputDetails.Reasoning})
	}
	s.done()
	return s.pieces(r.ID)
}
