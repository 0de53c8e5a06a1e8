package lint

import (
	"errors"
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// PromptCache fires when the target's caches knew more of the prompts than the
// workload says.
var PromptCache = Check{
	ID: "prompt-cache", Code: "L-07", Severity: finding.Void, About: finding.Speed,
	Doc: "Prompts that the target has seen before are answered from its caches.",
	When: "the share of cached prompt tokens is more than 0.1 above the declared prefix; more than 1 % " +
		"of measured prompts were sent before in their launch, more than 10 % in an earlier launch to the same process, or all by an earlier run whose bundle lies beside this one, " +
		"and a cache probe shows a saving above 10 %, by the median of its pairs and at p = 1 % (a caution up to 10 %, and where no probe looked, whatever the server counts)",
	Applies: cacheable,
	Run:     promptCache,
}

// cacheable holds for text prompts that stand alone. Sessions repeat their
// history and traces what was recorded: there sharing is the workload.
func cacheable(f *Facts) bool {
	w := f.Plan.Workload()
	text := w.Prompt.Task == "" || w.Prompt.Task == spec.TextToText || w.Prompt.Task == spec.ImageTextToText
	return serves(f) && text && w.Session == nil && f.Plan.Load().TraceRef == ""
}

const (
	// cacheSlack is the part of the prompts that may be cached beyond what is
	// declared, and the saving from which on a cache is at work: the 10 % of
	// MLPerf's compliance test 04. A chat template alone is far less.
	cacheSlack = .1
	// repeatShare is the share of prompts sent before from which on it is no
	// accident of short random texts.
	repeatShare = .01
)

func promptCache(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("hashes of the prompts")
	}
	var answer Answer
	for _, p := range f.places() {
		looked := p.sum(func(t PointTally) int { return t.Prompts.Looked })
		if looked == 0 {
			answer.Missing = "hashes of the prompts of " + p.name
			continue
		}
		repeated := float64(p.sum(func(t PointTally) int { return t.Prompts.Known })) / float64(looked)
		if one, ok := cached(f, p, repeated, p.askedEarlier()); ok {
			answer.Findings = append(answer.Findings, one)
		}
	}
	return answer
}

// askedEarlier is the share of prompts that earlier launches sent to the same process.
func (p placeTally) askedEarlier() float64 {
	looked := p.sum(func(t PointTally) int { return t.Earlier.Looked })
	return float64(p.sum(func(t PointTally) int { return t.Earlier.Known })) / float64(max(1, looked))
}

// askedBy is the earlier run that sent the prompts of a launch; nil where none is known.
func (p placeTally) askedBy() *record.Asked {
	for _, t := range p.launches {
		if t.Asked != nil {
			return t.Asked
		}
	}
	return nil
}

