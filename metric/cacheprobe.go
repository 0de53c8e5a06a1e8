package metric

import (
	"assay/record"
	"assay/unit"
)

// pairs are the prompts that were sent twice and succeeded both times: cold and
// warm have the same prompt at the same place.
func (l *Launch) pairs() (cold, warm []*Timeline) {
	first := map[int64]*Timeline{}
	for _, t := range l.Apart[record.CacheCold] {
		first[t.PromptHash] = t
	}
	for _, t := range l.Apart[record.CacheWarm] {
		c := first[t.PromptHash]
		if c != nil && c.Result == record.OK && t.Result == record.OK {
			cold, warm = append(cold, c), append(warm, t)
		}
	}
	return cold, warm
}

// CachePairs are the TTFTs of the prompts that the cache probe sent twice, in seconds.
func (l *Launch) CachePairs() (cold, warm []float64) {
	first, again := l.pairs()
	for i := range first {
		c, w := TTFT.Each(first[i]), TTFT.Each(again[i])
		if len(c) > 0 && len(w) > 0 {
			cold, warm = append(cold, c[0]), append(warm, w[0])
		}
	}
	return cold, warm
}

// pairedTTFT is the mean of what take makes of the two TTFTs of each pair.
func pairedTTFT(take func(cold, warm float64) float64) func(*Launch) (float64, bool) {
	return func(l *Launch) (float64, bool) {
		cold, warm := l.CachePairs()
		sum := 0.0
		for i := range cold {
			sum += take(cold[i], warm[i])
		}
		return sum / float64(len(cold)), len(cold) > 0
	}
}

// CacheColdTTFT is the time to first token of prompts that no cache knows.
var CacheColdTTFT = Metric{
	ID: "cache_cold_ttft.v1", Name: "TTFT, prompt unknown", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean TTFT of the prompts of the cache probe when they were sent for the first time.",
	Of:  Once(pairedTTFT(func(cold, _ float64) float64 { return cold })),
}

// CacheWarmTTFT is the time to first token of the same prompts again.
var CacheWarmTTFT = Metric{
	ID: "cache_warm_ttft.v1", Name: "TTFT, prompt known", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean TTFT of the same prompts when they were sent again.",
	Of:  Once(pairedTTFT(func(_, warm float64) float64 { return warm })),
}

// CacheSavingTTFT is what the prefix cache saves.
var CacheSavingTTFT = Metric{
	ID: "cache_saving_ttft.v1", Name: "saved by the prefix cache", Unit: unit.Second, Better: Higher, Scope: only(Telemetry), Signed: true,
	Doc: "Mean over the prompts of the cache probe of TTFT the first time minus TTFT the second time.",
	Of:  Once(pairedTTFT(func(cold, warm float64) float64 { return cold - warm })),
}

// CacheColdShare shows that the prompts were unknown indeed.
var CacheColdShare = Metric{
	ID: "cache_cold_share.v1", Name: "cached, prompt unknown", Unit: unit.Share, Better: Lower, Scope: only(Telemetry),
	Doc: "Prompt tokens that usage called cached when the prompts were sent for the first time, divided by all of theirs. Well above zero means that they were not unknown: a chat template or another cache.",
	Of: Once(func(l *Launch) (float64, bool) {
		cold, _ := l.pairs()
		return cachedShare(cold)
	}),
}

// CacheWarmShare is the hit rate of prompts that were just sent.
var CacheWarmShare = Metric{
	ID: "cache_warm_share.v1", Name: "cached, prompt known", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Prompt tokens that usage called cached when the prompts were sent again, divided by all of theirs.",
	Of: Once(func(l *Launch) (float64, bool) {
		_, warm := l.pairs()
		return cachedShare(warm)
	}),
}
