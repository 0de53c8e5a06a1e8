package sim

import "time"

// A style is how one answer is put on the wire. The zero value is the plain
// answer: one event for each token, the finish reason in the last of them, then
// the usage if it was asked for, then [DONE].
//
// A fault of the kind that spoils an answer sets fields of it; several faults
// add up.
type style struct {
	// What the events say.
	delta      deltaWriter   // nil says content
	words      []string      // nil means words
	finish     string        // replaces the finish reason when not empty
	role       bool          // a role event at once
	blanks     bool          // empty and null deltas between tokens
	usage      usagePlace    // where the usage stands
	usageExtra int           // added to completion_tokens
	group      int           // tokens to an event; 0 means the server's setting
	thinking   bool          // delta writes the first half as reasoning
	mix        bool          // hold the last token of reasoning for the next event
	halves     bool          // each token over two events
	badEvent   bool          // an event of invalid JSON in the middle
	padding    int           // bytes of filler in the first event
	lateUsage  time.Duration // between the last token and the tail
	twin       bool          // at least two choices

	// How much is said.
	length func(n int) int // replaces the number of tokens
	mute   bool            // no token is sent
	fail   string          // an error object, with this code, ends the stream
	noEnd  bool            // no finish reason
	noDone bool            // no [DONE]

	// How an event is framed, and what stands beside it.
	frame     func(dst, payload []byte, seq int) []byte // nil means plainFrame
	preamble  string                                    // before the first event
	keepAlive bool                                      // comments between events
	after     string                                    // after [DONE]

	// How framed bytes travel.
	encoding string                   // "gzip", "deflate"
	cuts     func(event []byte) []int // transfer-chunk ends inside an event
	apart    bool                     // every transfer chunk is a write of its own
	gap      time.Duration            // between those writes
	drip     bool                     // only the first event is cut
	merge    int                      // events to a write; 0 means 1
	stall    time.Duration            // in the middle of the stream
	goAway   bool                     // GOAWAY in the middle of the stream

	// The HTTP answer around it.
	unary    bool // a JSON answer though a stream was asked
	early    bool // head and a first event before the body is read
	raw      bool // no transfer coding: the end of the connection is the end
	http10   bool
	slowHead time.Duration // between the bytes of the head
	ending   connectionEnd
}

// A usagePlace says where the usage object stands in a stream.
type usagePlace int

const (
	usageAsked   usagePlace = iota // in an event of its own, if the client asked
	usageOwn                       // in an event of its own, asked or not
	usageFinish                    // in the event with the finish reason
	usageEvery                     // in every event, counting up
	usageNull                      // null in every event
	usageMissing                   // nowhere
)

// A connectionEnd is what happens to the connection after the answer.
type connectionEnd int

const (
	endKeep      connectionEnd = iota // the next request may follow
	endIdleClose                      // closed though it was promised to stay open
	endCut                            // closed inside the last event
	endReset                          // reset by RST inside the last event
	endAbort                          // reset between events
	endGoAway                         // the whole connection given up between events
	endOpen                           // body not ended for a while after [DONE]
)
