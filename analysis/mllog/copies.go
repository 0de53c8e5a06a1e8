package mllog

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
)

// A Copy is a log that holds a run which another one holds already: one run is one
// result, however often it was written down.
type Copy struct {
	File string `json:"file"`
	Of   string `json:"of"`
	Why  string `json:"why"`
}

// A fingerprint is what a run did and when, counted from its start: the same for a
// log whose clock was moved or whose other lines were changed.
type fingerprint struct {
	sum     [sha256.Size]byte
	moments int // different times of its events
}

// leastMoments is from how many different times on, to the millisecond, two runs
// cannot have the same by accident.
const leastMoments = 10

func fingerprintOf(events []Event, start int64) fingerprint {
	type moment struct {
		After int64 // ms
		Key   string
		Value any
	}
	var list []moment
	times := map[int64]bool{}
	for _, e := range events {
		list = append(list, moment{e.TimeMS - start, e.Key, e.Value})
		times[e.TimeMS] = true
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.Key, b.Key)) })
	text, err := json.Marshal(list)
	if err != nil {
		return fingerprint{} // of nothing: it equals no other
	}
	return fingerprint{sha256.Sum256(text), len(times)}
}

// distinct takes out of runs what repeats one before it.
func distinct(runs []Run) (kept []Run, copies []Copy) {
	for _, r := range runs {
		why := ""
		at := slices.IndexFunc(kept, func(other Run) bool {
			why = r.repeats(other)
			return why != ""
		})
		if at < 0 {
			kept = append(kept, r)
		} else {
			copies = append(copies, Copy{r.File, kept[at].File, why})
		}
	}
	return kept, copies
}

// repeats says why the run is one with another; empty when it is not.
func (r Run) repeats(other Run) string {
	switch same := r.print == other.print && r.print != (fingerprint{}); {
	case r.Digest != "" && r.Digest == other.Digest:
		return "the files are the same, byte for byte"
	case same && r.Start == other.Start:
		return "it has the same events at the same times"
	case same && r.print.moments >= leastMoments:
		return fmt.Sprintf("it has the same events, to the millisecond, at %d times after another start", r.print.moments)
	case r.Start == other.Start && r.Seconds == other.Seconds && r.Seed == other.Seed && r.Accuracy == other.Accuracy && r.Samples == other.Samples:
		return "it began and ended in the same millisecond with the same seed and accuracy"
	}
	return ""
}
