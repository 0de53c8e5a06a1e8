// Package trace reads recorded traffic: when requests came, how long they and
// their answers were, what they shared and what they waited for. Traces hold no
// prompts, or none that may be published; Prompts rebuilds some of the same
// lengths that share what the recorded ones shared.
//
// Times are kept as recorded: nothing is rescaled, and nothing is left out but
// what the format itself marks as no request. To add a format, write one file
// NAME.go with a Format, list it in All, and put a sample of your own making
// into testdata.
package trace

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"assay/record"
	"assay/spec"
)

// A Record is one request of a trace. Fields that a format does not have are
// empty.
type Record struct {
	ID      string        // unique within the trace
	At      time.Duration // when it came, from the trace's own zero
	Input   int32         // prompt tokens
	Output  int32         // answer tokens
	Failed  bool          // the recorded request got no answer
	Session string        // the conversation it belongs to
	Turn    int32         // its place in the conversation, as recorded

	// After names the requests of the session that ended before this one was
	// sent and that it may have waited for. Think is the pause between the last
	// of their ends and this request, less Tool, the time of tools in between.
	After []string
	Think time.Duration
	Tool  time.Duration

	Model  string
	Kind   string // as the format calls it, such as search
	Images int32

	// Blocks names the parts of the prompt, each of BlockTokens tokens but the
	// last. Two requests of one Scope that begin with the same names begin with
	// the same text. Blocks may cover the beginning of the prompt only.
	Blocks      []uint64
	BlockTokens int32
	Scope       string

	Text     string           // the prompt, in the few traces that hold it
	Messages []record.Message // or the conversation
}

// A Format is one way of writing a trace down.
type Format struct {
	Name string
	Doc  string
	read func(r io.Reader) ([]Record, error)
}

// All lists every format.
var All = []Format{
	mooncake,
	bailian,
	azure("2023", false),
	azure("2024", false),
	azure("2025", true),
	burstGPT,
	weka,
	openTelemetry,
}

// Read reads a trace in the named format. Records come in the order of their
// times; those of equal time keep the order of the file.
func Read(format string, r io.Reader) ([]Record, error) {
	i := slices.IndexFunc(All, func(f Format) bool { return f.Name == format })
	if i < 0 {
		var names []string
		for _, f := range All {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("trace format %q: want one of %s", format, strings.Join(names, ", "))
	}
	records, err := All[i].read(r)
	if err == nil {
		err = check(records)
	}
	if err != nil {
		return nil, fmt.Errorf("%s trace: %w", format, err)
	}
	slices.SortStableFunc(records, func(a, b Record) int { return cmp.Compare(a.At, b.At) })
	return records, nil
}

// maxTokens is as much as any model takes: a larger count is a fault, and a prompt of
// that length would fill the memory.
const maxTokens = spec.MaxTokens

// check refuses what no trace can mean.
func check(records []Record) error {
	if len(records) == 0 {
		return fmt.Errorf("no request")
	}
	ids := make(map[string]bool, len(records))
	for _, r := range records {
		if ids[r.ID] {
			return fmt.Errorf("request %s comes twice", r.ID)
		}
		ids[r.ID] = true
		if r.Input < 0 || r.Output < 0 || r.Images < 0 || r.Input > maxTokens || r.Output > maxTokens {
			return fmt.Errorf("request %s has %d tokens in, %d out, %d images: want 0 to %d", r.ID, r.Input, r.Output, r.Images, maxTokens)
		}
		if r.At < 0 || r.Think < 0 || r.Tool < 0 {
			return fmt.Errorf("request %s comes at %v after %v and %v: want no time below zero", r.ID, r.At, r.Think, r.Tool)
		}
		if covered := (len(r.Blocks) - 1) * int(r.BlockTokens); len(r.Blocks) > 0 && r.Text == "" && r.Messages == nil && covered >= int(r.Input) {
			return fmt.Errorf("request %s has %d blocks of %d tokens for %d tokens: want no more than fit", r.ID, len(r.Blocks), r.BlockTokens, r.Input)
		}
	}
	for _, r := range records {
		for _, before := range r.After {
			if !ids[before] {
				return fmt.Errorf("request %s follows %s, which the trace does not have", r.ID, before)
			}
		}
	}
	return nil
}

// span turns a number of units into a duration and refuses what is no time.
func span(number float64, unit time.Duration) (time.Duration, error) {
	d := math.Round(number * float64(unit))
	if math.IsNaN(d) || d < 0 || d > math.MaxInt64/2 {
		return 0, fmt.Errorf("%v is no time", number)
	}
	return time.Duration(d), nil
}
