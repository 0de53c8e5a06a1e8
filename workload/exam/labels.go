package exam

import (
	"fmt"
	"strings"

	"assay/record"
)

// A labelled is a task whose answers are one of a few labels, put as lines of its parts
// and a question that names the labels.
type labelled struct {
	doc    string
	parts  []part
	asks   string
	labels []string          // as they are asked for; of two the second is the positive one
	means  map[string]string // what the file says for a label, where that is another word

	label string // the column or field of the right one
	scale bool   // a number is asked for, and no label
}

// A part is a column or field, and the word before it.
type part struct{ field, word string }

// style is how such a task is asked.
func (l labelled) style(name string) Style {
	return Style{Name: name, Doc: l.doc + " Asked as: " + l.asks, Tokens: 16, Stop: []string{"\n"}, Chat: true, put: one(putLabelled)}
}

func putLabelled(item Item, shots []Item) string {
	return eachBefore(shots, item, " ", func(item Item) string { return item.Text + "\nAnswer:" })
}

// item makes a question of the values of a row.
func (l labelled) item(number int, row map[string]string, label string) (Item, error) {
	var b strings.Builder
	for _, p := range l.parts {
		value, ok := row[p.field]
		if !ok {
			return Item{}, fmt.Errorf("no field %s: is it another task of the family?", p.field)
		}
		fmt.Fprintf(&b, "%s: %s\n", p.word, strings.TrimSpace(value))
	}
	item := Item{ID: fmt.Sprint(number), Text: b.String() + l.asks}
	if l.scale {
		item.Answer, item.Key = label, record.AnswerKey{References: []string{label}}
		return item, nil
	}
	if word, ok := l.means[label]; ok {
		label = word
	}
	for _, known := range l.labels {
		if label == known {
			item.Answer, item.Key = label, record.AnswerKey{References: []string{label}, Labels: l.labels}
			return item, nil
		}
	}
	return Item{}, fmt.Errorf("label %q: want one of %s", label, strings.Join(l.labels, ", "))
}

var (
	yesNo       = []string{"no", "yes"}
	meansYes    = map[string]string{"0": "no", "1": "yes", "false": "no", "true": "yes"}
	entails     = map[string]string{"not_entailment": "no", "entailment": "yes", "0": "no", "1": "yes"}
	threeWays   = []string{"yes", "maybe", "no"}
	meansThree  = map[string]string{"entailment": "yes", "neutral": "maybe", "contradiction": "no"}
	premise     = []part{{"premise", "Premise"}, {"hypothesis", "Hypothesis"}}
	sentences   = []part{{"sentence1", "Sentence 1"}, {"sentence2", "Sentence 2"}}
	followsFrom = "Does the second follow from the first? Answer with yes or no."
)

// choose finds the task of a style.
func choose(tasks []namedTask, style string) (labelled, error) {
	for _, t := range tasks {
		if t.name == style || style == "" {
			return t.labelled, nil
		}
	}
	return labelled{}, fmt.Errorf("style %q is not known", style)
}

// A namedTask is a labelled task under the name of its style.
type namedTask struct {
	name string
	labelled
}

func stylesOf(tasks []namedTask) (styles []Style) {
	for _, t := range tasks {
		styles = append(styles, t.style(t.name))
	}
	return styles
}
