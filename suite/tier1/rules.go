package tier1

import (
	"fmt"
	"math"
	"slices"

	"assay/stats"
)

// The thresholds of the reference.
const (
	relative   = .05 // of a speed-up, a time or a size
	leastMS    = .05 // of an optimized time
	leastPoint = 5   // percentage points of memory savings
)

// A Change is one rule that fired between two runs.
type Change struct {
	Key    string   `json:"key"`
	Rule   string   `json:"rule"` // status, speedup, memory_savings, optimized_latency or optimized_memory
	Before *float64 `json:"before,omitempty"`
	After  *float64 `json:"after,omitempty"`
	Text   string   `json:"text"`

	// Apart says that the intervals of the two runs do not meet: the change is more
	// than the spread of launches. Null when one has no interval.
	Apart *bool `json:"intervals_apart"`

	Suppressed string `json:"suppression_reason,omitempty"`
}

// A Comparison is a run against the last accepted one: regression_summary.json.
type Comparison struct {
	RunID        string   `json:"run_id"`
	Against      string   `json:"against,omitempty"`
	Regressions  []Change `json:"regressions"`
	Suppressed   []Change `json:"suppressed_regressions"`
	Improvements []Change `json:"improvements"`
	New          []string `json:"new_targets"`
	Missing      []string `json:"missing_targets"`
	Warnings     []string `json:"warnings,omitempty"`
}

// Uncompared is the comparison of a run with nothing.
func Uncompared(runID string) Comparison {
	return Comparison{RunID: runID, Regressions: []Change{}, Suppressed: []Change{}, Improvements: []Change{}, New: []string{}, Missing: []string{}}
}

// Compare holds a run against an earlier one.
func Compare(before, after Summary) (Comparison, error) {
	out := Uncompared(after.RunID)
	out.Against = before.RunID
	if before.SuiteName != after.SuiteName || before.SuiteVersion != after.SuiteVersion {
		return out, fmt.Errorf("%s version %d and %s version %d cannot be compared", before.SuiteName, before.SuiteVersion, after.SuiteName, after.SuiteVersion)
	}
	if before.Device != after.Device {
		return out, fmt.Errorf("a run on %s and one on %s cannot be compared", before.Device, after.Device)
	}
	find := func(s Summary, key string) (Result, bool) {
		i := slices.IndexFunc(s.Targets, func(r Result) bool { return r.Key == key })
		if i < 0 {
			return Result{}, false
		}
		return s.Targets[i], true
	}
	for _, now := range after.Targets {
		was, ok := find(before, now.Key)
		if !ok {
			out.New = append(out.New, now.Key)
			continue
		}
		worse, better := changes(was, now)
		out.Regressions, out.Improvements = append(out.Regressions, worse...), append(out.Improvements, better...)
	}
	for _, was := range before.Targets {
		if _, ok := find(after, was.Key); !ok {
			out.Missing = append(out.Missing, was.Key)
		}
	}
	return out, nil
}

// changes are the rules that fire between two results of one target.
func changes(was, now Result) (worse, better []Change) {
	if was.Status != now.Status && (was.Status == Succeeded || now.Status == Succeeded) {
		c := Change{Key: now.Key, Rule: "status", Text: fmt.Sprintf("%s before, %s now: %s", was.Status, now.Status, now.Reason)}
		if was.Status == Succeeded {
			return []Change{c}, nil
		}
		return nil, []Change{c}
	}
	if now.Status != Succeeded {
		return nil, nil
	}
	add := func(rule string, a, b *float64, gotWorse bool, text string) {
		c := Change{Key: now.Key, Rule: rule, Before: a, After: b, Text: text, Apart: apart(was.Interval, now.Interval)}
		if gotWorse {
			worse = append(worse, c)
		} else {
			better = append(better, c)
		}
	}
	if a, b := was.Optimized, now.Optimized; a != nil && b != nil {
		moved := math.Abs(*b-*a) >= leastMS
		if s, n := was.Speedup, now.Speedup; s != nil && n != nil && moved && math.Abs(*n / *s - 1) >= relative {
			add("speedup", s, n, *n < *s, fmt.Sprintf("speed-up %.3g before, %.3g now", *s, *n))
		}
		if math.Abs(*b / *a - 1) >= relative {
			add("optimized_latency", a, b, *b > *a, fmt.Sprintf("%.4g ms before, %.4g ms now: %+.3g %%", *a, *b, 100*(*b / *a - 1)))
		}
	}
	if a, b := was.MemorySavings, now.MemorySavings; now.Goal == "memory" && a != nil && b != nil && math.Abs(*b-*a) >= leastPoint {
		add("memory_savings", a, b, *b < *a, fmt.Sprintf("savings %.3g %% before, %.3g %% now", *a, *b))
	}
	if a, b := was.MemoryMB, now.MemoryMB; a != nil && b != nil && math.Abs(*b / *a - 1) >= relative {
		add("optimized_memory", a, b, *b > *a, fmt.Sprintf("%.4g MB before, %.4g MB now", *a, *b))
	}
	return worse, better
}

// apart says whether two intervals have no value in common.
func apart(a, b *stats.Interval) *bool {
	if a == nil || b == nil || !a.Bounded() || !b.Bounded() {
		return nil
	}
	yes := a.Hi < b.Lo || b.Hi < a.Lo
	return &yes
}

// Settle keeps the losses of speed-up that a second measurement shows again, and
// moves the others to the suppressed ones.
func (c *Comparison) Settle(before Summary, again map[string]Result) {
	var kept []Change
	for _, change := range c.Regressions {
		now, rechecked := again[change.Key]
		if change.Rule != "speedup" || !rechecked {
			kept = append(kept, change)
			continue
		}
		i := slices.IndexFunc(before.Targets, func(r Result) bool { return r.Key == change.Key })
		worse, _ := changes(before.Targets[i], now)
		if now.Status != Succeeded || slices.ContainsFunc(worse, func(w Change) bool { return w.Rule == "speedup" }) {
			kept = append(kept, change)
			continue
		}
		change.Suppressed = "recheck_not_regressed"
		c.Suppressed = append(c.Suppressed, change)
	}
	c.Regressions = kept
}

func finite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
}
