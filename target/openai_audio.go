package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"

	"assay/record"
)

// audioSpeech is OpenAI's text to speech. The answer is sound, not JSON; its
// size is the record's count of body bytes.
type audioSpeech struct{}

var _ Dialect = audioSpeech{}

func (audioSpeech) Path() string { return "/v1/audio/speech" }

func (audioSpeech) Shape(Ask) Shape {
	return Shape{Unary: true, NoText: true, Header: http.Header{"Accept": {"*/*"}}}
}

func (audioSpeech) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model, "input": call.Prompt, "voice": "alloy"}
	if p := call.Payload; p != nil && p.Voice != "" {
		body["voice"] = p.Voice
	}
	return encode(call, body, ask)
}

// Decode implements Dialect. No sound file begins with a brace: JSON in its
// place is the server's way to say that something went wrong.
func (audioSpeech) Decode(data []byte) ([]Piece, error) {
	var s pieceList
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && json.Valid(data) {
		s.fail(string(data))
	} else {
		s.show(record.OtherOut, 0)
	}
	return s.pieces(""), nil
}

// transcription is OpenAI's speech to text. The call's sound, or else its prompt,
// is the content of a sound file, which goes out as a form.
type transcription struct{}

var _ Dialect = transcription{}

// formBoundary separates the parts of a form. It is fixed, so that equal calls
// are equal on the wire; a sound file holds these 32 letters by chance once in
// 10^77 bytes.
const formBoundary = "assay-form-boundary-5fd1c0b9e27a4"

// soundNames are the ends of file names by which servers tell formats.
var soundNames = map[string]string{
	"audio/wav": "wav", "audio/mpeg": "mp3", "audio/flac": "flac", "audio/ogg": "ogg", "audio/mp4": "m4a", "audio/webm": "webm",
}

func (transcription) Path() string { return "/v1/audio/transcriptions" }

func (transcription) Shape(Ask) Shape {
	return Shape{Unary: true, Header: http.Header{"Content-Type": {"multipart/form-data; boundary=" + formBoundary}}}
}

// Encode implements Dialect. Extra fields become parts of the form; text goes
// out as it is, anything else as JSON.
func (transcription) Encode(call record.Call, ask Ask) ([]byte, error) {
	fields := map[string]any{"model": ask.Model, "response_format": "json"}
	if ask.Temperature != nil {
		fields["temperature"] = *ask.Temperature
	}
	ask.adapt(fields)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.SetBoundary(formBoundary); err != nil {
		return nil, fmt.Errorf("encode call %d: %w", call.ID, err)
	}
	for _, name := range sortedNames(fields) {
		text, isText := fields[name].(string)
		if !isText {
			data, err := json.Marshal(fields[name])
			if err != nil {
				return nil, fmt.Errorf("encode call %d: field %s: %w", call.ID, name, err)
			}
			text = string(data)
		}
		if err := form.WriteField(name, text); err != nil {
			return nil, fmt.Errorf("encode call %d: field %s: %w", call.ID, name, err)
		}
	}
	name, sound := "audio.wav", []byte(call.Prompt)
	if p := call.Payload; p != nil && p.Sound != nil {
		name, sound = "audio."+soundNames[p.Sound.MediaType], p.Sound.Data
	}
	file, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write(sound)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("encode call %d: %w", call.ID, err)
	}
	return body.Bytes(), nil
}

func sortedNames(fields map[string]any) []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Decode implements Dialect.
func (transcription) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		Text  string `json:"text"`
		Usage struct {
			Input  *Count `json:"input_tokens"`
			Output *Count `json:"output_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	s.say(record.Content, 0, answer.Text)
	s.count(Usage{Input: answer.Usage.Input, Output: answer.Usage.Output})
	return s.pieces(""), nil
}
