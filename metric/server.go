package metric

import (
	"slices"

	"assay/record"
	"assay/unit"
)

// publishedName is the name under which the target publishes n, and false when it
// publishes none.
func (p *Point) publishedName(n serverStat) (serverName, bool) {
	if p.Samples == nil {
		return serverName{}, false
	}
	has := func(name string, takes func(string) bool) bool {
		return slices.ContainsFunc(p.Samples.bySource[serverSource+" "+name], func(s *series) bool { return takes(s.scope) })
	}
	for _, name := range serverNames {
		if name.stat == n && has(name.name, name.takes) && (name.per == "" || has(name.per, all)) {
			return name, true
		}
	}
	return serverName{}, false
}

// serverWindows are the windows of a serverStat, and the name that the target has for it.
func (p *Point) serverWindows(n serverStat) ([]window, serverName, bool) {
	name, ok := p.publishedName(n)
	if !ok {
		return nil, name, false
	}
	list, ok := p.windows(serverSource, name.name, name.takes)
	return list, name, ok
}

// level is a gauge's mean over time, added over everything that publishes it.
func level(n serverStat) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		list, _, ok := p.serverWindows(n)
		return sumOf(list, mean), ok
	}
}

// usage is a share's mean over time, averaged over everything that publishes it.
func usage(n serverStat) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		list, _, ok := p.serverWindows(n)
		if !ok {
			return 0, false
		}
		return sumOf(list, mean) / float64(len(list)), true
	}
}

// growth is what a counter grew by in the window.
func growth(n serverStat) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		list, _, ok := p.serverWindows(n)
		return sumOf(list, increase), ok
	}
}

// pace is what a counter grew by in a second.
func pace(n serverStat) func(*Point) (float64, bool) {
	grown := growth(n)
	return func(p *Point) (float64, bool) {
		v, ok := grown(p)
		return v / p.Seconds(), ok && p.Seconds() > 0
	}
}

// ratio is the growth of one counter for each step of another. A target that
// publishes the ratio itself is taken at its word.
func ratio(n serverStat) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		list, name, ok := p.serverWindows(n)
		if !ok {
			return 0, false
		}
		if name.per == "" {
			return name.factor() * sumOf(list, mean) / float64(len(list)), true
		}
		per, ok := p.windows(serverSource, name.per, all)
		steps := sumOf(per, increase)
		return name.factor() * sumOf(list, increase) / steps, ok && steps > 0
	}
}

// deepest is the highest sum of one serverStat that a single reading found.
func deepest(n serverStat) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		_, name, ok := p.serverWindows(n)
		if !ok {
			return 0, false
		}
		sums := map[int64]float64{}
		for _, s := range p.Samples.bySource[serverSource+" "+name.name] {
			for i, at := range s.at {
				if name.takes(s.scope) && p.Begin <= at && at < p.End {
					sums[at] += s.value[i]
				}
			}
		}
		highest := 0.0
		for _, sum := range sums {
			highest = max(highest, sum)
		}
		return highest, true
	}
}

// ServerRunning is how many requests the engine worked on at once.
var ServerRunning = Metric{
	ID: "server_running.v1", Name: "server batch", Unit: unit.Ratio, Better: Higher, Scope: only(Telemetry),
	Doc: "Requests that the engine was running, averaged over the time of the measured window: its mean batch size in requests.",
	Of:  Whole(level(running)),
}

// ServerIterationTokens is how much work one step of the engine does.
var ServerIterationTokens = Metric{
	ID: "server_iteration_tokens.v1", Name: "tokens per engine step", Unit: unit.Token, Better: Higher, Scope: only(Telemetry),
	Doc: "Mean number of tokens, of prompts and answers, that the engine computed in one iteration, over the iterations that it counted in the measured window.",
	Of:  Whole(ratio(iteration)),
}

// ServerQueueDepth is how many requests the engine let wait.
var ServerQueueDepth = Metric{
	ID: "server_queue_depth.v1", Name: "server queue", Unit: unit.Ratio, Better: Lower, Scope: only(Telemetry),
	Doc: "Requests that waited inside the server, averaged over the time of the measured window.",
	Of:  Whole(level(waiting)),
}

// ServerQueueDepthMax is the longest queue that a reading found.
var ServerQueueDepthMax = Metric{
	ID: "server_queue_depth_max.v1", Name: "server queue, highest", Unit: unit.Ratio, Better: Lower, Scope: only(Telemetry),
	Doc: "The most requests that waited inside the server at any reading in the measured window. The queue may have been longer between readings.",
	Of:  Whole(deepest(waiting)),
}

// KVCacheUsage is how full the KV cache was.
var KVCacheUsage = Metric{
	ID: "kv_cache_usage.v1", Name: "KV cache in use", Unit: unit.Share, Better: Lower, Scope: only(Telemetry),
	Doc: "Share of the KV cache in use, averaged over the time of the measured window and over engines.",
	Of:  Whole(usage(cacheUsage)),
}

