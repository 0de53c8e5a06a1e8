package lexical

import "testing"

// BenchmarkSegments scores the segments of one WMT17 system on one core.
func BenchmarkSegments(b *testing.B) {
	hyps := dataLines(b, "wmt17_en_de/newstest2017.LIUM-NMT.4900.en-de.txt.gz")
	refs := singles(dataLines(b, "wmt17_en_de/reference.txt.gz"))
	for _, m := range []CorpusMetric{BLEU{}, CHRF{}, CHRF{WordOrder: 2}, TER{}, ROUGE{Type: "L", Stem: true}, METEOR{}} {
		b.Run(m.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Segment(hyps[i%len(hyps)], refs[i%len(refs)])
			}
		})
	}
}
