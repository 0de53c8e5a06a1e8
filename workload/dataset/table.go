package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/record"
)

// rowOf reads a table's row by the names of its columns. A value is a string, a
// float64 or what encoding/json makes of lists and objects; nil is absent.
func (in *input) rowOf(columns map[string]any, line int) (Row, error) {
	row := Row{Line: line}
	fill := map[string]func(any) error{
		"prompt":       text(&row.Prompt),
		"answer":       text(&row.Answer),
		"query":        text(&row.Query),
		"outputTokens": count(&row.OutputTokens),
		"documents":    list(&row.Documents),
		"messages":     func(v any) error { return row.conversation(v) },
		"system": func(v any) error {
			message := record.Message{Role: "system"}
			err := text(&message.Content)(v)
			row.Messages = append([]record.Message{message}, row.Messages...)
			return err
		},
	}
	// In the order of Fields, so that a system text comes before what the
	// messages add and the same file gives the same rows.
	for _, field := range Fields {
		column, named := in.column(field)
		value := columns[column]
		if value == nil {
			if _, there := columns[column]; named && !there {
				return Row{}, fmt.Errorf("no column %q for %s: it has %s", column, field, strings.Join(slices.Sorted(maps.Keys(columns)), ", "))
			}
			continue
		}
		if err := fill[field](value); err != nil {
			return Row{}, fmt.Errorf("column %q: %w", column, err)
		}
	}
	if row.Prompt == "" && row.Query == "" && len(row.Documents) == 0 {
		return Row{}, fmt.Errorf("no prompt: name its column, which is one of %s", strings.Join(slices.Sorted(maps.Keys(columns)), ", "))
	}
	return row, nil
}

func text(to *string) func(any) error {
	return func(v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("got %T, want text", v)
		}
		*to = s
		return nil
	}
}

func count(to *int) func(any) error {
	return func(v any) error {
		var n float64
		var err error
		switch v := v.(type) {
		case float64:
			n = v
		case string:
			if v == "" {
				return nil
			}
			n, err = strconv.ParseFloat(v, 64)
		default:
			err = fmt.Errorf("%T", v)
		}
		if err != nil || n < 0 || n != math.Trunc(n) || n > math.MaxInt32 {
			return fmt.Errorf("got %v, want a whole number of tokens", v)
		}
		*to = int(n)
		return nil
	}
}

// list reads a list of texts, or one written as JSON inside a text column.
func list(to *[]string) func(any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			var parsed any
			if err := json.Unmarshal([]byte(s), &parsed); err != nil {
				return fmt.Errorf("got %.40q, want a JSON list of texts", s)
			}
			v = parsed
		}
		items, ok := v.([]any)
		if !ok {
			return fmt.Errorf("got %T, want a list of texts", v)
		}
		for i, item := range items {
			s, ok := item.(string)
			if !ok {
				return fmt.Errorf("item %d: got %T, want text", i, item)
			}
			*to = append(*to, s)
		}
		return nil
	}
}
