package lexical

import (
	"strings"
	"testing"
)

// variants are the settings that sacrebleu's golden values have names for.
var variants = map[string]CorpusMetric{
	"13a_exp_eff":    BLEU{EffectiveOrder: true},
	"13a_exp":        BLEU{},
	"13a_floor_eff":  BLEU{Smoothing: "floor", EffectiveOrder: true},
	"13a_addk_eff":   BLEU{Smoothing: "add-k", EffectiveOrder: true},
	"13a_none_eff":   BLEU{Smoothing: "none", EffectiveOrder: true},
	"13a_lc_exp_eff": BLEU{Lowercase: true, EffectiveOrder: true},
	"intl_exp_eff":   BLEU{Tokenize: "intl", EffectiveOrder: true},
	"zh_exp_eff":     BLEU{Tokenize: "zh", EffectiveOrder: true},
	"char_exp_eff":   BLEU{Tokenize: "char", EffectiveOrder: true},
	"13a_order2_eff": BLEU{MaxOrder: 2, EffectiveOrder: true},

	"bleu_13a":       BLEU{},
	"bleu_none":      BLEU{Tokenize: "none"},
	"bleu_13a_lc":    BLEU{Lowercase: true},
	"bleu_intl":      BLEU{Tokenize: "intl"},
	"bleu_zh":        BLEU{Tokenize: "zh"},
	"bleu_char":      BLEU{Tokenize: "char"},
	"bleu_13a_floor": BLEU{Smoothing: "floor"},
	"bleu_13a_addk":  BLEU{Smoothing: "add-k"},
	"bleu_13a_none":  BLEU{Smoothing: "none"},

	"chrf2":       CHRF{},
	"chrf2pp":     CHRF{WordOrder: 2},
	"chrf2_lc":    CHRF{Lowercase: true},
	"chrf2_space": CHRF{Whitespace: true},
	"chrf2_eps":   CHRF{EpsilonSmoothing: true},
	"chrf3_beta3": CHRF{Beta: 3},

	"ter":              TER{},
	"default":          TER{},
	"case_sensitive":   TER{CaseSensitive: true},
	"normalized":       TER{Normalized: true},
	"no_punct":         TER{NoPunctuation: true},
	"normalized_asian": TER{Normalized: true, Asian: true},
	"no_punct_asian":   TER{NoPunctuation: true, Asian: true},
}

type edgeCase struct {
	ID           int
	Hyp          string
	Refs         []string
	Tokenized    map[string]string  `json:"tokenized_hyp"`
	SentenceBLEU map[string]float64 `json:"sentence_bleu"`
	Stats        struct {
		SysLen int `json:"sys_len"`
		RefLen int `json:"ref_len"`
		Counts []float64
		Totals []float64
		BP     float64
	} `json:"bleu_13a_stats"`
	CHRF map[string]float64
	TER  map[string]struct {
		Score, Edits float64
		RefLen       float64 `json:"ref_len"`
	}
}

func TestGoldenEdge(t *testing.T) {
	edge := golden[struct {
		Corpus map[string]any
		Cases  []edgeCase
	}](t, "sacrebleu_edge.json")
	var hyps []string
	var refs [][]string
	for _, c := range edge.Cases {
		checkEdgeCase(t, c)
		hyps, refs = append(hyps, c.Hyp), append(refs, c.Refs[:1])
	}
	for name, want := range edge.Corpus {
		base, isSignature := strings.CutSuffix(name, "_signature")
		m := variants[base]
		if isSignature {
			want := strings.Replace(want.(string), "version:2.6.0", "assay-lexical:"+Version, 1)
			if got := m.Signature(References(refs)); got != want {
				t.Errorf("%s: Signature = %s, want %s", base, got, want)
			}
			continue
		}
		near(t, name, m.Score(Sum(Statistics(m, hyps, refs))), want.(float64))
	}
}

