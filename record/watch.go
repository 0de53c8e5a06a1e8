package record

import "time"

// A Sample is one reading of one gauge or counter beside the run: one row of
// the table samples.
type Sample struct {
	At     int64    `parquet:"at_ns,delta"` // when it was read
	Source string   `parquet:"source,dict"` // host, client, gpu, server
	Name   string   `parquet:"name,dict"`   // such as cpu.psi.some.avg10
	Scope  string   `parquet:"scope,dict"`  // gpu uuid, rank, node, pod; empty for the whole
	Value  *float64 `parquet:"value"`       // null when it could not be read
	Unit   string   `parquet:"unit,dict"`   // of the value
}

// An Event is something that happened once: one row of the table events.
type Event struct {
	At     int64  `parquet:"at_ns,delta"` // when it happened
	Name   string `parquet:"name,dict"`   // such as point.begin, window.begin, server.ready
	Point  int32  `parquet:"point,delta"` // index into the plan's points; -1 outside of one
	Detail string `parquet:"detail,zstd"` // what a person should know about it
}

// The events that bound a point of a launch and its measured window. Those who
// record them and those who read them meet only here.
const (
	PointBegin  = "point.begin"
	WindowBegin = "window.begin"
	WindowEnd   = "window.end"
	PointEnd    = "point.end"

	// WindowCollector says, at the end of a measured window, what the client's garbage
	// collector did in it: a Collector.
	WindowCollector = "window.collector"

	// ClientReading says, at the beginning of a launch, how answers are read: a Reading.
	ClientReading = "client.reading"

	// PromptsAsked says, at the beginning of a launch, that an earlier run sent its prompts to the
	// same running server: an Asked.
	PromptsAsked = "prompts.asked"

	// ConnectionsCold says that connections could not be opened ahead of a point.
	ConnectionsCold = "connections.cold"

	// RequestFailed tells of the first request of a point that ended in each way
	// that counts against the system.
	RequestFailed = "request.failed"

	// PointBalance says, after a point, what became of every call begun in it.
	PointBalance = "point.balance"

	// ProbeBalance says the same of the probes sent beside it.
	ProbeBalance = "probe.balance"
)

// A Reading is how a launch reads its answers, as an event tells it.
type Reading struct {
	Readers    int    `json:"readers"` // threads of assay's own; 0 where net/http reads
	Spin       bool   `json:"spin"`    // they wait awake
	Why        string `json:"why"`     // what decided that
	Processors int    `json:"processors"`
}

// Asked is an earlier run that sent the prompts of a launch to the same address, as an event
// tells it.
type Asked struct {
	Run string    `json:"run"` // its id
	At  time.Time `json:"at"`  // when it began
}

// A Collector is what the client's garbage collector did in a measured window, as an
// event tells it.
type Collector struct {
	Collections  int64   `json:"collections"`
	LongestPause float64 `json:"longestPauseSeconds"` // of the whole program, at most
	BudgetBytes  int64   `json:"budgetBytes"`         // how much it might grow before it had to run; 0 means that it ran as it liked
}

// The events of a server that was started in the launch, in order.
const (
	ServerStart     = "server.start"
	ServerListening = "server.listening" // its port is open
	ServerReady     = "server.ready"     // it says so itself
	ColdSent        = "cold.sent"        // the first request
	ColdToken       = "cold.first_token" // of the first request
	ColdDone        = "cold.done"        // the first request has ended
	// PointSaturated says that the queue of an open point grew without bound, with
	// the evidence.
	PointSaturated = "point.saturated"

	// SearchStep is what a probe of a search said and what it led to.
	SearchStep = "search.step"
)

// TargetNote is what a target taught before the run, such as a field that it refuses
// and that is not sent.
const TargetNote = "target.note"

// The events of ranks. The detail of RankCheck is a Check as JSON, that of the
// others is text.
const (
	RankCheck      = "rank.check"      // what comparing a rank's results with a reference said
	RankNote       = "rank.note"       // what a rank wants a person to know
	WorldAsked     = "world.asked"     // its ranks were asked for: the launcher begins to start them
	WorldFailed    = "world.failed"    // a rank died, hung or was cut off; says which and why
	WorldRestarted = "world.restarted" // its ranks were started again
)

// A Check is one comparison of a rank's results with a reference: the detail of an
// event RankCheck.
type Check struct {
	Rank     int      `json:"rank"`
	Point    int      `json:"point"`
	Name     string   `json:"name"` // reference_loss, reference_gradients, reference_parameters, flop_count, parameters
	Value    *float64 `json:"value,omitempty"`
	Expected *float64 `json:"expected,omitempty"`
	Error    *float64 `json:"error,omitempty"` // relative, the largest
	Noise    *float64 `json:"noise,omitempty"` // what adding in another order alone makes
	Passed   bool     `json:"passed"`
	Text     string   `json:"text,omitempty"`
}
