// Package foreign reads what other tools have measured, so that old results can
// be looked at beside new ones. An Import says what the files say, in our words,
// and what they could not know; it judges nothing.
//
// To read one more tool, write one file NAME.go with one Tool, list it in All and
// put a real result of the tool into testdata/NAME.
package foreign

import (
	"time"

	"assay/bundle"
	"assay/record"
	"assay/spec"
)

// A Tool is a program whose results can be read.
type Tool struct {
	Name string // as on the command line, such as genai-bench
	Doc  string // what to pass: which files or folder of it

	// Claims reports whether path looks like a result of the tool. It is cheap
	// and looks at names and the first bytes only.
	Claims func(path string) bool

	// Read reads results: files or folders. The files of several repetitions of
	// one measurement become several launches.
	Read func(paths []string) (Import, error)
}

// An Import is what results say.
type Import struct {
	Source bundle.Source

	// Run is the question as far as the files tell it. It must be valid; its
	// points are replaced by those of the launches.
	Run spec.Run

	// Files are what was read. Write fills Source.Files with their digests and
	// keeps the small ones in the bundle.
	Files []File

	Started     time.Time // zero when the files do not tell
	Environment record.Environment
	Points      []Point  // in the order of the plan
	Launches    []Launch // at least one

	// Scores are the marks that the tool gave single answers, by the scorer that the run
	// names for them: the content of its file in the bundle.
	Scores map[string][]byte
}

// A Point is one level of load as the files name it.
type Point struct {
	Name        string // empty gets the name that a plan would give it
	Scenario    string // empty when the tool has none
	Concurrency int    // 0 when the loop was open, or unknown
	Rate        float64
	BatchSize   int
}

// A Launch is one repetition.
type Launch struct {
	Points []Measured

	// Asks are the questions of an evaluation, in the order of their numbers.
	Asks []record.Ask
}

// A Measured is what one launch says about one point. All its times count from
// the beginning of its window; those of a source that does not tell when requests
// were sent count from the send of each, as if all had been sent at once. The
// numbers of requests need to be unique in it and nowhere else.
//
// A source that tells the first token and no other part of an answer gives each
// request one Chunk, of the first token, and says bundle.GapChunks.
type Measured struct {
	Point       int           // index into Import.Points
	Duration    time.Duration // of the window
	Requests    []record.Request
	Chunks      []record.Chunk
	Collectives []record.Collective
	Samples     []record.Sample // from Lead before the window on
	Lead        time.Duration   // how long before the window the first sample was read
	Reported    []record.Reported

	// Stated is what the files say beside the requests; Write gives it its launch
	// and its point.
	Stated bundle.Stated
}
