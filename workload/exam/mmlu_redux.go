package exam

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/record"
	"assay/spec"
)

// mmluRedux is MMLU looked through by people, who marked the questions whose published
// answer is wrong or cannot be told. All are asked; the mark goes with each.
var mmluRedux = Family{
	Name:   spec.FamilyMMLURedux,
	Doc:    "MMLU-Redux: csv files with the columns question, choices, answer and error_type, one for each subject.",
	Styles: choiceStyles,
	read: func(path string, _ spec.Task) ([]Item, error) {
		return eachSubject(path, readRedux)
	},
}

// readRedux reads one subject. The files of the set differ in their separator, in the order
// of their columns, and some hold bytes that are no UTF-8.
func readRedux(path, subject string) ([]Item, error) {
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(data), "\ufffd"), "\r\n", "\n")
	rows := csv.NewReader(strings.NewReader(text))
	if head, _, _ := strings.Cut(text, "\n"); strings.Count(head, ";") > strings.Count(head, ",") {
		rows.Comma = ';'
	}
	records, err := rows.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, nil
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	question, choices, answer, mark := column("question"), column("choices"), column("answer"), column("error_type")
	if question < 0 || choices < 0 || answer < 0 || mark < 0 {
		return nil, fmt.Errorf("columns are %s: want question, choices, answer and error_type", strings.Join(records[0], ", "))
	}
	var items []Item
	for i, row := range records[1:] {
		offered, err := pythonStrings(row[choices])
		if err != nil {
			return nil, fmt.Errorf("row %d: choices: %w", i+1, err)
		}
		target, err := strconv.Atoi(row[answer])
		if err != nil || target < 0 || target >= len(offered) {
			return nil, fmt.Errorf("row %d: answer %q: want a number from 0 to %d", i+1, row[answer], len(offered)-1)
		}
		items = append(items, Item{
			ID: fmt.Sprintf("%s/%d", subject, i+1), Group: subject, Text: row[question],
			Key: record.AnswerKey{Choices: offered, Target: &target, Note: strings.ReplaceAll(strings.ToLower(strings.TrimSpace(row[mark])), " ", "_")},
		})
	}
	return items, nil
}

// pythonStrings reads a list of strings as Python prints it.
func pythonStrings(text string) ([]string, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "[")
	if !ok {
		return nil, fmt.Errorf("%.40q is no list", text)
	}
	var list []string
	for {
		rest = strings.TrimLeft(rest, ", \n")
		if strings.HasPrefix(rest, "]") {
			return list, nil
		}
		item, after, err := pythonString(rest)
		if err != nil {
			return nil, err
		}
		list, rest = append(list, item), after
	}
}

// pythonString reads one quoted string and returns what follows it.
func pythonString(text string) (item, rest string, err error) {
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return "", "", fmt.Errorf("%.40q is no quoted text", text)
	}
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return b.String(), text[i+1:], nil
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(text) && strings.IndexByte(`\'"`, text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case i+1 < len(text) && text[i+1] == 'n':
			i++
			b.WriteByte('\n')
		case i+3 < len(text) && text[i+1] == 'x':
			code, err := strconv.ParseUint(text[i+2:i+4], 16, 8)
			if err != nil {
				return "", "", fmt.Errorf("%.40q: %w", text, err)
			}
			b.WriteRune(rune(code))
			i += 3
		default:
			return "", "", fmt.Errorf("%.40q holds an escape that is not known", text[i:])
		}
	}
	return "", "", fmt.Errorf("%.40q does not end", text)
}
