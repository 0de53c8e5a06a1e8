package exam

import (
	"fmt"
	"regexp"
	"strings"

	"assay/record"
	"assay/spec"
)

// gsm8k is grade-school arithmetic in words, one JSON object with question and answer in
// each line; the answer ends in "#### NUMBER".
var gsm8k = Family{
	Name: spec.FamilyGSM8K,
	Doc:  "Grade-school mathematics (GSM8K): JSON lines with question and answer.",
	Styles: []Style{
		{
			Name: "lm-eval", Doc: "Question: … Answer:, as lm-eval puts it; give it worked examples with fewShot.",
			Tokens: 256, Stop: []string{"Question:", "</s>", "<|im_end|>"}, Chat: true, put: one(putGSM8K),
		},
		{
			Name: "instruct", Doc: "The question, and the wish for steps and a last line #### NUMBER.",
			Tokens: 1024, Chat: true, put: one(putGSM8KInstruct),
		},
	},
	read: readGSM8K,
}

// one makes a put of a function that writes one text.
func one(text func(item Item, shots []Item) string) func(Item, []Item, spec.Task) []Put {
	return func(item Item, shots []Item, _ spec.Task) []Put { return []Put{{Prompt: text(item, shots)}} }
}

func putGSM8K(item Item, shots []Item) string {
	var b strings.Builder
	for _, shot := range shots {
		b.WriteString("Question: " + shot.Text + "\nAnswer: " + shot.Answer + "\n\n")
	}
	b.WriteString("Question: " + item.Text + "\nAnswer:")
	return b.String()
}

func putGSM8KInstruct(item Item, shots []Item) string {
	var b strings.Builder
	for _, shot := range shots {
		b.WriteString(shot.Text + "\n" + shot.Answer + "\n\n")
	}
	b.WriteString(item.Text + "\nSolve this step by step. End with a line that holds #### and the number alone.")
	return b.String()
}

// finalNumber is the reference answer by the rule of the set's publisher.
var finalNumber = regexp.MustCompile(`#### (-?[0-9.,]+)`)

func readGSM8K(path string, _ spec.Task) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(number int, row struct{ Question, Answer string }) error {
		found := finalNumber.FindStringSubmatch(row.Answer)
		if found == nil {
			return fmt.Errorf("the answer has no line #### NUMBER")
		}
		items = append(items, Item{
			ID: fmt.Sprint(number), Text: row.Question, Answer: row.Answer,
			Key: record.AnswerKey{References: []string{strings.ReplaceAll(found[1], ",", "")}},
		})
		return nil
	})
	return items, err
}
