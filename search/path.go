package search

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// Version is the version of the format of search.json.
const Version = "1.0"

// File is what the path of a launch is called in its folder.
const File = "search.json"

// A Path is every probe of one launch and what came of them.
type Path struct {
	Version string `json:"version"`
	Steps   []Step `json:"steps"`
	Answer  Answer `json:"answer"`
}

// A Step is one probe.
type Step struct {
	Point    int        `json:"point"` // of the plan
	Load     float64    `json:"load"`  // requests per second or users
	Round    int        `json:"round"` // how often the level was probed, this one included
	Evidence []Evidence `json:"evidence"`

	// Saturated says that the queue grew without bound: a level at which it does
	// holds nothing for long, whatever the first requests saw.
	Saturated bool `json:"saturated,omitempty"`

	Verdict Verdict  `json:"verdict"`
	Next    *float64 `json:"next"` // the load tried after this; null at the end
}

// A Walk goes along a path, probe by probe.
type Walk struct {
	rule   plan.Search
	search *Search
	level  int
	round  int // of the probe under way, from 0
	sample *Sample
	path   Path
}

// NewWalk stands before the first probe.
func NewWalk(rule plan.Search) *Walk {
	w := &Walk{rule: rule, search: New(rule), path: Path{Version: Version}}
	w.level, _ = w.search.Next()
	w.sample = NewSample(rule)
	return w
}

// Point is the index of the point to run now.
func (w *Walk) Point() int { return w.rule.PointOf(w.level, w.round) }

// Sample takes the requests of the probe under way.
func (w *Walk) Sample() *Sample { return w.sample }

// Step ends the probe under way: it decides about the level, or that it takes
// another round, and moves on. Stop is a reason of the caller's to make no
// further probe, or empty. More is false when the search is over; the answer is
// then in Path.
func (w *Walk) Step(saturated bool, stop End) (step Step, more bool) {
	step = Step{Point: w.Point(), Load: w.rule.Levels[w.level], Round: w.round + 1, Saturated: saturated}
	step.Verdict, step.Evidence = w.sample.Judge()
	if saturated {
		step.Verdict = Fails
	}
	if stop == "" && len(w.path.Steps)+1 == w.rule.Probes {
		stop = OutOf
	}
	if step.Verdict == Undecided && w.round+1 < w.rule.Rounds && stop == "" {
		w.round++
		more = true
	} else {
		w.search.Learn(w.level, step.Verdict, leans(step.Evidence))
		w.level, more = w.search.Next()
		w.round, w.sample = 0, NewSample(w.rule)
	}
	if !more {
		stop = "" // it ended by itself
	}
	more = more && stop == ""
	if more {
		step.Next = &w.rule.Levels[w.level]
	}
	w.path.Steps = append(w.path.Steps, step)
	w.path.Answer = w.search.Answer(stop)
	return step, more
}

// Path is the way so far.
func (w *Walk) Path() Path { return w.path }

// Read returns the path that a launch of b took.
func Read(b *bundle.Bundle, launch int) (Path, error) {
	data, err := b.ReadFile(fmt.Sprintf("raw/launch-%02d/%s", launch, File))
	if err != nil {
		return Path{}, err
	}
	var p Path
	if err := json.Unmarshal(data, &p); err != nil {
		return Path{}, fmt.Errorf("launch %d: %s: %w", launch+1, File, err)
	}
	return p, nil
}

// Replay makes every decision of a launch again from its records and reports the
// first that differs from the path that was taken.
func Replay(b *bundle.Bundle, rule plan.Search, launch int, taken Path) error {
	chunks, err := outputs(b, launch)
	if err != nil {
		return err
	}
	requests := map[int32][]record.Request{}
	for r, err := range bundle.Rows[record.Request](b, launch, bundle.Requests) {
		if err != nil {
			return err
		}
		requests[r.Point] = append(requests[r.Point], r)
	}
	w := NewWalk(rule)
	for i, step := range taken.Steps {
		if w.Point() != step.Point {
			return fmt.Errorf("step %d of the search ran point %d, the records lead to point %d", i+1, step.Point, w.Point())
		}
		for _, r := range requests[int32(step.Point)] {
			w.Sample().Add(&r, chunks[r.ID])
		}
		var stop End
		if i+1 == len(taken.Steps) && taken.Answer.End == TimeUp {
			stop = TimeUp
		}
		if again, _ := w.Step(step.Saturated, stop); !reflect.DeepEqual(again, step) {
			return fmt.Errorf("step %d of the search at load %g was %q, the records say %q", i+1, step.Load, step.Verdict, again.Verdict)
		}
	}
	if got := w.Path().Answer; !reflect.DeepEqual(got, taken.Answer) {
		return fmt.Errorf("the search answered %s, the records say %s", taken.Answer, got)
	}
	return nil
}

// outputs reads, for each request, the first and the last chunk that carried
// output. Objectives look at no other, and all of a launch may be too many.
func outputs(b *bundle.Bundle, launch int) (map[int64][]record.Chunk, error) {
	type ends struct {
		first, last int64 // rows of the table
		chunks      [2]record.Chunk
	}
	found := map[int64]*ends{}
	var mu sync.Mutex
	err := b.Pieces(launch, runtime.GOMAXPROCS(0), func(_ int, p bundle.Piece) error {
		first := slices.IndexFunc(p.Rows, func(c record.Chunk) bool { return c.Kind.Output() })
		if first < 0 {
			return nil
		}
		last := len(p.Rows) - 1
		for !p.Rows[last].Kind.Output() {
			last--
		}
		mu.Lock()
		defer mu.Unlock()
		e := found[p.Rows[first].Request]
		if e == nil {
			e = &ends{first: math.MaxInt64, last: -1}
			found[p.Rows[first].Request] = e
		}
		if at := p.Place + int64(first); at < e.first {
			e.first, e.chunks[0] = at, p.Rows[first]
		}
		if at := p.Place + int64(last); at > e.last {
			e.last, e.chunks[1] = at, p.Rows[last]
		}
		return nil
	})
	chunks := make(map[int64][]record.Chunk, len(found))
	for id, e := range found {
		chunks[id] = e.chunks[:]
	}
	return chunks, err
}

// String is the answer in a sentence.
func (a Answer) String() string { return a.Sentence("load", "") }

// Sentence is the answer for a kind of load, such as "rate" in "/s".
func (a Answer) Sentence(kind, unit string) string {
	show := func(load *float64) string {
		if load == nil {
			return "none"
		}
		return fmt.Sprintf("%g%s", *load, unit)
	}
	text := fmt.Sprintf("highest %s shown to hold: %s, lowest shown to fail: %s", kind, show(a.Holds), show(a.Fails))
	for i, load := range a.Undecided {
		if i == 0 {
			text += "; tried and undecided:"
		} else {
			text += ","
		}
		text += fmt.Sprintf(" %g%s", load, unit)
	}
	switch a.End {
	case AllHold:
		text += "; the highest level tried holds: raise search.max to learn more"
	case NoneHolds:
		text += "; not even the lowest level was shown to hold: lower search.min or measure longer"
	case OutOf:
		text += "; ended by search.probes before the resolution was reached"
	case TimeUp:
		text += "; ended by search.time before the resolution was reached"
	}
	return text
}
