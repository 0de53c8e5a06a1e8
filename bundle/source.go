package bundle

import "slices"

// A Source is the tool whose results a bundle repeats: assay has measured
// nothing of it, and knows no more than the tool wrote down.
type Source struct {
	Tool    string   `json:"tool"`              // such as genai-bench
	Version string   `json:"version,omitempty"` // as the files say it
	Files   []Input  `json:"files,omitempty"`   // what was read, by digest
	Unknown []Gap    `json:"unknown,omitempty"` // what the files do not tell
	Notes   []string `json:"notes,omitempty"`   // what was computed anew, and what is known to be wrong
	Stated  []Stated `json:"stated,omitempty"`  // what the files say beside their requests
}

// A Stated is what the files of a source say about one point of one launch beside
// its single requests: what the tool was asked for, and what it says that it did.
// Judging code holds it against the requests. Zero means that the files do not tell.
type Stated struct {
	Launch int    `json:"launch"`
	Point  int    `json:"point"`
	File   string `json:"file"` // that says so

	AskedRequests float64 `json:"askedRequests,omitempty"`
	AskedInput    float64 `json:"askedInputTokens,omitempty"`  // of a prompt, on average
	AskedOutput   float64 `json:"askedOutputTokens,omitempty"` // of an answer, on average

	Completed  float64 `json:"completed,omitempty"`  // successful requests that its rates rest on
	Statistics float64 `json:"statistics,omitempty"` // requests that its latencies rest on
	Seconds    float64 `json:"seconds,omitempty"`    // of the window that its rates are over

	// What the name of the file says.
	NamedSeconds     float64 `json:"namedSeconds,omitempty"`
	NamedConcurrency float64 `json:"namedConcurrency,omitempty"`
	NamedRate        float64 `json:"namedRate,omitempty"`
}

// A Gap is one thing that a source does not tell.
type Gap struct {
	ID     string `json:"id"`
	Detail string `json:"detail"` // what the tool does instead, and what follows
}

// The gaps that judging code knows. All times of a source without GapSendTimes
// are counted from the send of the request that they belong to.
const (
	GapSendTimes  = "send_times"   // when requests were sent: no time series, no steady state, no time in flight
	GapTimes      = "times"        // how long requests took: no latency and no rate
	GapDueTimes   = "due_times"    // when requests were due: latency is counted from the send
	GapChunks     = "chunks"       // when the parts of an answer arrived: no gaps between tokens
	GapRequests   = "requests"     // single requests: only summaries, as the tool computed them
	GapReplicates = "replicates"   // repeated launches: no interval
	GapRetries    = "retries"      // requests that were sent again in silence
	GapErrors     = "errors"       // requests that failed
	GapWarmup     = "warmup"       // which requests were a warm-up
	GapTokens     = "token_source" // who counted the tokens
	GapClient     = "client"       // whether the client was the limit, and its own error
	GapHost       = "environment"  // the machine, its software and versions
	GapSeed       = "seed"         // what would make the requests again
	GapServer     = "server"       // what the server says about itself
)

// Unknown reports whether the bundle repeats a source that does not tell id.
func (m Manifest) Unknown(id string) bool {
	return m.Source != nil && slices.ContainsFunc(m.Source.Unknown, func(g Gap) bool { return g.ID == id })
}

// SetSource records whose results the bundle repeats.
func (w *Writer) SetSource(source Source) error {
	return w.set(func(m *Manifest) error {
		clean, err := cleaned[Source](w.redactor, "source", source)
		m.Source = &clean
		return err
	})
}
