package exam

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/record"
	"assay/spec"
)

// translation is texts and their translations by people.
var translation = Family{
	Name: spec.FamilyTranslation,
	Doc:  "Translation: JSON lines with source and reference (or references), or a folder with source.txt and reference*.txt whose lines belong together; fields.from and fields.to name the languages.",
	Styles: []Style{{
		Name: "translate", Doc: "Translate from one language to the other: the source, and the name of the other language before the answer.",
		Tokens: 512, Stop: []string{"\n"}, Chat: true, put: putTranslation,
	}},
	read: readTranslation,
}

func putTranslation(item Item, shots []Item, t spec.Task) []Put {
	from, to := t.Fields["from"], t.Fields["to"]
	text := eachBefore(shots, item, " ", func(item Item) string { return from + ": " + item.Text + "\n" + to + ":" })
	return []Put{{Prompt: "Translate from " + from + " to " + to + ".\n\n" + text}}
}

func readTranslation(path string, t spec.Task) ([]Item, error) {
	if t.Fields["from"] == "" || t.Fields["to"] == "" {
		return nil, errors.New("the languages are not named: want fields from and to (--field from=English --field to=German)")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return parallelLines(path)
	}
	return readPairs(path, []string{"source", "src"}, []string{"references", "reference", "target", "ref"})
}

// readPairs reads JSON lines with a text and what it should become, each under one of
// several names.
func readPairs(path string, sources, targets []string) ([]Item, error) {
	var items []Item
	err := eachLine(path, func(number int, row map[string]any) error {
		first := func(names []string) any {
			for _, name := range names {
				if value := row[name]; value != nil {
					return value
				}
			}
			return nil
		}
		item := Item{ID: textOf(row["id"]), Text: textOf(first(sources)), Key: record.AnswerKey{References: textsOf(first(targets))}}
		if item.ID == "" {
			item.ID = fmt.Sprint(number)
		}
		if item.Text == "" || len(item.Key.References) == 0 {
			return fmt.Errorf("want the fields %s and %s", sources[0], targets[1])
		}
		item.Answer = item.Key.References[0]
		items = append(items, item)
		return nil
	})
	return items, err
}

// parallelLines reads a folder of files whose lines belong together.
func parallelLines(folder string) ([]Item, error) {
	names, err := filesIn(folder)
	if err != nil {
		return nil, err
	}
	var sources []string
	var references [][]string
	for _, name := range names {
		data, err := readAll(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(bytes.TrimSuffix(data, []byte("\n"))), "\n")
		switch {
		case strings.HasPrefix(name, "source."):
			sources = lines
		case strings.HasPrefix(name, "reference"):
			references = append(references, lines)
		default:
			return nil, fmt.Errorf("%s: want source.txt and reference*.txt alone", name)
		}
	}
	var items []Item
	for i, source := range sources {
		item := Item{ID: fmt.Sprint(i + 1), Text: source}
		for _, lines := range references {
			if len(lines) != len(sources) {
				return nil, fmt.Errorf("the source has %d lines and a reference %d: want as many", len(sources), len(lines))
			}
			item.Key.References = append(item.Key.References, lines[i])
		}
		if len(references) == 0 {
			return nil, errors.New("no file reference*.txt")
		}
		item.Answer = item.Key.References[0]
		items = append(items, item)
	}
	return items, nil
}