// cached judges one place, of whose prompts a share had been sent before: in the same launch,
// in an earlier one to the same process, or in an earlier run. Rows of a data set that two launches happen to
// share are no more than a few.
func cached(f *Facts, p placeTally, repeated, earlier float64) (finding.Finding, bool) {
	declared, known := declaredSharing(f.Plan.WorkloadOf(p.point))
	hits, source, counted := cacheHits(f, p)
	again := fmt.Sprintf("%.0f %% of its measured prompts had been sent before in the same launch", 100*repeated)
	fix := "make prompts that differ, declare the sharing with prompt.prefixTokens or prefixRatio, or switch the target's cache off"
	if repeated <= repeatShare && earlier > cacheSlack {
		repeated, again = earlier, fmt.Sprintf("%.0f %% of its measured prompts had been sent to the same process by an earlier launch", 100*earlier)
		fix = "start the target anew for each launch (target.server), or switch its cache off"
	}
	if before := p.askedBy(); before != nil && repeated <= repeatShare {
		target := f.target(p.side)
		repeated, again = 1, fmt.Sprintf("%s had sent its prompts to %s, from %s on", before.Run, target.Address(), before.At.UTC().Format("2006-01-02 15:04 UTC"))
		fix = "leave spec.seed out, so that each run asks new prompts, or have the target started for it (target.server)"
	}
	if repeated <= repeatShare {
		again = "the launch sent them once, so that somebody asked the same before it"
		fix = "start the target anew for each launch (target.server), change spec.seed, or switch the target's cache off"
	}
	switch {
	case counted && hits > declared+cacheSlack && (known || repeated > repeatShare):
		return finding.Finding{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: %.0f %% of the prompt tokens came from the target's cache (%s), the workload declares %.0f %%; %s", p.name, 100*hits, source, 100*declared, again),
			Why:     "the reading of cached prompts costs next to nothing: the figures are those of another workload", Fix: fix,
		}, true
	case repeated <= repeatShare:
		return finding.Finding{}, false
	}
	saving, chance, probed := f.Tally.Probed[p.side].saving()
	switch {
	case probed && saving > cacheSlack && chance <= cacheSure:
		return finding.Finding{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: %s, and a prompt that is known has its first token %.0f %% sooner", p.name, again, 100*saving),
			Why:     "the target answers known prompts from a cache", Fix: fix,
		}, true
	case probed && (saving <= cacheSlack || chance > cacheMaybe):
		return finding.Finding{}, false // it has no cache that helps
	}
	told := "nothing says"
	switch {
	case probed:
		told = fmt.Sprintf("one that is known had its first token %.0f %% sooner (p = %.1g), which does not say for sure", 100*saving, chance)
	case counted:
		told = fmt.Sprintf("the server counts %.0f %% of their tokens as cached (%s), while no probe shows", 100*hits, source)
	}
	return finding.Finding{
		Severity: finding.Caution, Scope: p.scope(),
		Message: fmt.Sprintf("%s: %s, and %s what the target's cache made of it", p.name, again, told),
		Why:     "prompts that are known may be answered from a cache",
		Fix:     "use prompts that differ, or ask with load.cacheProbe what a known prompt saves",
	}, true
}

// declaredSharing is the part of a prompt that the workload declares to be
// shared. Rows of a data set share what they share, which nobody declares: known
// is false, and only rows that came twice count.
func declaredSharing(w spec.Workload) (share float64, known bool) {
	if w.Prompt.Dataset != nil {
		return 0, false
	}
	if w.Prompt.PrefixTokens == 0 {
		return w.Prompt.PrefixRatio, true
	}
	input, weights := 0.0, 0.0
	for _, l := range w.SequenceLengthMix {
		input, weights = input+l.Weight*float64(l.InputTokens), weights+l.Weight
	}
	return min(1, float64(w.Prompt.PrefixTokens)*weights/max(1, input)), true
}

// cacheHits is the share of prompt tokens that came from the cache. What the
// answers say is about our requests alone and goes before the server's counters.
func cacheHits(f *Facts, p placeTally) (share float64, source string, ok bool) {
	if row, ok := find(f, metric.CachedShare.ID, "value", p); ok {
		return row.Value, "by the answers' usage", true
	}
	row, ok := find(f, metric.KVCacheHitRate.ID, "value", p)
	return row.Value, "by the server's counters", ok
}

// CachePairs are the TTFTs of prompts that were sent twice, by which a cache shows.
type CachePairs struct{ Cold, Warm []float64 }

const (
	// A saving up to cacheSure is taken for one, and up to cacheMaybe it is mentioned.
	cacheSure, cacheMaybe = .01, .1
)

// saving is what a known prompt saves of its time to first token, in the middle, and how
// often chance shows as much; false where no pair was sent.
func (c CachePairs) saving() (share, p float64, ok bool) {
	if len(c.Cold) == 0 {
		return 0, 0, false
	}
	ratios := make([]float64, len(c.Cold))
	for i := range ratios {
		ratios[i] = c.Warm[i] / c.Cold[i]
	}
	share = 1 - stats.Middle(ratios)
	switch test, err := stats.PairedLog(c.Cold, c.Warm); {
	case errors.Is(err, stats.ErrNoSpread): // each saves the same
		return share, 0, true
	case err != nil: // of one pair nobody knows
		return share, cacheMaybe, true
	default:
		return share, test.P, true
	}
}