// KVCacheUsageMax is how full the KV cache got.
var KVCacheUsageMax = Metric{
	ID: "kv_cache_usage_max.v1", Name: "KV cache in use, highest", Unit: unit.Share, Better: Lower, Scope: only(Telemetry),
	Doc: "The largest share of the KV cache that any reading in the measured window found in use on any engine. Above 1 minus a little, engines preempt.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, _, ok := p.serverWindows(cacheUsage)
		highest := 0.0
		for _, w := range list {
			highest = max(highest, w.peak)
		}
		return highest, ok
	}),
}

// KVCacheHitRate is the share of prompt tokens that need not be computed.
var KVCacheHitRate = Metric{
	ID: "kv_cache_hit_rate.v1", Name: "prefix cache hits", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Prefix-cache hits divided by queries, both counted by the server over the measured window. Where the server publishes only a rate of its own making, the mean of that.",
	Of:  Whole(ratio(cacheHits)),
}

// CachedShare is the hit rate as the answers tell it.
var CachedShare = Metric{
	ID: "cached_share.v1", Name: "cached prompt tokens", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Prompt tokens that the answers' usage called cached, divided by all prompt tokens, over successful measured requests whose usage says so.",
	Of: Whole(func(p *Point) (float64, bool) {
		var requests []*Timeline
		for t := range p.Measured {
			requests = append(requests, t)
		}
		return cachedShare(requests)
	}),
}

// cachedShare divides the cached prompt tokens of successful requests by all of
// their prompt tokens, as far as the answers tell both.
func cachedShare(requests []*Timeline) (float64, bool) {
	var cached, prompt float64
	for _, t := range requests {
		if t.Result == record.OK && t.UsageCached != nil && t.UsageInput != nil {
			cached += float64(*t.UsageCached)
			prompt += float64(*t.UsageInput)
		}
	}
	return cached / prompt, prompt > 0
}

// ServerPreemptions counts the requests whose work was thrown away.
var ServerPreemptions = Metric{
	ID: "server_preemptions.v1", Name: "preemptions", Unit: unit.Ratio, Better: Lower, Scope: only(Telemetry),
	Doc: "Requests that the engine put out of its batch for want of memory during the measured window.",
	Of:  Whole(growth(preemptions)),
}

// ServerPromptThroughput is how fast the server says that it read prompts.
var ServerPromptThroughput = Metric{
	ID: "server_prompt_throughput.v1", Name: "server prompt tokens", Unit: unit.TokenPerSecond, Better: Higher, Scope: only(Telemetry),
	Doc: "Prompt tokens that the server counted in the measured window, divided by its length. Engines count cached tokens too.",
	Of:  Whole(pace(promptTokens)),
}

// ServerOutputThroughput is output_throughput.v1 as the server counts it.
var ServerOutputThroughput = Metric{
	ID: "server_output_throughput.v1", Name: "server output tokens", Unit: unit.TokenPerSecond, Better: Higher, Scope: only(Telemetry),
	Doc: "Tokens that the server counted as generated in the measured window, divided by its length. Others who use the server are in it.",
	Of:  Whole(pace(outputTokens)),
}

// ServerTTFT is the time to the first token as the server measures it.
var ServerTTFT = Metric{
	ID: "server_ttft.v1", Name: "server TTFT, mean", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean time to first token of the requests whose first token the server counted in the measured window, by its own histogram: growth of the sum over growth of the count.",
	Of:  Whole(ratio(firstToken)),
}

// ServerTTFTGap is what lies between the server and the client.
var ServerTTFTGap = Metric{
	ID: "server_ttft_gap.v2", Name: "TTFT outside the server", Unit: unit.Second, Better: Lower, Scope: only(Telemetry), Signed: true,
	Doc: "Mean ttft.v2 minus server_ttft.v1: what network, HTTP front end and client add to the first token. The two means are not over exactly the same requests, so a small negative value can occur.",
	Of: Whole(func(p *Point) (float64, bool) {
		server, ok := ServerTTFT.Whole(p)
		var sum float64
		n := 0
		for t := range p.Measured {
			if t.Result != record.OK {
				continue
			}
			for _, v := range TTFT.Each(t) {
				sum, n = sum+v, n+1
			}
		}
		return sum/float64(n) - server, ok && n > 0
	}),
}

// ServerQueueTime is how long requests waited before the engine took them up.
var ServerQueueTime = Metric{
	ID: "server_queue_time.v1", Name: "server queue time, mean", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean time that requests waited inside the server, by its own counters, over those counted in the measured window.",
	Of:  Whole(ratio(queueTime)),
}

// DraftAcceptance is how often speculation was right.
var DraftAcceptance = Metric{
	ID: "draft_acceptance.v1", Name: "draft tokens accepted", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Draft tokens that speculative decoding accepted, divided by draft tokens proposed, over the measured window.",
	Of:  Whole(ratio(accepted)),
}
