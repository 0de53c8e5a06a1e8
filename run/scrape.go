package run

import (
	"slices"

	"assay/spec"
	"assay/target"
	"assay/telemetry"
)

// metrics lists the pages on which the target publishes its own counters. A
// cloud has none at its API's address, and asking for one is no good manners.
func (r *revealer) metrics(t *spec.Target) []string {
	m := t.Metrics
	cloud := slices.ContainsFunc(target.Clouds, func(c target.Cloud) bool { return c.Name == t.Auth.Kind })
	switch {
	case m.Scrape != nil && !*m.Scrape:
		return nil
	case len(m.URLs) > 0:
		return m.URLs
	case cloud:
		return nil
	}
	var pages []string
	for _, raw := range urls(t) {
		pages = append(pages, r.below(raw, "/metrics"))
	}
	return pages
}

// hostSources are all sources but the servers' pages.
func hostSources() []telemetry.Source {
	return slices.DeleteFunc(slices.Clone(telemetry.All), func(s telemetry.Source) bool { return s.ID == telemetry.Prometheus.ID })
}
