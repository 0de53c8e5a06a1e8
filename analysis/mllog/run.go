package mllog

import (
	"fmt"
	"slices"
	"time"
)

// A Run is what one log says.
type Run struct {
	File      string   `json:"file"`
	Benchmark string   `json:"benchmark,omitempty"`
	Org       string   `json:"organisation,omitempty"`
	Platform  string   `json:"platform,omitempty"`
	Division  string   `json:"division,omitempty"`
	Start     int64    `json:"startMs"`
	Seconds   float64  `json:"seconds"` // from run_start to run_stop
	Converged bool     `json:"converged"`
	Batch     float64  `json:"globalBatchSize,omitempty"`
	Samples   float64  `json:"samples,omitempty"`  // at the last evaluation
	Accuracy  float64  `json:"accuracy,omitempty"` // of the last evaluation
	Init      float64  `json:"initSeconds"`        // from init_start to init_stop
	Seed      float64  `json:"seed,omitempty"`
	Digest    string   `json:"digest,omitempty"` // of the file; empty for events from elsewhere
	Faults    []string `json:"faults,omitempty"` // rules that the log breaks

	print fingerprint
}

// once are the keys that a log has exactly once, and some those that it has at
// least once.
var (
	once = []string{"submission_org", "submission_platform", "submission_division", "init_stop", "run_start", "run_stop", "train_samples", "eval_samples"}
	some = []string{"cache_clear", "init_start", "eval_start", "eval_stop", "eval_accuracy"}
)

// The longest initialisation that is not counted, by division.
var longestInit = map[string]time.Duration{"closed": 30 * time.Minute, "open": 240 * time.Minute}

// RunOf is what the events of one log say; false for a log that is no run, such as
// those beside a power measurement.
func RunOf(file string, events []Event) (Run, bool) {
	r := Run{File: file}
	count, at := map[string]int{}, map[string]int64{}
	for _, e := range events {
		if count[e.Key]++; count[e.Key] == 1 || e.Key == "run_stop" {
			at[e.Key] = e.TimeMS
		}
		r.see(e)
	}
	if count["run_start"] == 0 || count["run_stop"] == 0 {
		return r, false
	}
	r.Start = at["run_start"]
	r.Seconds = float64(at["run_stop"]-at["run_start"]) / 1e3
	r.Init = float64(at["init_stop"]-at["init_start"]) / 1e3
	r.print = fingerprintOf(events, r.Start)
	r.check(count, at)
	if r.Seconds <= 0 {
		r.Converged = false // no time is a result
	}
	return r, true
}

// see takes over what one event says.
func (r *Run) see(e Event) {
	text, _ := e.Value.(string)
	number, _ := e.Value.(float64)
	switch e.Key {
	case "submission_benchmark":
		r.Benchmark = text
	case "submission_org":
		r.Org = text
	case "submission_platform":
		r.Platform = text
	case "submission_division":
		r.Division = text
	case "global_batch_size":
		r.Batch = number
	case "seed":
		r.Seed = number
	case "eval_accuracy":
		r.Accuracy = number
		for _, key := range []string{"samples_count", "epoch_num"} {
			if v, ok := e.Metadata[key].(float64); ok {
				r.Samples = v
				break
			}
		}
	case "run_stop":
		r.Converged = e.Metadata["status"] == "success"
	}
}

// check looks for what the rules ask of every log.
func (r *Run) check(count map[string]int, at map[string]int64) {
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }
	for _, key := range once {
		if count[key] != 1 {
			fault("%s stands %d times, want once", key, count[key])
		}
	}
	for _, key := range some {
		if count[key] == 0 {
			fault("%s is missing", key)
		}
	}
	if count["block_start"]+count["epoch_start"] == 0 {
		fault("neither block_start nor epoch_start is there")
	}
	order := []string{"init_start", "init_stop", "run_start", "run_stop"}
	times := []int64{}
	for _, key := range order {
		if count[key] > 0 {
			times = append(times, at[key])
		}
	}
	if !slices.IsSorted(times) {
		fault("want init_start, init_stop, run_start and run_stop in this order")
	}
	if r.Seconds <= 0 {
		fault("run_stop comes %.3f s after run_start, want it later", r.Seconds)
	}
	if most, known := longestInit[r.Division]; known && r.Init > most.Seconds() {
		fault("initialisation took %.0f s, in division %s at most %.0f", r.Init, r.Division, most.Seconds())
	}
	if r.Division != "" && longestInit[r.Division] == 0 {
		fault("division %q: want closed or open", r.Division)
	}
}
