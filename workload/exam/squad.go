package exam

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"assay/record"
	"assay/spec"
)

// The groups of SQuAD 2.0, as its official script names them: questions that their passage
// answers, and those that it does not.
const (
	hasAnswer = "HasAns"
	noAnswer  = "NoAns"
)

// squad is questions about passages, whose answers stand in them. Questions about one
// passage are no independent ones.
var squad = Family{
	Name: spec.FamilySQuAD,
	Doc:  "Questions about passages (SQuAD 1.1 and 2.0): the published JSON, by articles or as one list.",
	Styles: []Style{
		{
			Name: "extract", Doc: "Passage, question and Answer:, for files in which every question has an answer.",
			Tokens: 64, Stop: []string{"\n"}, Chat: true, put: one(putSQuAD),
		},
		{
			Name: "extract-or-none", Doc: "The same, and the word unanswerable where the passage does not say it (2.0); scored over all questions and by HasAns and NoAns.",
			Tokens: 64, Stop: []string{"\n"}, Chat: true, put: one(putSQuADOrNone),
		},
	},
	read: readSQuAD, tellingGroups: true,
}

func putSQuAD(item Item, shots []Item) string {
	return eachBefore(shots, item, " ", func(item Item) string {
		return "Passage: " + strings.TrimSpace(item.Context) + "\nQuestion: " + strings.TrimSpace(item.Text) + "\nAnswer:"
	})
}

func putSQuADOrNone(item Item, shots []Item) string {
	return "Answer each question with words of its passage. Where the passage does not say it, answer: " + record.Unanswerable + "\n\n" + putSQuAD(item, shots)
}

// eachBefore is the question of an item behind worked examples, which are parted by an
// empty line.
func eachBefore(shots []Item, item Item, delimiter string, ask func(Item) string) string {
	var b strings.Builder
	for _, shot := range shots {
		b.WriteString(ask(shot) + delimiter + shot.Answer + "\n\n")
	}
	b.WriteString(ask(item))
	return b.String()
}

// A squadQuestion is a question with its answers: a list of them, or a list for each
// property of them.
type squadQuestion struct {
	ID       string
	Question string
	Context  string // in files that are one list
	Answers  json.RawMessage
}

func readSQuAD(path string, t spec.Task) ([]Item, error) {
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Data []struct {
			squadQuestion
			Paragraphs []struct {
				Context string
				QAs     []squadQuestion
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var items []Item
	add := func(q squadQuestion, context string) error {
		item, err := q.item(context, t.Style)
		items = append(items, item)
		return err
	}
	for _, entry := range file.Data {
		if entry.Question != "" {
			if err := add(entry.squadQuestion, entry.Context); err != nil {
				return nil, err
			}
		}
		for _, p := range entry.Paragraphs {
			for _, q := range p.QAs {
				if err := add(q, p.Context); err != nil {
					return nil, err
				}
			}
		}
	}
	return items, nil
}

func (q squadQuestion) item(context, style string) (Item, error) {
	var list []struct{ Text string }
	var columns struct{ Text []string }
	var answers []string
	if json.Unmarshal(q.Answers, &list) == nil {
		for _, a := range list {
			answers = append(answers, a.Text)
		}
	} else if err := json.Unmarshal(q.Answers, &columns); err != nil {
		return Item{}, errors.New("question " + q.ID + ": answers: want a list of texts")
	} else {
		answers = columns.Text
	}
	group := ""
	if style != "extract" {
		group = hasAnswer
	}
	if len(answers) == 0 {
		if style == "extract" {
			return Item{}, errors.New("question " + q.ID + " has no answer: want the style extract-or-none")
		}
		answers, group = []string{record.Unanswerable}, noAnswer
	}
	sum := sha256.Sum256([]byte(context))
	return Item{
		ID: q.ID, Group: group, Cluster: hex.EncodeToString(sum[:6]), Text: q.Question, Context: context, Answer: answers[0],
		Key: record.AnswerKey{References: answers},
	}, nil
}
