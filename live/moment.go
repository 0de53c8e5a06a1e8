package live

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"assay/plan"
	"assay/run/watch"
)

// A Moment is a run at one moment as programs read it: a line of --progress json, and
// what a server tells of a run that it carries out. Figures are of the moment, without
// intervals; what is not known is null.
type Moment struct {
	At       time.Time `json:"at"`
	Name     string    `json:"name"`
	Stage    string    `json:"stage"`
	Seconds  float64   `json:"seconds"` // since the run began
	Launch   int       `json:"launch"`  // from 1
	Launches int       `json:"launches"`
	Side     string    `json:"side,omitempty"`
	Point    string    `json:"point,omitempty"`

	Share *float64 `json:"share"` // of the run, 0 to 1
	Left  *float64 `json:"left"`  // seconds

	Requests int64    `json:"requests"`
	Failed   int64    `json:"failed"`
	InFlight int64    `json:"inFlight"`
	Achieved *float64 `json:"achieved"` // answers in a second, over the last ten
	Tokens   *float64 `json:"tokens"`   // output tokens in a second, over the last ten

	TTFT *float64 `json:"ttftP50"` // seconds
	Tail *float64 `json:"ttftP99"` // seconds
	E2E  *float64 `json:"e2eP50"`  // seconds

	// Client says why the client, and not the system, is the limit; empty where it is not.
	Client string `json:"client,omitempty"`
}

// momentOf makes a moment of what was counted.
func momentOf(s watch.Snapshot, now time.Time) Moment {
	m := Moment{
		At: now.UTC(), Name: s.Name, Stage: string(s.Stage), Seconds: s.Elapsed.Seconds(), Launch: s.Launch, Launches: s.Launches, Side: s.Side,
		Requests: s.Requests, Failed: s.Failed, InFlight: s.InFlight, Achieved: known(s.Achieved), Tokens: known(s.OutputTokens),
		TTFT: known(s.TTFT.P50), Tail: known(s.TTFT.P99), E2E: known(s.E2E.P50),
	}
	if s.Number > 0 && loaded(s.Stage) {
		m.Point = s.Point.Name
	}
	if s.RunProgress.Known {
		m.Share, m.Left = known(s.RunProgress.Share), known(s.RunProgress.Left.Seconds())
	}
	if loaded(s.Stage) && s.Point.Kind() == plan.KindServing {
		if h := healthNow(s); len(h.own) > 0 {
			m.Client = h.own[0]
		}
	}
	return m
}

// known is a figure, or nil where it is none.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// tell writes a moment as a line in every interval until Stop.
func (w *Watch) tell() {
	tick := time.NewTicker(w.opts.Interval)
	defer tick.Stop()
	for {
		select {
		case <-w.end:
			return
		case now := <-tick.C:
			if data, err := json.Marshal(momentOf(w.Live.Snapshot(), now)); err == nil { // numbers that are none are nil
				fmt.Fprintf(w.opts.Out, "%s\n", data)
			}
		}
	}
}
