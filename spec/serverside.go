package spec

import "assay/unit"

// ServerMetrics says where the target publishes its own counters and how often they
// are read. Reading a page is load on the target, so it can be made rarer or
// switched off.
type ServerMetrics struct {
	// Read the target's own counters. A cloud's endpoint is read only where urls
	// names a page.
	Scrape *bool `json:"scrape,omitzero" default:"true"`

	// The pages, in Prometheus text format. By default /metrics below each
	// address of the target.
	URLs []string `json:"urls,omitzero" items:"1" example:"[http://127.0.0.1:8002/metrics]"`

	// The time between two readings. Figures of the server need several readings
	// in each measured window.
	Interval unit.Duration `json:"interval,omitzero" default:"1s" min:"50ms" max:"1h"`
}

// Cold says how a fresh server is asked before any load: cold requests first,
// then warm ones of the same length to compare them with, one at a time. None of
// their prompts share a beginning.
type Cold struct {
	// The requests that count as cold; 0 means none.
	Requests *int `json:"requests,omitzero" default:"1" min:"0" max:"1000"`

	// The warm requests after them; 0 means that no overhead is reported.
	Warm *int `json:"warm,omitzero" default:"3" min:"0" max:"1000"`
}

// A CacheProbe asks what the target's prefix cache saves: before the first point
// of each launch every prompt is sent twice, one request at a time. The first
// time it begins with words that no request before it had.
type CacheProbe struct {
	// How many prompts are sent twice.
	Pairs int `json:"pairs,omitzero" default:"8" min:"1" max:"100000"`
}

// metricsAgree wants pages that can be read, and none where nothing is.
func metricsAgree(c *checker) {
	if c.run.Spec.Target == nil {
		return
	}
	const path = "spec.target.metrics"
	m := c.run.Spec.Target.Metrics
	if m.Scrape != nil && !*m.Scrape && len(m.URLs) > 0 {
		c.fail(path+".urls", "give urls or scrape: false, not both")
	}
	for i, u := range m.URLs {
		checkURL(c, itemPath(path+".urls", i), u)
	}
}

// coldAgrees wants a cold request before the warm ones that it is compared with.
func coldAgrees(c *checker) {
	t := c.run.Spec.Target
	if t == nil || t.Server == nil {
		return
	}
	cold := t.Server.Cold
	if cold.Requests != nil && *cold.Requests == 0 && cold.Warm != nil && *cold.Warm > 0 {
		c.fail("spec.target.server.cold.warm", "warm requests are compared with cold ones: want requests above 0, or warm: 0")
	}
}

// cacheProbeStreams wants a first token to time.
func cacheProbeStreams(c *checker) {
	l := c.run.Spec.Load
	if l != nil && l.CacheProbe != nil && l.Stream != nil && !*l.Stream {
		c.fail("spec.load.cacheProbe", "compares times to first token, which need stream: true")
	}
}
