package exam

import (
	"fmt"
	"slices"
	"strings"

	"assay/record"
	"assay/spec"
)

// superGLUE is the eight tasks of SuperGLUE, each of which is a style.
var superGLUE = Family{
	Name: spec.FamilySuperGLUE,
	Doc:  "SuperGLUE: the published jsonl file of one task; the style names the task.",
	Styles: []Style{
		superGLUETasks[0].style("boolq"),
		superGLUETasks[1].style("cb"),
		{Name: "copa", Doc: "Which of two is the cause or the effect? The letter is generated.", Tokens: 5, Stop: []string{"\n"}, Chat: true, put: one(putChoices)},
		superGLUETasks[2].style("multirc"),
		{Name: "record", Doc: "Which entity of the passage fills the gap?", Tokens: 32, Stop: []string{"\n"}, Chat: true, put: one(putLabelled)},
		superGLUETasks[3].style("rte"),
		superGLUETasks[4].style("wic"),
		superGLUETasks[5].style("wsc"),
	},
	read: readSuperGLUE,
}

// superGLUETasks are those with labels. Fields of fields are joined by a dot.
var superGLUETasks = []namedTask{
	{"boolq", labelled{
		doc:   "Is it so, by the passage?",
		parts: []part{{"passage", "Passage"}, {"question", "Question"}}, asks: "Answer with yes or no.", labels: yesNo, means: meansYes, label: "label",
	}},
	{"cb", labelled{
		doc:   "Does a statement follow from a text, perhaps, or not?",
		parts: premise, asks: "Does the hypothesis follow from the premise? Answer with yes, maybe or no.", labels: threeWays, means: meansThree, label: "label",
	}},
	{"multirc", labelled{
		doc:   "Is an answer to a question about a passage right? Each answer stands alone; answers to one question are clustered.",
		parts: []part{{"passage", "Passage"}, {"question", "Question"}, {"answer", "Proposed answer"}}, asks: "Is the proposed answer right? Answer with yes or no.", labels: yesNo, means: meansYes, label: "label",
	}},
	{"rte", labelled{
		doc:   "Does a statement follow from a text?",
		parts: premise, asks: "Does the hypothesis follow from the premise? Answer with yes or no.", labels: yesNo, means: entails, label: "label",
	}},
	{"wic", labelled{
		doc:   "Has a word the same meaning in two sentences?",
		parts: []part{{"sentence1", "Sentence 1"}, {"sentence2", "Sentence 2"}, {"word", "Word"}}, asks: "Has the word the same meaning in both sentences? Answer with yes or no.", labels: yesNo, means: meansYes, label: "label",
	}},
	{"wsc", labelled{
		doc:   "Does a pronoun stand for a given noun?",
		parts: []part{{"text", "Text"}, {"target.span2_text", "Pronoun"}, {"target.span1_text", "Noun"}}, asks: "Does the pronoun stand for the noun? Answer with yes or no.", labels: yesNo, means: meansYes, label: "label",
	}},
}

func readSuperGLUE(path string, t spec.Task) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(number int, row map[string]any) error {
		list, err := superGLUEItems(number, row, t.Style)
		items = append(items, list...)
		return err
	})
	return items, err
}

// superGLUEItems are the questions of one line.
func superGLUEItems(number int, row map[string]any, style string) ([]Item, error) {
	switch style {
	case "copa":
		item, err := copaItem(number, row)
		return []Item{item}, err
	case "multirc":
		return multiRCItems(number, row)
	case "record":
		return recordItems(number, row)
	}
	task, err := choose(superGLUETasks, style)
	if err != nil {
		return nil, err
	}
	fields := flat(row)
	item, err := task.item(number, fields, fields[task.label])
	return []Item{item}, err
}

// flat is a row with the fields of its fields under joined names.
func flat(row map[string]any) map[string]string {
	fields := map[string]string{}
	for name, value := range row {
		inner, ok := value.(map[string]any)
		if !ok {
			fields[name] = textOf(value)
			continue
		}
		for below, value := range inner {
			fields[name+"."+below] = textOf(value)
		}
	}
	return fields
}

func copaItem(number int, row map[string]any) (Item, error) {
	label, ok := row["label"].(float64)
	target := int(label)
	if !ok || target != 0 && target != 1 {
		return Item{}, fmt.Errorf("label %v: want 0 or 1", row["label"])
	}
	asks := "What was the cause?"
	if textOf(row["question"]) == "effect" {
		asks = "What was the effect?"
	}
	return Item{
		ID: fmt.Sprint(number), Text: textOf(row["premise"]) + "\n" + asks,
		Key: record.AnswerKey{Choices: []string{textOf(row["choice1"]), textOf(row["choice2"])}, Target: &target},
	}, nil
}

// multiRCItems asks about every proposed answer.
func multiRCItems(number int, row map[string]any) (items []Item, err error) {
	passage, _ := row["passage"].(map[string]any)
	questions, _ := passage["questions"].([]any)
	for q, question := range questions {
		about, _ := question.(map[string]any)
		answers, _ := about["answers"].([]any)
		for a, answer := range answers {
			proposed, _ := answer.(map[string]any)
			fields := map[string]string{"passage": textOf(passage["text"]), "question": textOf(about["question"]), "answer": textOf(proposed["text"])}
			item, err := superGLUETasks[2].item(number, fields, textOf(proposed["label"]))
			if err != nil {
				return nil, err
			}
			item.ID, item.Cluster = fmt.Sprintf("%d/%d/%d", number, q+1, a+1), fmt.Sprintf("%d/%d", number, q+1)
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("no passage with questions and answers: is it another task than multirc?")
	}
	return items, nil
}

// recordItems asks for the entity that each query leaves out.
func recordItems(number int, row map[string]any) (items []Item, err error) {
	passage, _ := row["passage"].(map[string]any)
	queries, _ := row["qas"].([]any)
	text := strings.ReplaceAll(textOf(passage["text"]), "@highlight", "-")
	for q, entry := range queries {
		query, _ := entry.(map[string]any)
		answers, _ := query["answers"].([]any)
		item := Item{
			ID: fmt.Sprintf("%d/%d", number, q+1), Cluster: fmt.Sprint(number),
			Text: "Passage: " + text + "\nStatement: " + textOf(query["query"]) + "\nWhich name of the passage belongs in the place of @placeholder? Answer with the name alone.",
		}
		for _, answer := range answers {
			said, _ := answer.(map[string]any)
			if name := textOf(said["text"]); !slices.Contains(item.Key.References, name) {
				item.Key.References = append(item.Key.References, name)
			}
		}
		if len(item.Key.References) == 0 {
			return nil, fmt.Errorf("query %d has no answer", q+1)
		}
		item.Answer = item.Key.References[0]
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("no qas: is it another task than record?")
	}
	return items, nil
}
