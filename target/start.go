package target

import "context"

// Start sends p, which was due at the stamp due, and returns. When the answer has
// ended, one way or another, done is called, once; never by the caller's goroutine.
// Where assay reads the answers itself, that is the thread that reads all of
// them, the moment the last byte has come: done must not block, and may start
// the next call.
func (c *Client) Start(ctx context.Context, p Prepared, due int64, done func(*Raw)) {
	if c.engine == nil {
		go func() { done(c.Do(ctx, p, due)) }() // ends with the answer, which done reports
		return
	}
	c.engine.start(ctx, p, &Raw{request: p.request(due), prompt: p.Call.Prompt}, done)
}

// Inline reports whether Start sends on the caller's goroutine and done is called by
// the reading thread. Otherwise each call has a goroutine, and whoever has one to
// spare does better to call Do on it.
func (c *Client) Inline() bool { return c.engine != nil }
