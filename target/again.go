package target

import (
	"time"

	"assay/record"
)

// refusedPause is how long a user who found no server waits before asking again.
// A dead server refuses a connection in microseconds: without a pause eight users
// made nine thousand failures in a second, and the share of errors told how fast
// this client is and not how long the server was gone.
const refusedPause = 100 * time.Millisecond

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
