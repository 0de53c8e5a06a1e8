package exam

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/record"
)

// item fills in the templates with a row, as lm-eval does: what names a column is that
// column, everything else a template.
func (p *putter) item(row map[string]any) (item Item, err error) {
	item.join = join{target: *p.config.TargetDelimiter, example: *p.config.Delimiter}
	if item.join.description, err = p.description.render(row); err != nil {
		return item, err
	}
	if value, ok := row[p.textColumn]; ok {
		item.Text = textOf(value)
	} else if item.Text, err = p.text.render(row); err != nil {
		return item, err
	}
	target, err := p.targetOf(row)
	if err != nil {
		return item, err
	}
	item.Fields = row
	if p.config.OutputType == "multiple_choice" {
		return item, p.choose(&item, row, target)
	}
	if item.Key.References = textsOf(target); len(item.Key.References) == 0 {
		return item, errors.New("doc_to_target gives nothing")
	}
	item.Answer = item.Key.References[0]
	if p.config.OutputType == "generate_until" {
		item.Key.Filters, item.Key.Exact = p.filters, p.exact
	}
	return item, nil
}

// targetOf is the right answer: a text, a number, or a list of texts.
func (p *putter) targetOf(row map[string]any) (any, error) {
	if value, ok := row[p.targets]; ok {
		return value, nil
	}
	text, err := p.target.render(row)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		if list, err := p.target.list(row); err == nil {
			var values []any
			for _, v := range list {
				values = append(values, v)
			}
			return values, nil
		}
	}
	return text, nil
}

// choose fills in the choices, and which of them is right: by number, or by its text.
func (p *putter) choose(item *Item, row map[string]any, target any) (err error) {
	choices := p.choices
	if p.choice != nil {
		if choices, err = p.choicesOf(row); err != nil {
			return err
		}
	}
	at := slices.Index(choices, textOf(target))
	if n, err := strconv.Atoi(textOf(target)); err == nil {
		at = n
	}
	if at < 0 || at >= len(choices) {
		return fmt.Errorf("the target %v is none of the %d choices", target, len(choices))
	}
	item.Key = record.AnswerKey{Choices: choices, Target: &at}
	item.Answer = choices[at]
	return nil
}

func (p *putter) choicesOf(row map[string]any) ([]string, error) {
	if value, ok := row[p.choice.text]; ok {
		return textsOf(value), nil
	}
	choices, err := p.choice.list(row)
	if err != nil {
		return nil, fmt.Errorf("doc_to_choice: %w", err)
	}
	return choices, nil
}
