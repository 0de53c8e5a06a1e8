package exam

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"assay/spec"
)

// perplexity is texts whose likelihood is asked as a whole. Nothing is generated.
var perplexity = Family{
	Name: spec.FamilyPerplexity,
	Doc:  "How likely texts are: JSON lines with text, or a text file, which is cut at line ends into pieces of about 2,000 characters.",
	Styles: []Style{{
		Name: "echo", Doc: "Each text by itself, repeated by the server with the probabilities of its tokens.",
		Tokens: 1, Logprobs: 1, Echo: true,
		put: func(item Item, _ []Item, _ spec.Task) []Put { return []Put{{Prompt: item.Text, Said: item.Text}} },
	}},
	read: readTexts,
}

// pieceLength is that of a piece of a text file, in characters: some 500 tokens, which
// every model takes.
const pieceLength = 2000

func readTexts(path string, _ spec.Task) ([]Item, error) {
	if name := strings.TrimSuffix(path, ".gz"); strings.HasSuffix(name, ".jsonl") {
		var items []Item
		err := eachLine(path, func(number int, row map[string]any) error {
			text := textOf(row["text"])
			if text == "" {
				return errors.New("want the field text")
			}
			items = append(items, Item{ID: fmt.Sprint(number), Text: text})
			return nil
		})
		return items, err
	}
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	var items []Item
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			items = append(items, Item{ID: fmt.Sprint(len(items) + 1), Text: text})
		}
	}
	piece := ""
	for line := range strings.Lines(string(data)) {
		if piece != "" && utf8.RuneCountInString(piece)+utf8.RuneCountInString(line) > pieceLength {
			add(piece)
			piece = ""
		}
		piece += line
	}
	add(piece)
	return items, nil
}
