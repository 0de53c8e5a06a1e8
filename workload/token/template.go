package token

import (
	"encoding/json"
	"fmt"
)

// parseTemplate reads which tokens a post-processor puts before and after a
// single text.
func (m *Model) parseTemplate(raw json.RawMessage) error {
	_, err := parseAll(raw, "processors", func(kind string, raw json.RawMessage) (struct{}, error) {
		return struct{}{}, m.parseProcessor(kind, raw)
	})
	return err
}

func (m *Model) parseProcessor(kind string, raw json.RawMessage) error {
	switch kind {
	case "ByteLevel": // it moves offsets, which are not kept
		return nil
	case "BertProcessing", "RobertaProcessing":
		var c struct {
			component
			CLS            pairOfTokenAndID
			Sep            pairOfTokenAndID
			TrimOffsets    bool `json:"trim_offsets"`
			AddPrefixSpace bool `json:"add_prefix_space"`
		}
		if err := strict(raw, &c); err != nil {
			return err
		}
		m.surround([]int32{c.CLS.id}, []int32{c.Sep.id})
		return nil
	case "TemplateProcessing":
		return m.parseTemplateProcessing(raw)
	}
	return fmt.Errorf("post-processor %s is not known", kind)
}

// surround adds tokens outside those already there.
func (m *Model) surround(before, after []int32) {
	m.before = append(before, m.before...)
	m.after = append(m.after, after...)
}

// pairOfTokenAndID is written ["[CLS]", 101].
type pairOfTokenAndID struct {
	text string
	id   int32
}

func (p *pairOfTokenAndID) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.text, &p.id})
}

func (m *Model) parseTemplateProcessing(raw json.RawMessage) error {
	type part struct {
		ID     string
		TypeID int `json:"type_id"`
	}
	type item struct{ SpecialToken, Sequence *part }
	var c struct {
		component
		Single, Pair  []item
		SpecialTokens map[string]struct {
			ID     string
			IDs    []int32
			Tokens []string
		} `json:"special_tokens"`
	}
	if err := strict(raw, &c); err != nil {
		return err
	}
	var around [2][]int32
	texts := 0
	for _, it := range c.Single {
		switch {
		case it.Sequence != nil:
			texts++
		case it.SpecialToken != nil:
			special, ok := c.SpecialTokens[it.SpecialToken.ID]
			if !ok {
				return fmt.Errorf("TemplateProcessing: special token %q has no ids", it.SpecialToken.ID)
			}
			side := min(texts, 1)
			around[side] = append(around[side], special.IDs...)
		}
	}
	if texts != 1 {
		return fmt.Errorf("TemplateProcessing: the template of a single text holds %d texts, want 1", texts)
	}
	m.surround(around[0], around[1])
	return nil
}
