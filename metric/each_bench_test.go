package metric

import (
	"testing"

	"assay/record"
)

// BenchmarkEach is what one request of a hundred output events costs, all metrics
// of requests together and one by one.
func BenchmarkEach(b *testing.B) {
	var at []int64
	for i := range int64(100) {
		at = append(at, 50+10*i)
	}
	one := timeline(100, at...)
	one.TokenizerOutput, one.UsageInput, one.UsageReasoning = one.UsageOutput, one.UsageOutput, one.UsageOutput
	one.First = &one.Sent
	one.Events[20].Kind = record.Reasoning
	each := func(list []Metric) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range list {
					m.Each(one)
				}
			}
		}
	}
	var all []Metric
	for _, m := range All {
		if m.each() != nil && !m.Only(Probes) && !m.Only(Sessions) {
			all = append(all, m)
		}
	}
	b.Run("all", each(all))
	for _, m := range all {
		b.Run(m.ID, each([]Metric{m}))
	}
}
