package exam

import (
	"strings"

	"assay/spec"
)

// summarisation is texts and their summaries by people.
var summarisation = Family{
	Name: spec.FamilySummary,
	Doc:  "Summaries: JSON lines with document (or article) and summary (or highlights), which may be a list.",
	Styles: []Style{{
		Name: "summarise", Doc: "The text, and the wish for a short summary of it.",
		Tokens: 256, Chat: true, put: one(putSummary),
	}},
	read: func(path string, _ spec.Task) ([]Item, error) {
		return readPairs(path, []string{"document", "article", "dialogue", "text"}, []string{"references", "summary", "highlights", "reference"})
	},
}

func putSummary(item Item, shots []Item) string {
	return eachBefore(shots, item, " ", func(item Item) string {
		return "Text: " + strings.TrimSpace(item.Text) + "\n\nSummarise this text in a few sentences.\nSummary:"
	})
}
