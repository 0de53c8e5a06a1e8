package exam

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/record"
	"assay/spec"
)

// letters name the choices.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// mmlu is questions with four choices, one csv file for each subject.
var mmlu = Family{
	Name:   spec.FamilyMMLU,
	Doc:    "Multiple choice as MMLU publishes it: a csv file, or a folder with one for each subject; question, A, B, C, D, letter.",
	Styles: choiceStyles,
	read:   readMMLU,
}

// choiceStyles are the ways of asking a multiple choice. They give different numbers, and
// rank systems differently: which one it was is part of a result.
var choiceStyles = []Style{
	{
		Name: "letter", Doc: "The letter is generated: at most five tokens, up to the end of the line.",
		Tokens: 5, Stop: []string{"\n"}, Chat: true, put: one(putChoices),
	},
	{
		Name: "chain-of-thought", Doc: "The answer is reasoned out and ends in Answer: LETTER; no worked examples.",
		Tokens: 2048, Chat: true, put: one(putReasoned),
	},
	{
		Name: "top-logprobs", Doc: "One token; the likeliest letter among its twenty alternatives. A letter that is not among them cannot win.",
		Tokens: 1, Logprobs: 20, Chat: true, put: one(putChoices),
	},
	{
		Name: "hendrycks", Doc: "One token with a hundred alternatives and a header that names the subject, as the set's authors ask.",
		Tokens: 1, Logprobs: 100, put: one(putHendrycks),
	},
	{
		Name: "likelihood", Doc: "The likelihood of each letter as the continuation, by echo, as lm-eval asks.",
		Tokens: 1, Logprobs: 1, Echo: true, put: putLikelihood,
	},
	{
		Name: "cloze", Doc: "The likelihood of each choice's own words after Question: … Answer:, by echo; the choices are not shown.",
		Tokens: 1, Logprobs: 1, Echo: true, put: putCloze,
	},
	{
		Name: "cloze-information", Doc: "As cloze, and each choice again after Answer: alone, which says how likely it is without the question.",
		Tokens: 1, Logprobs: 1, Echo: true, put: putClozeInformation,
	},
}

// choicesOf is the question and its choices, up to the word before the answer.
func choicesOf(item Item) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(item.Text))
	for i, choice := range item.Key.Choices {
		fmt.Fprintf(&b, "\n%c. %s", letters[i], choice)
	}
	b.WriteString("\nAnswer:")
	return b.String()
}

func putChoices(item Item, shots []Item) string {
	var b strings.Builder
	if subject := strings.ReplaceAll(item.Group, "_", " "); subject != "" && len(shots) > 0 {
		b.WriteString("The following are multiple choice questions (with answers) about " + subject + ".\n\n")
	}
	for _, shot := range shots {
		fmt.Fprintf(&b, "%s %c\n\n", choicesOf(shot), letters[*shot.Key.Target])
	}
	b.WriteString(choicesOf(item))
	return b.String()
}

func putReasoned(item Item, _ []Item) string {
	question := strings.TrimSuffix(choicesOf(item), "\nAnswer:")
	last := letters[len(item.Key.Choices)-1]
	return fmt.Sprintf("Answer the following multiple choice question. Think step by step, then write a last line of the form \"Answer: X\", where X is one of the letters A to %c.\n\n%s", last, question)
}

// putHendrycks keeps a quirk of the set's authors: two spaces before the subject.
func putHendrycks(item Item, shots []Item) string {
	var b strings.Builder
	b.WriteString("The following are multiple choice questions (with answers) about  " + strings.ReplaceAll(item.Group, "_", " ") + ".\n\n")
	for _, shot := range shots {
		fmt.Fprintf(&b, "%s %c\n\n", unstripped(shot), letters[*shot.Key.Target])
	}
	b.WriteString(unstripped(item))
	return b.String()
}

func unstripped(item Item) string {
	trimmed := strings.TrimSpace(item.Text)
	return item.Text + strings.TrimPrefix(choicesOf(item), trimmed)
}

func putLikelihood(item Item, shots []Item, _ spec.Task) []Put {
	return continued(putChoices(item, shots), strings.Split(letters[:len(item.Key.Choices)], ""))
}

func putCloze(item Item, shots []Item, _ spec.Task) []Put {
	var b strings.Builder
	for _, shot := range shots {
		fmt.Fprintf(&b, "Question: %s\nAnswer: %s\n\n", strings.TrimSpace(shot.Text), shot.Key.Choices[*shot.Key.Target])
	}
	b.WriteString("Question: " + strings.TrimSpace(item.Text) + "\nAnswer:")
	return continued(b.String(), item.Key.Choices)
}

func putClozeInformation(item Item, shots []Item, t spec.Task) []Put {
	return append(putCloze(item, shots, t), continued("Answer:", item.Key.Choices)...)
}

// continued is the context with each choice as what is said next.
func continued(context string, choices []string) (puts []Put) {
	for _, choice := range choices {
		puts = append(puts, Put{Prompt: context + " " + choice, Said: " " + choice})
	}
	return puts
}

// readMMLU reads a file of one subject, or a folder of them.
func readMMLU(path string, t spec.Task) ([]Item, error) {
	return eachSubject(path, func(path, subject string) ([]Item, error) {
		data, err := readAll(path)
		if err != nil {
			return nil, err
		}
		rows := csv.NewReader(strings.NewReader(string(data)))
		rows.FieldsPerRecord = 6
		records, err := rows.ReadAll()
		if err != nil {
			return nil, err
		}
		var items []Item
		for i, row := range records {
			if i == 0 && row[5] == "Answer" {
				continue // a header
			}
			target := strings.Index("ABCD", strings.TrimSpace(row[5]))
			if target < 0 {
				return nil, fmt.Errorf("row %d: the answer is %q, want a letter from A to D", i+1, row[5])
			}
			items = append(items, Item{
				ID: fmt.Sprintf("%s/%d", subject, i+1), Group: subject, Text: row[0],
				Key: record.AnswerKey{Choices: row[1:5], Target: &target},
			})
		}
		return items, nil
	})
}

// eachSubject reads a file, or every csv file of a folder; the file's name is the subject.
func eachSubject(path string, read func(path, subject string) ([]Item, error)) ([]Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	names := []string{filepath.Base(path)}
	folder := filepath.Dir(path)
	if info.IsDir() {
		folder = path
		if names, err = filesIn(path); err != nil {
			return nil, err
		}
	}
	var all []Item
	for _, name := range names {
		subject, ok := strings.CutSuffix(name, ".csv")
		if !ok {
			return nil, fmt.Errorf("%s: %w", name, errors.New("want csv files alone"))
		}
		subject = strings.TrimPrefix(subject, "mmlu_")
		for _, part := range []string{"_test", "_dev", "_val"} {
			subject = strings.TrimSuffix(subject, part)
		}
		items, err := read(filepath.Join(folder, name), subject)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, items...)
	}
	return all, nil
}
