package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/unit"
	"assay/visible"
)

// writeServer shows what was read beside a point, or says that nothing was.
func writeServer(b *bytes.Buffer, r Report, point plan.Point) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  server\t%s\n", ScrapedText(r, point.Index))
	for _, m := range metric.All {
		if _, whole := m.Of.(metric.Whole); !whole || !m.Only(metric.Telemetry) || !r.Shown(m) {
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			fmt.Fprintf(t, "    %s\t%s\tCV %s\n", m.Name, Value(row), Percent(row.CV))
		}
	}
	t.Flush()
	writeServerAggregates(b, r, point.Index)
}

// writeServerAggregates shows what another tool computed from the server's own
// metrics, where it stored no single readings.
func writeServerAggregates(b *bytes.Buffer, r Report, point int) {
	list := r.serverAggregates(point)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i, f := range list {
		if i == mostReported && !r.All {
			break
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\n", visible.Line(f.Name), visible.Line(f.Statistic), visible.Line(unit.Format(f.Value, unit.Unit(f.Unit))))
	}
	t.Flush()
	if left := len(list) - mostReported; left > 0 && !r.All {
		fmt.Fprintf(b, "    %d more in the JSON; assay report --all shows them\n", left)
	}
}

// serverAggregates are the values of the server's own metrics that another tool
// reported of a point.
func (r Report) serverAggregates(point int) (list []record.Reported) {
	for _, f := range r.Reported {
		if f.Server && f.Point == point {
			list = append(list, f)
		}
	}
	return list
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
		parts = append(parts, r.unread(point))
	case one.Scrapes == one.Failed:
		parts = append(parts, fmt.Sprintf("its metrics page could not be read, tried %d times (event telemetry.unavailable says why)", one.Failed))
	default:
		parts = append(parts, r.scraped(one))
		if len(one.Engines) == 0 {
			parts = append(parts, "it has no name that assay knows")
		} else {
			parts = append(parts, "names of "+strings.Join(one.Engines, ", "))
			if !told(r.Estimates, point) {
				parts = append(parts, "too few readings in the window for a figure"+r.readMoreOften())
			}
		}
	}
	if one.Elsewhere && r.Source == nil {
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

// scraped says how often a page was read, and by whom where that was not assay.
func (r Report) scraped(one metric.Readings) string {
	took := fmt.Sprintf("%s each, at most %s", unit.Format(one.Seconds, unit.Second), unit.Format(one.Slowest, unit.Second))
	if r.Source != nil {
		return fmt.Sprintf("metrics page read %d times by %s in all launches; %s", one.Scrapes, r.Source.Tool, took)
	}
	return fmt.Sprintf("metrics page read %d times in all launches, %d failed; %s", one.Scrapes, one.Failed, took)
}

func (r Report) readMoreOften() string {
	if r.Source != nil {
		return ""
	}
	return ": shorten target.metrics.interval"
}

// unread says why there is no reading of the target's counters in a window.
func (r Report) unread(point int) string {
	if r.Source != nil {
		if n := len(r.serverAggregates(point)); n > 0 {
			return fmt.Sprintf("%d values of its own metrics as %s aggregated them over the run; single readings were not stored", n, r.Source.Tool)
		}
		for _, gap := range r.Source.Unknown {
			if gap.ID == bundle.GapServer && gap.Detail != "" {
				return gap.Detail
			}
		}
	}
	if t := r.Plan.Target(); t != nil && t.Metrics.Scrape != nil && !*t.Metrics.Scrape {
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
