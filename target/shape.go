package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"assay/record"
)

// A Shaper is a Dialect whose exchange differs from the common one: JSON posted
// to a fixed path, answered by server-sent events that [DONE] ends. It is asked
// once, when the client is made.
type Shaper interface {
	Shape(ask Ask) Shape
}

// A Shape says what is different. The zero value is the common exchange.
type Shape struct {
	// Path is where requests go, percent-encoded, for APIs that put the model
	// into it. Empty means Dialect.Path.
	Path string

	// Query and Header are sent unless the user gave others of the same name.
	Query  url.Values
	Header http.Header

	// Frames cuts a streamed body into events. Nil means server-sent events.
	Frames Frames

	// End is what tells a complete stream from one that was cut off.
	End End

	// Unary says that the API never streams, whatever the run asked for.
	Unary bool

	// NoText says that the answer is not text: vectors, images, sound, ranks.
	NoText bool

	// HTTP2 says that the API is spoken over HTTP/2 alone.
	HTTP2 bool

	// Verdict reads from headers and trailers how the server says the exchange
	// went: problem is empty when well, found is false when it does not say. Nil
	// means that the status and the body say it all.
	Verdict func(header, trailer http.Header) (problem string, found bool)

	lines bool // the frames are server-sent events
}

// Frames splits body into events and calls yield with the data of each, nil for
// one that only shows that the server lives, and the offset just past it. What
// the body ends inside of is rest. An error means that no more can be read.
type Frames func(body []byte, yield func(data []byte, end int)) (rest []byte, err error)

// An End is the last word of a complete stream.
type End int

// The ends.
const (
	EndMark   End = iota // an event that says so, as [DONE] does; a finish reason without it is flagged
	EndFinish            // a finish reason; nothing need follow
	EndBody              // the API has no last word: the end of the body is all there is
)

// shapeOf is what dialect differs in.
func shapeOf(dialect Dialect, ask Ask) Shape {
	var s Shape
	if shaper, ok := dialect.(Shaper); ok {
		s = shaper.Shape(ask)
	}
	if s.Path == "" {
		s.Path = dialect.Path()
	}
	if s.Frames == nil {
		s.Frames, s.lines = serverSentEvents, true
	}
	return s
}

func serverSentEvents(body []byte, yield func([]byte, int)) ([]byte, error) {
	return events(body, yield), nil
}

// address is where the requests for the target at raw go.
func (s Shape) address(raw string, query url.Values) (*url.URL, error) {
	u, err := Below(raw, "")
	if err != nil {
		return nil, err
	}
	escaped := u.EscapedPath() + s.Path
	if u.Path, err = url.PathUnescape(escaped); err != nil {
		return nil, fmt.Errorf("target.url %q with path %q: %w", redactedURL(raw), s.Path, err)
	}
	u.RawPath = escaped
	values := u.Query()
	for name, value := range s.Query {
		if !values.Has(name) {
			values[name] = value
		}
	}
	maps.Copy(values, query)
	u.RawQuery = values.Encode()
	return u, nil
}

// header is what every request carries: the user's own headers win.
func (s Shape) header(user http.Header, stream bool) http.Header {
	header := http.Header{"Content-Type": {"application/json"}}
	if stream {
		header.Set("Accept", "text/event-stream")
	}
	for _, more := range []http.Header{s.Header, user} {
		for name, values := range more {
			header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return header
}

// A Signer proves with each request who sends it. It adds headers to a request
// whose body is given, at the wall-clock time of the request. Calls are signed
// when they are prepared: hashing a long prompt must not delay its sending.
type Signer interface {
	Sign(r *http.Request, body []byte) error
}

// headerFor is the header of one call, signed where the target wants it, and the id of
// the trace in it.
func (c *Client) headerFor(call record.Call, body []byte) (http.Header, string, error) {
	u := c.urls[int(call.ID)%len(c.urls)]
	header, trace := c.traced(c.header, call)
	if c.cfg.Sign == nil && u.User == nil {
		return header, trace, nil
	}
	r := &http.Request{Method: http.MethodPost, URL: u, Host: u.Host, Header: header.Clone()}
	if user := u.User; user != nil && r.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	if c.cfg.Sign != nil {
		if err := c.cfg.Sign.Sign(r, body); err != nil {
			return nil, "", fmt.Errorf("sign call %d: %w", call.ID, err)
		}
	}
	return r.Header, trace, nil
}

// encode writes body with the user's extra fields merged in: theirs win, and an
// object of theirs is merged into ours, since most APIs keep their settings in
// one.
func encode(call record.Call, body map[string]any, ask Ask) ([]byte, error) {
	ask.adapt(body)
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode call %d: %w", call.ID, err)
	}
	return data, nil
}

func merge(into, from map[string]any) {
	for name, value := range from {
		ours, both := into[name].(map[string]any)
		theirs, isObject := value.(map[string]any)
		if both && isObject {
			merge(ours, theirs)
			continue
		}
		into[name] = value
	}
}

// decode reads the JSON of one event.
func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return &eventError{data, err}
	}
	return nil
}

// A pieceList collects the pieces of one event.
type pieceList []Piece

// answered begins the pieces of an answer with the error in it, if it holds one.
func answered(fault json.RawMessage) (s pieceList) {
	if present(fault) {
		s.fail(string(fault))
	}
	return s
}

// say adds text of a kind, unless there is none.
func (s *pieceList) say(kind record.ChunkKind, choice int32, text string) {
	if text != "" {
		*s = append(*s, Piece{Kind: kind, Choice: choice, Text: text})
	}
}

// show adds output that is not text.
func (s *pieceList) show(kind record.ChunkKind, choice int32) {
	*s = append(*s, Piece{Kind: kind, Choice: choice})
}

func (s *pieceList) finish(choice int32, reason string) {
	if reason != "" {
		*s = append(*s, Piece{Kind: record.Finish, Choice: choice, FinishReason: reason})
	}
}

func (s *pieceList) count(u Usage) {
	if u != (Usage{}) {
		*s = append(*s, Piece{Kind: record.Usage, Usage: &u})
	}
}

func (s *pieceList) fail(text string) {
	*s = append(*s, Piece{Kind: record.ErrorObj, Text: text})
}

func (s *pieceList) done() { *s = append(*s, Piece{Kind: record.DoneMark}) }

// pieces is what was collected, an event without anything being a blank one; id
// is the server's name for the answer.
func (s pieceList) pieces(id string) []Piece {
	if len(s) == 0 {
		s = pieceList{{Kind: record.Blank}}
	}
	s[0].ServerID = id
	return s
}

// isDone reports whether data is the mark that ends OpenAI's streams, which
// others have taken over.
func isDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }
