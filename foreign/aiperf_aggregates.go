package foreign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/record"
	"assay/unit"
)

// aiperfStatistics are the aggregates of the server's metrics that are kept, by the
// type of a metric, with our name of each.
var aiperfStatistics = map[string][]struct{ theirs, ours string }{
	"gauge":   {{"avg", "mean"}, {"min", "min"}, {"max", "max"}, {"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}},
	"unknown": {{"avg", "mean"}, {"min", "min"}, {"max", "max"}, {"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}},
	"counter": {{"total", "increase"}, {"rate", "per second"}},
	"histogram": {
		{"count", "count"}, {"sum", "sum"}, {"avg", "mean"},
		{"p50_estimate", "p50"}, {"p90_estimate", "p90"}, {"p99_estimate", "p99"},
	},
}

// aiperfAggregated says what the aggregates of each type are.
var aiperfAggregated = map[string]string{
	"gauge":     "of the server's gauge, over the scrapes that changed it",
	"unknown":   "of the server's value, over the scrapes that changed it",
	"counter":   "of the server's counter, over the run",
	"histogram": "of the server's histogram, over the run; percentiles are estimated from its buckets",
}

// mostServerValues bounds the aggregates that are kept: a page of vLLM gives some 600.
const mostServerValues = 5000

// reportServer lists the aggregates over the run as values that the tool reported.
func (run *aiperfRun) reportServer(file aiperfServerFile) {
	several := file.pages() > 1
	list := &run.result.measured.Reported
	left := mostServerValues
	for _, family := range slices.Sorted(maps.Keys(file.Metrics)) {
		metric := file.Metrics[family]
		for _, series := range metric.Series {
			name := file.named(family) + record.LabelScope(series.Labels)
			if several {
				name = record.PageScope(series.Page) + " " + name
			}
			for _, statistic := range aiperfStatistics[metric.Type] {
				value, ok := series.Stats[statistic.theirs]
				if !ok {
					continue
				}
				if left--; left < 0 {
					addOnce(&run.notes, fmt.Sprintf("the first %d aggregates of the server's metrics are kept as reported values", mostServerValues))
					return
				}
				one := figure{unit: aggregateUnit(family, statistic.ours), definition: aiperfAggregated[metric.Type]}.says(name, statistic.ours, value)
				one.Server = true
				*list = append(*list, one)
			}
		}
	}
}

// pages counts the metrics pages that the file speaks of.
func (f aiperfServerFile) pages() int {
	seen := map[string]bool{}
	for _, metric := range f.Metrics {
		for _, series := range metric.Series {
			seen[series.Page] = true
		}
	}
	return len(seen)
}

// aggregateUnit is the unit of a statistic: a count has none, and no unit is known
// for most things in a second.
func aggregateUnit(family, statistic string) unit.Unit {
	switch of := unit.Unit(record.UnitOfName(family)); {
	case statistic == "count":
		return unit.Ratio
	case statistic != "per second":
		return of
	case of == unit.Token:
		return unit.TokenPerSecond
	case of == unit.Byte:
		return unit.BytePerSecond
	}
	return unit.Ratio
}

// plainBound is the bound of a bucket as assay spells it, so that 0.50 and 0.5 are
// one.
func plainBound(text string) string {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return text
	}
	return record.Bound(v)
}
