package target

import (
	"errors"

	"assay/record"
)

// ErrNoRoom is why a call was dropped: as many were in flight as the plan
// allows.
var ErrNoRoom = errors.New("no room: the most requests in flight were reached")

// ErrGivenUp is the cancellation cause of requests that the plan gives up on
// purpose. Such a request is neither a success nor a failure.
var ErrGivenUp = errors.New("given up on purpose")

// Unsent is the exchange of a call that was never sent: it was due, and at the
// stamp at it was settled that it would not go out, because of err.
func Unsent(p Prepared, due, at int64, err error) *Raw {
	raw := &Raw{request: p.request(due)}
	raw.request.Sent = at
	raw.fail(at, err)
	return raw
}

// request is what is known of p's record before it is sent.
func (p Prepared) request(due int64) record.Request {
	return record.Request{
		ID: p.Call.ID, Point: p.Call.Point, Phase: p.Call.Phase, Shard: p.Call.Shard, User: p.Call.User, Due: due,
		AskedInput: p.Call.InputTokens, AskedOutput: p.Call.OutputTokens,
		PromptHash: p.hash, Stamps: ReadNetHTTP, TraceID: p.trace, Ask: p.Call.Ask,
	}
}
