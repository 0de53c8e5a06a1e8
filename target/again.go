package target

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"assay/record"
)

// refusedPause is how long a user who found no server waits before asking again.
// A dead server refuses a connection in microseconds: without a pause eight users
// made nine thousand failures in a second, and the share of errors only said how fast
// this client is and not how long the server was gone.
const refusedPause = 100 * time.Millisecond

// staleWithin is how soon after the send the end of a connection means that the server
// had closed it beforehand: the news takes one way through the network, and a server
// that reads a request and then fails is given no second chance after that.
const staleWithin = time.Second

// stale reports whether err at the stamp now says that the server had closed a kept
// connection when the request was sent on it. Some close after every answer and do
// not say so (llama.cpp): a third of the next requests ran into that. Such a request
// was not seen by anybody and is sent once more, on a new connection; its latency
// counts from the first send, and its record is flagged "resent".
func (r *Raw) stale(err error, now int64) bool {
	return !r.resent && r.phases.newConnections.Load() == 0 && time.Duration(now-r.request.Sent) <= staleWithin && closedByServer(err)
}

// closedByServer reports whether err is the end of a connection from the other side.
func closedByServer(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http's words, which have no type
}

// Again is the stamp from which whoever made the call may make another: when its
// end was known, and later where there was no connection. Without a [DONE] line the
// last byte of an answer does not say that it is the last, and some servers take a
// millisecond more to say so: that wait is theirs, not the client's lag.
func (r *Raw) Again() int64 {
	if r.err != nil && transportOutcome(r.err) == record.Connect {
		return r.Done + int64(refusedPause)
	}
	return max(r.Done, r.over)
}
