package exam

import (
	"errors"
	"fmt"
	"strings"

	"assay/record"
	"assay/spec"
)

// mbpp is short programs asked for in a sentence, with the assertions that they must pass.
var mbpp = Family{
	Name: spec.FamilyMBPP,
	Doc:  "Programs (MBPP): JSON lines with task_id, text (or prompt), code, test_list and, where needed, test_setup_code.",
	Styles: []Style{{
		Name: "instruct", Doc: "The sentence and the assertions, and the wish for one block of code; worked examples are answered in the same way.",
		Tokens: 1024, Chat: true, put: one(putMBPP),
	}},
	read: readMBPP,
}

func putMBPP(item Item, shots []Item) string {
	var b strings.Builder
	for _, shot := range shots {
		b.WriteString(askMBPP(shot) + "\n\n```python\n" + strings.TrimSpace(shot.Answer) + "\n```\n\n")
	}
	b.WriteString(askMBPP(item))
	return b.String()
}

func askMBPP(item Item) string {
	return item.Text + "\nAnswer with one block of Python code that passes these tests:\n\n" + item.Context
}

func readMBPP(path string, _ spec.Task) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(_ int, row struct {
		ID     int `json:"task_id"`
		Text   string
		Prompt string // the name in the sanitised part
		Code   string
		Setup  string   `json:"test_setup_code"`
		Tests  []string `json:"test_list"`
	}) error {
		if row.Text += row.Prompt; row.Text == "" || len(row.Tests) == 0 {
			return errors.New("want text and test_list")
		}
		tests := strings.Join(row.Tests, "\n")
		items = append(items, Item{
			ID: fmt.Sprint(row.ID), Text: row.Text, Context: tests, Answer: row.Code,
			Key: record.AnswerKey{References: []string{row.Code}, Program: &record.ProgramKey{Test: tests, Prepare: row.Setup}},
		})
		return nil
	})
	return items, err
}
