package target

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// maxErrorText caps error texts in records: the whole page of a proxy's HTML
	// helps nobody.
	maxErrorText = 2000

	// maxQuoted caps what an error quotes of an event.
	maxQuoted = 80

	// maxSeen is how much of a text is looked at for secrets before it is cut. It is
	// far more than is kept, so that a secret which begins in what is kept also ends
	// in what is seen.
	maxSeen = 64 << 10
)

// An eventError is an event that cannot be read. It holds the event whole, so that
// secrets in it can be found before it is cut.
type eventError struct {
	event []byte
	err   error
}

func (e *eventError) Error() string { return e.quoting(func(text string) string { return text }) }

func (e *eventError) Unwrap() error { return e.err }

// quoting is the error with the beginning of the event, redacted.
func (e *eventError) quoting(redact func(string) string) string {
	seen := e.event[:min(len(e.event), maxSeen)]
	return fmt.Sprintf("event %.*q: %v", maxQuoted, redact(string(seen)), e.err)
}

// redact takes secrets out of what a server said, as Config.Redact does.
func (c *Client) redact(text string) string {
	if c.cfg.Redact == nil {
		return text
	}
	return c.cfg.Redact(text)
}

// quoted is what a server said, for a record: redacted first and then cut, since
// half of a secret is no longer recognised as one.
func (c *Client) quoted(text string) string {
	kept := c.redact(text[:min(len(text), maxSeen)])
	if len(kept) > maxErrorText || len(text) > maxSeen {
		kept = fmt.Sprintf("%s… (%d bytes)", kept[:min(len(kept), maxErrorText)], len(text))
	}
	return strings.ToValidUTF8(kept, "?")
}

// explained is err, which may quote the server, for a record.
func (c *Client) explained(err error) string {
	var event *eventError
	if errors.As(err, &event) {
		return c.quoted(event.quoting(c.redact)) // a decoder may quote more of it
	}
	return c.quoted(err.Error())
}
