package accuracy

import (
	"os"
	"strings"
	"testing"

	"assay/record"
)

// Synonyms count where there is a WordNet; where there is none, nothing is graded and the
// reason says what to do.
func TestMETEORWithSynonyms(t *testing.T) {
	answer := &Answer{State: Answered, Text: "a fast car", Key: &record.AnswerKey{References: []string{"a fast auto"}}}
	g, err := Find("meteor_wordnet")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(g.Signature(1), "|syn:wordnet|") {
		t.Errorf("signature %s", g.Signature(1))
	}
	t.Setenv(wordNetVariable, t.TempDir())
	if _, err := one(g, answer); !strings.Contains(notHere(err), "install WordNet 3.0") {
		t.Errorf("got %v, want what to install", err)
	}
	if _, err := os.Stat(wordNetFolder); err != nil {
		t.Skip("no synonyms: apt-get install wordnet-base")
	}
	t.Setenv(wordNetVariable, "")
	with, plain := score(t, "meteor_wordnet", answer).Estimate.Value, score(t, "meteor", answer).Estimate.Value
	if want := 1 - .5/27; !near(with, want) || plain >= with { // three words in one piece
		t.Errorf("METEOR with synonyms = %v, want %v; without %v", with, want, plain)
	}
}

// Scores with WordNet are NLTK's.
func TestMETEORAgrees(t *testing.T) {
	if _, err := os.Stat(wordNetFolder); err != nil {
		t.Skip("no synonyms: apt-get install wordnet-base")
	}
	var want struct {
		Cases []struct {
			Said       []string   `json:"hyp_tokens"`
			References [][]string `json:"refs_tokens"`
			With       float64    `json:"meteor_wordnet30"`
		}
	}
	golden(t, "meteor.json", &want)
	var answers []*Answer
	for _, c := range want.Cases {
		key := &record.AnswerKey{}
		for _, words := range c.References {
			key.References = append(key.References, strings.Join(words, " "))
		}
		answers = append(answers, &Answer{State: Answered, Text: strings.Join(c.Said, " "), Key: key})
	}
	g, err := Find("meteor_wordnet")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := g.all(answers)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if !near(*row.Score, want.Cases[i].With) {
			t.Errorf("%q: got %v, want %v", answers[i].Text, *row.Score, want.Cases[i].With)
		}
	}
}
