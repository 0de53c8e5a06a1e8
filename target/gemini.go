package target

import (
	"encoding/json"
	"net/url"

	"assay/record"
)

// gemini is Google's generateContent, with an API key at the Gemini API or with
// a token at Vertex AI, whose URL names the project and the place:
// https://PLACE-aiplatform.googleapis.com/v1/projects/PROJECT/locations/PLACE.
type gemini struct{ models string }

var _ Dialect = gemini{}

func (d gemini) Path() string { return d.models + "MODEL:streamGenerateContent" }

func (d gemini) Shape(ask Ask) Shape {
	if !ask.Stream {
		return Shape{Path: d.models + url.PathEscape(ask.Model) + ":generateContent", End: EndFinish}
	}
	return Shape{
		Path:  d.models + url.PathEscape(ask.Model) + ":streamGenerateContent",
		Query: url.Values{"alt": {"sse"}}, // without it the answer is one growing list
		End:   EndFinish,
	}
}

func (gemini) Encode(call record.Call, ask Ask) ([]byte, error) {
	settings := map[string]any{}
	ask.limit(settings, "maxOutputTokens", call)
	system, said := turns(call)
	body := map[string]any{"contents": inParts(said, "parts", "model"), "generationConfig": settings}
	if system != "" {
		body["systemInstruction"] = map[string]any{"parts": []any{map[string]string{"text": system}}}
	}
	return encode(call, body, ask)
}

// geminiAnswer is an event of a stream as well as a whole answer.
type geminiAnswer struct {
	ID         string `json:"responseId"`
	Candidates items[struct {
		Index   int32 `json:"index"`
		Content struct {
			Role  string `json:"role"`
			Parts items[struct {
				Text         string          `json:"text"`
				Thought      bool            `json:"thought"`
				FunctionCall json.RawMessage `json:"functionCall"`
				Inline       json.RawMessage `json:"inlineData"`
			}] `json:"parts"`
		} `json:"content"`
		FinishReason string `json:"finishReason"`
	}] `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage struct {
		Prompt     *Count `json:"promptTokenCount"`
		Candidates *Count `json:"candidatesTokenCount"`
		Thoughts   *Count `json:"thoughtsTokenCount"`
		Cached     *Count `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

// Decode implements Dialect. Google counts thoughts beside the candidates; the
// record's output is their sum, as it is with every other API.
func (gemini) Decode(data []byte) ([]Piece, error) {
	var answer geminiAnswer
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	if reason := answer.Feedback.BlockReason; reason != "" {
		s.fail("the prompt was blocked: " + reason)
	}
	for _, c := range answer.Candidates {
		for _, part := range c.Content.Parts {
			kind := record.Content
			if part.Thought {
				kind = record.Reasoning
			}
			s.say(kind, c.Index, part.Text)
			if present(part.FunctionCall) {
				s.show(record.Tool, c.Index)
			}
			if present(part.Inline) {
				s.show(record.OtherOut, c.Index)
			}
		}
		s.finish(c.Index, c.FinishReason)
	}
	u := answer.Usage
	s.count(Usage{Input: u.Prompt, Output: sum(u.Candidates, u.Thoughts), Reasoning: u.Thoughts, Cached: u.Cached})
	return s.pieces(answer.ID), nil
}
