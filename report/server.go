package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// writeServer shows what was read beside a point, or says that nothing was.
func writeServer(b *bytes.Buffer, r Report, point plan.Point) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  server\t%s\n", ScrapedText(r, point.Index))
	for _, m := range metric.All {
		if !m.Beside || m.Whole == nil || !r.Shown(m) {
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			fmt.Fprintf(t, "    %s\t%s\tCV %s\n", m.Name, Value(row), Percent(row.CV))
		}
	}
	t.Flush()
}

// ScrapedText says how often the target's own counters were read and what that
// took, or why they were not.
func ScrapedText(r Report, point int) string {
	i := slices.IndexFunc(r.Estimates.Readings, func(one metric.Readings) bool { return one.Point == point })
	if i < 0 {
		return "nothing was read beside this point"
	}
	one := r.Estimates.Readings[i]
	var parts []string
	switch {
	case one.Scrapes == 0:
		parts = append(parts, unread(r.Plan.Run.Spec.Target))
	case one.Scrapes == one.Failed:
		parts = append(parts, fmt.Sprintf("its metrics page could not be read, tried %d times (event telemetry.unavailable says why)", one.Failed))
	default:
		parts = append(parts, fmt.Sprintf("metrics page read %d times in all launches, %d failed; %s each, at most %s",
			one.Scrapes, one.Failed, unit.Format(one.Seconds, unit.Second), unit.Format(one.Slowest, unit.Second)))
		if len(one.Engines) == 0 {
			parts = append(parts, "it has no name that assay knows")
		} else {
			parts = append(parts, "names of "+strings.Join(one.Engines, ", "))
			if !told(r.Estimates, point) {
				parts = append(parts, "too few readings in the window for a figure: shorten target.metrics.interval")
			}
		}
	}
	if one.Elsewhere {
		parts = append(parts, "GPUs and energy of this host are left out: the target is elsewhere")
	}
	return strings.Join(parts, "; ")
}

// told reports whether the target's counters gave any figure at a point.
func told(e metric.Estimates, point int) bool {
	return slices.ContainsFunc(e.Rows, func(row metric.Row) bool {
		return row.Point == point && (strings.HasPrefix(row.Metric, "server_") || strings.HasPrefix(row.Metric, "kv_cache_"))
	})
}

func unread(t *spec.Target) string {
	if t != nil && t.Metrics.Scrape != nil && !*t.Metrics.Scrape {
		return "its counters were not read: target.metrics.scrape is false"
	}
	return "its counters were not read in this window"
}

// writeApart shows what was measured once in each launch, outside of every
// point.
func writeApart(b *bytes.Buffer, r Report, whose string) {
	blocks := []struct {
		title   string
		metrics []metric.Metric
	}{
		{"cold start, from the start of the server's process", []metric.Metric{
			metric.ColdListening, metric.ColdReady, metric.ColdFirstRequest, metric.ColdFirstToken, metric.ColdEnd, metric.ColdGPUEnergy,
		}},
		{"cold and warm requests, one at a time; fresh process, page cache and files on disk not cleared", []metric.Metric{
			metric.ColdTTFT, metric.WarmTTFT, metric.ColdOverheadTTFT, metric.ColdOverheadE2E,
		}},
		{"prefix cache, the same prompts twice, one at a time", []metric.Metric{
			metric.CacheColdTTFT, metric.CacheWarmTTFT, metric.CacheSavingTTFT, metric.CacheColdShare, metric.CacheWarmShare,
		}},
	}
	for _, block := range blocks {
		var rows []metric.Row
		for _, m := range block.metrics {
			if row, ok := r.Estimates.Find(m.ID, "value", metric.LaunchPoint); ok {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s%s\n", whose, block.title)
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			fmt.Fprintf(t, "  %s\t%s\t%s\tCV %s\n", row.Name, Value(row), LaunchesOf(row), Percent(row.CV))
		}
		t.Flush()
	}
}

// LaunchesOf lists the values of single launches.
func LaunchesOf(row metric.Row) string {
	if len(row.PerLaunch) == 1 {
		return "1 launch"
	}
	return fmt.Sprintf("%d launches", len(row.PerLaunch))
}
