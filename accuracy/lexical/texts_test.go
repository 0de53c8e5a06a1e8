package lexical

import (
	"os"
	"slices"
	"strings"
	"testing"

	"assay/tests/texts"
)

func TestGoldenPorter(t *testing.T) {
	porter := golden[struct{ Words [][]string }](t, "porter.json")
	for _, row := range porter.Words {
		if got := stemOf(row[0]); got != row[1] {
			t.Errorf("Stem(%s) = %s, want %s", row[0], got, row[1])
		}
	}
}

func TestGoldenROUGEEdge(t *testing.T) {
	edge := golden[struct {
		Cases []struct {
			Target, Prediction string
			Stem0, Stem1       map[string][]float64
			Tokens             map[string][]string `json:"tokens_stem1"`
		}
	}](t, "rouge_edge.json")
	for _, c := range edge.Cases {
		for stemmed, scores := range map[bool]map[string][]float64{false: c.Stem0, true: c.Stem1} {
			for name, want := range scores {
				r := ROUGE{Type: name[len("rouge"):], Stem: stemmed}
				got := r.Text(c.Prediction, []string{c.Target})
				nearAll(t, r.Signature(1)+" of "+c.Prediction, []float64{got.Precision, got.Recall, got.F}, want)
			}
		}
		for name, text := range map[string]string{"target": c.Target, "prediction": c.Prediction} {
			s := borrow()
			var got []string
			for _, line := range s.rougeWords(nil, text, true) {
				got = append(got, s.words.spelling(line))
			}
			if want := c.Tokens[name]; !slices.Equal(got, want) {
				t.Errorf("words of %q = %q, want %q", text, got, want)
			}
		}
	}
}

// spelling is the word of a number.
func (in *interner) spelling(word uint32) string {
	for _, slot := range in.slots {
		if slot.epoch == in.epoch && slot.word == word {
			return string(in.text[slot.start : slot.start+slot.size])
		}
	}
	return ""
}

func TestROUGEsAreROUGE(t *testing.T) {
	types := []string{"1", "2", "L"}
	for _, pair := range texts.New(9).Pairs(200) {
		for k, got := range ROUGEs(types, true, pair.Hyp, pair.Refs) {
			if want := (ROUGE{Type: types[k], Stem: true}).Text(pair.Hyp, pair.Refs); got != want {
				t.Errorf("ROUGE-%s of %q with others = %v, by itself %v", types[k], pair.Hyp, got, want)
			}
		}
	}
}

func TestGoldenROUGELines(t *testing.T) {
	type means map[string][]float64
	large := golden[struct {
		Mean  map[string]means `json:"mean_over_these_lines"`
		Lines [][]any
	}](t, "rouge_large_perline.json")
	targets, predictions := dataLines(t, "rouge/target_large.txt"), dataLines(t, "rouge/prediction_large.txt")
	for stemmed, name := range map[bool]string{false: "stem0", true: "stem1"} {
		for k, kind := range []string{"1", "2", "L"} {
			r := ROUGE{Type: kind, Stem: stemmed}
			var all [][]float64
			for _, row := range large.Lines {
				line := int(row[0].(float64))
				stats := r.Segment(predictions[line], targets[line:line+1])
				all = append(all, stats)
				for i, want := range row[1+choose(stemmed, 1, 0)].([]any)[k].([]any) {
					if got := stats[i]; abs(int(1e10*(got-want.(float64)))) > 10 { // written with 9 decimals
						t.Errorf("line %d, %s: %v, want %v", line, r.Signature(1), got, want)
					}
				}
			}
			sum := Sum(all)
			for i, want := range large.Mean[name]["rouge"+kind] {
				near(t, r.Name(), sum[i]/sum[3], want)
			}
		}
	}
}

type meteorCase struct {
	Hyp       []string   `json:"hyp_tokens"`
	Refs      [][]string `json:"refs_tokens"`
	With      float64    `json:"meteor_wordnet30"`
	Without   float64    `json:"meteor_no_wordnet"`
	Alignment [][]int    `json:"alignment_ref0_wordnet30"`
}

func (c meteorCase) score(m METEOR) float64 {
	var references []string
	for _, words := range c.Refs {
		references = append(references, strings.Join(words, " "))
	}
	return m.Segment(strings.Join(c.Hyp, " "), references)[0]
}

func TestGoldenMETEOR(t *testing.T) {
	for _, c := range golden[struct{ Cases []meteorCase }](t, "meteor.json").Cases {
		near(t, "METEOR", c.score(METEOR{}), c.Without)
	}
}

// wordNet opens the database of Debian's package wordnet-base.
func wordNet(t *testing.T) *WordNet {
	t.Helper()
	const folder = "/usr/share/wordnet"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("WordNet is not there: apt-get install wordnet-base")
	}
	wordnet, err := OpenWordNet(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	return wordnet
}

func TestGoldenMETEORWithWordNet(t *testing.T) {
	cases := golden[struct{ Cases []meteorCase }](t, "meteor.json").Cases
	wordnet := wordNet(t)
	for _, c := range cases {
		near(t, "METEOR", c.score(METEOR{Synonyms: wordnet}), c.With)
		s := borrow()
		s.meteor.hyp, s.meteor.ref = s.meteorText(nil, strings.Join(c.Hyp, " ")), s.meteorText(nil, strings.Join(c.Refs[0], " "))
		for i, pair := range s.meteor.align(s, wordnet) {
			if pair.hyp != c.Alignment[i][0] || pair.ref != c.Alignment[i][1] {
				t.Errorf("pair %d of %q is %v, want %v", i, c.Hyp, pair, c.Alignment[i])
			}
		}
	}
}
