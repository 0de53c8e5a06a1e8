package accuracy

import (
	"math"

	"assay/accuracy/lexical"
	"assay/unit"
)

// corpusGraders compare texts with their references. Their score is that of all texts
// together, which is no mean of the scores of each. Scales of 100 are divided by it.
var corpusGraders = []Grader{
	overCorpus("bleu", "BLEU as sacrebleu has it by default (13a, exponential smoothing), of 1.", lexical.BLEU{}, 100),
	overCorpus("chrf", "chrF2 as sacrebleu has it, of 1.", lexical.CHRF{}, 100),
	overCorpus("chrf++", "chrF2++ as sacrebleu has it, of 1.", lexical.CHRF{WordOrder: 2}, 100),
	lower(overCorpus("ter", "Translation edit rate as sacrebleu has it: edits per word of the reference.", lexical.TER{}, 100)),
	overCorpus("rouge1", "F of the words that answer and reference share, as rouge_score has it, with stems.", lexical.ROUGE{Type: "1", Stem: true}, 1),
	overCorpus("rouge2", "The same of pairs of words.", lexical.ROUGE{Type: "2", Stem: true}, 1),
	overCorpus("rougeL", "The same of the longest common subsequence.", lexical.ROUGE{Type: "L", Stem: true}, 1),
	overCorpus("rougeLsum", "The same, line by line.", lexical.ROUGE{Type: "Lsum", Stem: true}, 1),
	overCorpus("meteor", "METEOR as NLTK has it, without synonyms.", lexical.METEOR{}, 1),
}

// overCorpus is a grader by a metric of a whole corpus.
func overCorpus(name, doc string, m lexical.CorpusMetric, scale float64) Grader {
	score := func(sums []float64) float64 { return m.Score(sums) / scale }
	return Grader{
		Name: name, Doc: doc, Corpus: score, Signature: m.Signature,
		grade: func(a *Answer) (Mark, error) {
			if len(a.Key.References) == 0 {
				return Mark{}, errNoReference
			}
			stats := m.Segment(a.Text, a.Key.References)
			return Mark{Score: score(stats), Stats: stats}, nil
		},
	}
}

func lower(g Grader) Grader {
	g.Lower = true
	return g
}

// textLikelihoods judge how likely a model finds given texts. The first token of a text
// has no probability unless the server puts a mark before it, and then it is not counted. The
// score of one text is its log-likelihood: its own perplexity may be larger than any number.
var textLikelihoods = []Grader{
	perplexity("word_perplexity", "Perplexity of a word of the given texts, as lm-eval counts words.", unit.Ratio, lexical.Likelihood.PerWord),
	perplexity("byte_perplexity", "Perplexity of a byte of the given texts.", unit.Ratio, lexical.Likelihood.PerByte),
	perplexity("token_perplexity", "Perplexity of a token of the given texts; it compares only models that have the same tokenizer.", unit.Ratio, lexical.Likelihood.PerToken),
	perplexity("bits_per_byte", "Bits that a byte of the given texts costs.", unit.Ratio, lexical.Likelihood.BitsPerByte),
	{
		Name: "perplexity", Doc: "e to the mean negative log-likelihood of the right continuations, as lm-eval has it.",
		Lower: true, Unit: unit.Ratio, Likelihood: true, Corpus: func(sums []float64) float64 { return math.Exp(-sums[0] / sums[1]) },
		grade: func(a *Answer) (Mark, error) {
			sum, greedy, err := Likelihood(a.Replies[0])
			if err != nil {
				return Mark{Unparsed: true, Why: err.Error()}, nil
			}
			return Mark{Score: sum, Stats: []float64{sum, 1}, Why: greedyWord(greedy)}, nil
		},
	},
	{
		Name: "greedy", Doc: "The right continuation is the likeliest at each of its tokens: what would be said at temperature 0.", Likelihood: true,
		grade: func(a *Answer) (Mark, error) {
			_, greedy, err := Likelihood(a.Replies[0])
			if err != nil {
				return Mark{Unparsed: true, Why: err.Error()}, nil
			}
			return Mark{Score: truth(greedy)}, nil
		},
	},
}

func greedyWord(greedy bool) string {
	if greedy {
		return "the likeliest at each token"
	}
	return ""
}

// perplexity is a grader by the likelihood of whole texts.
func perplexity(name, doc string, u unit.Unit, of func(lexical.Likelihood) float64) Grader {
	score := func(sums []float64) float64 {
		return of(lexical.Likelihood{Log: sums[0], Tokens: int(sums[1]), Words: int(sums[2]), Bytes: int(sums[3])})
	}
	return Grader{
		Name: name, Doc: doc, Lower: true, Unit: u, Likelihood: true, Corpus: score,
		grade: func(a *Answer) (Mark, error) {
			from, end, err := a.Replies[0].continuation()
			if err != nil {
				return Mark{Unparsed: true, Why: err.Error()}, nil
			}
			var values []float64
			text := ""
			for i := from; i < end; i++ {
				if value := a.Replies[0].Logprobs.Values[i]; value != nil {
					values = append(values, *value)
					text += a.Replies[0].Logprobs.Tokens[i]
				}
			}
			if len(values) == 0 {
				return Mark{Unparsed: true, Why: "no token of the text has a probability"}, nil
			}
			l := lexical.LikelihoodOf(text, values)
			stats := []float64{l.Log, float64(l.Tokens), float64(l.Words), float64(l.Bytes)}
			return Mark{Score: l.Log, Stats: stats}, nil
		},
	}
}
