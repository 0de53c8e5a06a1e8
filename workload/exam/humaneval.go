package exam

import (
	"errors"
	"strings"

	"assay/record"
	"assay/spec"
)

// humanEval is Python functions to be completed from their signature and description.
var humanEval = Family{
	Name: spec.FamilyHumanEval,
	Doc:  "Programs (HumanEval): JSON lines with task_id, prompt, entry_point, canonical_solution and test.",
	Styles: []Style{
		{
			Name: "completion", Doc: "The beginning of the function, to be gone on with, as the set's publisher and lm-eval ask.",
			Tokens: 1024, Stop: []string{"\nclass", "\ndef", "\n#", "\nif", "\nprint"}, Chat: true, put: one(putText),
		},
		{
			Name: "instruct", Doc: "The wish for the whole function in a block of code.",
			Tokens: 1024, Chat: true, put: one(putProgram),
		},
	},
	read: readHumanEval,
}

// putText is the item as it is.
func putText(item Item, _ []Item) string { return item.Text }

func putProgram(item Item, _ []Item) string {
	return "Complete this Python function. Answer with the whole function in one block of code.\n\n```python\n" + strings.TrimRight(item.Text, "\n") + "\n```"
}

func readHumanEval(path string, _ spec.Task) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(_ int, row struct {
		ID       string `json:"task_id"`
		Prompt   string
		Entry    string `json:"entry_point"`
		Solution string `json:"canonical_solution"`
		Test     string
	}) error {
		if row.ID == "" || row.Prompt == "" || row.Entry == "" || row.Test == "" {
			return errors.New("want task_id, prompt, entry_point and test")
		}
		items = append(items, Item{
			ID: row.ID, Text: row.Prompt, Answer: row.Solution,
			Key: record.AnswerKey{References: []string{row.Solution}, Program: &record.ProgramKey{
				Prefix: row.Prompt, Test: row.Test + "\ncheck(" + row.Entry + ")", Entry: row.Entry,
				Prepare: row.Prompt + row.Solution, // some tests call a second function that the prompt defines
			}},
		})
		return nil
	})
	return items, err
}
