package exam

import (
	"fmt"
	"strings"

	"assay/spec"
)

// glue is the nine tasks of GLUE, each of which is a style: what is asked of a file
// depends on the task.
var glue = Family{
	Name:   spec.FamilyGLUE,
	Doc:    "GLUE: the published tsv file of one task; the style names the task.",
	Styles: stylesOf(glueTasks),
	read:   readGLUE,
}

// glueTasks name columns as the published files do. CoLA's has no header.
var glueTasks = []namedTask{
	{"cola", labelled{
		doc:   "Is a sentence good English?",
		parts: []part{{"3", "Sentence"}}, asks: "Is this sentence grammatically acceptable? Answer with yes or no.", labels: yesNo, means: meansYes, label: "1",
	}},
	{"sst2", labelled{
		doc:   "Is a review positive?",
		parts: []part{{"sentence", "Review"}}, asks: "Is this review positive or negative?", labels: []string{"negative", "positive"}, means: map[string]string{"0": "negative", "1": "positive"}, label: "label",
	}},
	{"mrpc", labelled{
		doc:   "Do two sentences say the same?",
		parts: []part{{"#1 String", "Sentence 1"}, {"#2 String", "Sentence 2"}}, asks: "Do both sentences mean the same? Answer with yes or no.", labels: yesNo, means: meansYes, label: "Quality",
	}},
	{"stsb", labelled{
		doc:   "How alike are two sentences, from 0 to 5?",
		parts: sentences, asks: "How similar are the meanings of both sentences, from 0 (nothing in common) to 5 (the same)? Answer with a number.", scale: true, label: "score",
	}},
	{"qqp", labelled{
		doc:   "Do two questions ask the same?",
		parts: []part{{"question1", "Question 1"}, {"question2", "Question 2"}}, asks: "Do both questions ask the same? Answer with yes or no.", labels: yesNo, means: meansYes, label: "is_duplicate",
	}},
	{"mnli", labelled{
		doc:   "Does one sentence follow from another, perhaps, or not?",
		parts: sentences, asks: "Does the second follow from the first? Answer with yes, maybe or no.", labels: threeWays, means: meansThree, label: "gold_label",
	}},
	{"qnli", labelled{
		doc:   "Does a sentence answer a question?",
		parts: []part{{"question", "Question"}, {"sentence", "Sentence"}}, asks: "Does the sentence answer the question? Answer with yes or no.", labels: yesNo, means: entails, label: "label",
	}},
	{"rte", labelled{
		doc:   "Does one sentence follow from another?",
		parts: sentences, asks: followsFrom, labels: yesNo, means: entails, label: "label",
	}},
	{"wnli", labelled{
		doc:   "Does a sentence with its pronoun replaced follow from another?",
		parts: sentences, asks: followsFrom, labels: yesNo, means: entails, label: "label",
	}},
}

// readGLUE reads a tsv file. Its fields are not quoted: quotation marks are text.
func readGLUE(path string, t spec.Task) ([]Item, error) {
	task, err := choose(glueTasks, t.Style)
	if err != nil {
		return nil, err
	}
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	header := strings.Split(strings.TrimSuffix(lines[0], "\r"), "\t")
	if task.label == "1" { // CoLA: columns by number, from the first line on
		header = []string{"0", "1", "2", "3"}
	} else {
		lines = lines[1:]
	}
	var items []Item
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		row := map[string]string{}
		for at, value := range strings.Split(line, "\t") {
			if at < len(header) {
				row[header[at]] = value
			}
		}
		label, ok := row[task.label]
		if !ok {
			return nil, fmt.Errorf("row %d: no column %s: is it another task than %s?", i+1, task.label, t.Style)
		}
		item, err := task.item(i+1, row, label)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		items = append(items, item)
	}
	return items, nil
}
