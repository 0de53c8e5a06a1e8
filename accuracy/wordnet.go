package accuracy

import (
	"cmp"
	"os"

	"assay/accuracy/lexical"
)

// Where a WordNet database is: in the folder that the variable names, or where Debian
// installs one.
const (
	wordNetVariable = "ASSAY_WORDNET"
	wordNetFolder   = "/usr/share/wordnet"
)

// synonymGraders need a WordNet, which is no part of the program. A score without synonyms
// is another score, so a host that has none gives no score.
var synonymGraders = []Grader{{
	Name: "meteor_wordnet", Doc: "METEOR as NLTK has it, with the synonyms of a WordNet 3.0 in $ASSAY_WORDNET or /usr/share/wordnet; a host that has none cannot grade it.",
	Corpus: lexical.METEOR{}.Score, Signature: lexical.METEOR{Synonyms: new(lexical.WordNet)}.Signature, batch: gradeSynonyms,
}}

// gradeSynonyms reads the database once for all answers.
func gradeSynonyms(answers []*Answer) ([]Mark, error) {
	folder := cmp.Or(os.Getenv(wordNetVariable), wordNetFolder)
	wordnet, err := lexical.OpenWordNet(os.DirFS(folder))
	if err != nil {
		return nil, &unavailableError{"no synonyms in " + folder + " (" + err.Error() + "): install WordNet 3.0 (Debian: wordnet-base), or set " + wordNetVariable + " to its folder"}
	}
	return overCorpus("meteor_wordnet", "", lexical.METEOR{Synonyms: wordnet}, 1).marks(answers)
}