func checkEdgeCase(t *testing.T, c edgeCase) {
	t.Helper()
	for name, want := range c.Tokenized {
		if got, err := Tokenize(name, c.Hyp); err != nil || got != want {
			t.Errorf("case %d: Tokenize(%s, %q) = %q, %v; want %q", c.ID, name, c.Hyp, got, err, want)
		}
	}
	for _, scores := range []map[string]float64{c.SentenceBLEU, c.CHRF} {
		for name, want := range scores {
			m := variants[name]
			near(t, name+" of "+c.Hyp, m.Score(m.Segment(c.Hyp, c.Refs)), want)
		}
	}
	detail := BLEU{}.Detail(BLEU{}.Segment(c.Hyp, c.Refs))
	near(t, "length of "+c.Hyp, detail.HypothesisLength, float64(c.Stats.SysLen))
	near(t, "reference length of "+c.Hyp, detail.ReferenceLength, float64(c.Stats.RefLen))
	near(t, "brevity penalty of "+c.Hyp, detail.BrevityPenalty, c.Stats.BP)
	nearAll(t, "matches of "+c.Hyp, detail.Matches, c.Stats.Counts)
	nearAll(t, "totals of "+c.Hyp, detail.Totals, c.Stats.Totals)
	for name, want := range c.TER {
		m := variants[name]
		stats := m.Segment(c.Hyp, c.Refs)
		near(t, "TER "+name+" of "+c.Hyp, m.Score(stats), want.Score)
		nearAll(t, "edits and length of "+c.Hyp, stats, []float64{want.Edits, want.RefLen})
	}
}

func TestGoldenWMT17(t *testing.T) {
	wmt := golden[struct {
		Systems []struct {
			System     string
			BLEUNone   float64   `json:"bleu_none"`
			BLEU13a    float64   `json:"bleu_13a"`
			BLEULower  float64   `json:"bleu_13a_lc"`
			BLEUIntl   float64   `json:"bleu_intl"`
			BLEUChar   float64   `json:"bleu_char"`
			BLEUZh     float64   `json:"bleu_zh"`
			CHRF2      float64   `json:"chrf2"`
			CHRF2pp    float64   `json:"chrf2pp"`
			Counts     []float64 `json:"bleu_13a_counts"`
			Totals     []float64 `json:"bleu_13a_totals"`
			Precisions []float64 `json:"bleu_13a_precisions"`
			SysLen     float64   `json:"sys_len"`
			RefLen     float64   `json:"ref_len"`
			BP         float64
			TER200     float64                                       `json:"ter_first200"`
			Sentences  []struct{ BLEU, CHRF2, CHRF2pp, TER float64 } `json:"sentence_first60"`
		}
	}](t, "sacrebleu_wmt17.json")
	refs := singles(dataLines(t, "wmt17_en_de/reference.txt.gz"))
	for _, system := range wmt.Systems {
		t.Run(system.System, func(t *testing.T) {
			t.Parallel()
			hyps := dataLines(t, "wmt17_en_de/"+system.System+".txt.gz")
			for name, want := range map[string]float64{
				"bleu_none": system.BLEUNone, "bleu_13a": system.BLEU13a, "bleu_13a_lc": system.BLEULower, "bleu_intl": system.BLEUIntl,
				"bleu_char": system.BLEUChar, "bleu_zh": system.BLEUZh, "chrf2": system.CHRF2, "chrf2pp": system.CHRF2pp,
			} {
				near(t, name, variants[name].Score(Sum(Statistics(variants[name], hyps, refs))), want)
			}
			near(t, "TER", TER{}.Score(Sum(Statistics(TER{}, hyps[:200], refs[:200]))), system.TER200)
			detail := BLEU{}.Detail(Sum(Statistics(BLEU{}, hyps, refs)))
			nearAll(t, "matches", detail.Matches, system.Counts)
			nearAll(t, "totals", detail.Totals, system.Totals)
			nearAll(t, "precisions", detail.Precisions, system.Precisions)
			nearAll(t, "lengths and penalty", []float64{detail.HypothesisLength, detail.ReferenceLength, detail.BrevityPenalty},
				[]float64{system.SysLen, system.RefLen, system.BP})
			for i, want := range system.Sentences {
				for m, want := range map[CorpusMetric]float64{
					BLEU{EffectiveOrder: true}: want.BLEU, CHRF{}: want.CHRF2, CHRF{WordOrder: 2}: want.CHRF2pp, TER{}: want.TER,
				} {
					near(t, m.Name(), m.Score(m.Segment(hyps[i], refs[i])), want)
				}
			}
		})
	}
}

// singles makes each text the only reference of its segment.
func singles(texts []string) [][]string {
	all := make([][]string, len(texts))
	for i := range texts {
		all[i] = texts[i : i+1]
	}
	return all
}
