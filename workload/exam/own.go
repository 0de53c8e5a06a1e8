package exam

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/record"
	"assay/spec"
)

// own is a file of one's own: JSON lines with a prompt and its answers or choices, or with turns.
var own = Family{
	Name: spec.FamilyOwn,
	Doc:  "JSON lines of your own: prompt with answer (a text or a list of them), or with choices and target; id, cluster and image (for scorers) where there are any. Or turns of a conversation, each with prompt, answer and grader.",
	Styles: slices.Concat([]Style{{
		Name: "generate", Doc: "The prompt as it is, or as the task's template puts it.",
		Tokens: 256, Chat: true, put: one(putOwn),
	}}, conversationStyles, choiceStyles),
	read: readOwn,
}

func putOwn(item Item, shots []Item) string {
	var b strings.Builder
	for _, shot := range shots {
		b.WriteString(shot.Text + " " + shot.Answer + "\n\n")
	}
	b.WriteString(item.Text)
	return b.String()
}

// placeholder is a field of the row in a template.
var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}`)

func readOwn(path string, t spec.Task) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(number int, row map[string]any) error {
		item, err := ownItem(number, row, t)
		items = append(items, item)
		return err
	})
	return items, err
}

func ownItem(number int, row map[string]any, t spec.Task) (Item, error) {
	field := func(name string) any { return row[cmp.Or(t.Fields[name], name)] }
	item := Item{ID: textOf(field("id")), Cluster: textOf(field("cluster")), Group: textOf(field("group")), Text: textOf(field("prompt")), Fields: row}
	if item.ID == "" {
		item.ID = fmt.Sprint(number)
	}
	turns, several := field("turns").([]any)
	switch {
	case several && !t.Converses():
		return item, errors.New("the row has turns: want the style conversation (own:conversation=FILE, or style in a spec)")
	case several:
		item.Context = textOf(field("system"))
		return item, ownTurns(&item, turns, field("answer"), t)
	}
	if t.Template != "" {
		var missing string
		item.Text = placeholder.ReplaceAllStringFunc(t.Template, func(match string) string {
			name := placeholder.FindStringSubmatch(match)[1]
			if _, ok := row[name]; !ok {
				missing = name
			}
			return textOf(row[name])
		})
		if missing != "" {
			return item, fmt.Errorf("the template names %s, which the row does not have", missing)
		}
	}
	if item.Text == "" {
		return item, fmt.Errorf("no prompt: want the field %s, or a template", cmp.Or(t.Fields["prompt"], "prompt"))
	}
	key, err := ownKey(row, t)
	if err != nil {
		return item, err
	}
	item.Key = key
	if len(item.Key.References) > 0 {
		item.Answer = item.Key.References[0]
	}
	if t.Converses() {
		item.Turns = []Turn{{Text: item.Text, Key: key, Graded: true}}
	}
	return item, nil
}

// ownKey reads the right answer of a row or of one of its turns.
func ownKey(row map[string]any, t spec.Task) (key record.AnswerKey, err error) {
	field := func(name string) any { return row[cmp.Or(t.Fields[name], name)] }
	key.References = textsOf(field("answer"))
	key.Choices = textsOf(field("choices"))
	key.Image = textOf(field("image"))
	if key.Grader, err = namedGrader(field("grader")); err != nil {
		return key, err
	}
	if err := ownTarget(field("target"), &key); err != nil {
		return key, err
	}
	if len(key.References) == 0 && key.Target == nil {
		return key, fmt.Errorf("no right answer: want the field %s, or choices and target", cmp.Or(t.Fields["answer"], "answer"))
	}
	return key, nil
}

// ownTarget reads which choice is right: its number from 0, its letter, or its text.
func ownTarget(value any, key *record.AnswerKey) error {
	if value == nil || len(key.Choices) == 0 {
		return nil
	}
	target := -1
	switch v := value.(type) {
	case float64:
		target = int(v)
	case string:
		for i, choice := range key.Choices {
			if v == choice || i < len(letters) && v == letters[i:i+1] {
				target = i
				break
			}
		}
	}
	if target < 0 || target >= len(key.Choices) {
		return fmt.Errorf("target %v is none of the %d choices", value, len(key.Choices))
	}
	key.Target = &target
	return nil
}

// textOf is a value of JSON as text.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// textsOf is a text or a list of them.
func textsOf(value any) []string {
	list, ok := value.([]any)
	if !ok {
		if value == nil {
			return nil
		}
		return []string{textOf(value)}
	}
	var texts []string
	for _, v := range list {
		texts = append(texts, textOf(v))
	}
	return texts
}
