package exam

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/record"
	"assay/spec"
)

// lmEval is a task of lm-eval, read from its YAML. What is supported is listed in the
// reference of tasks; everything else is refused by name.
var lmEval = Family{
	Name: spec.FamilyLMEval,
	Doc:  "A task of lm-eval: its YAML, with data in json, jsonl or csv files beside it; the style is the output_type.",
	Styles: []Style{
		{Name: "generate_until", Doc: "An answer is generated, up to generation_kwargs.until.", Tokens: 256, Chat: true, put: one(lmContext)},
		{Name: "multiple_choice", Doc: "The likelihood of each choice, by echo.", Tokens: 1, Logprobs: 1, Echo: true, put: putLMChoices},
		{Name: "loglikelihood", Doc: "The likelihood of the target, by echo.", Tokens: 1, Logprobs: 1, Echo: true, put: putLMTarget},
		{Name: "loglikelihood_rolling", Doc: "The likelihood of a whole text, by echo.", Tokens: 1, Logprobs: 1, Echo: true, put: putLMTarget},
	},
	read:   func(path string, t spec.Task) ([]Item, error) { return readLMSplit(path, false) },
	shots:  func(path string, t spec.Task) ([]Item, error) { return readLMSplit(path, true) },
	settle: settleLM,
	files:  lmFiles,
}

// A join is what stands between the parts of a prompt.
type join struct{ description, target, example string }

func lmContext(item Item, shots []Item) string {
	var b strings.Builder
	b.WriteString(item.join.description)
	for _, shot := range shots {
		b.WriteString(shot.Text + shot.join.target + shot.Answer + shot.join.example)
	}
	b.WriteString(item.Text)
	return b.String()
}

func putLMChoices(item Item, shots []Item, _ spec.Task) (puts []Put) {
	context := lmContext(item, shots)
	for _, choice := range item.Key.Choices {
		said := item.join.target + choice
		puts = append(puts, Put{Prompt: context + said, Said: said})
	}
	return puts
}

// putLMTarget has no delimiter before the target, as in lm-eval.
func putLMTarget(item Item, shots []Item, _ spec.Task) []Put {
	return []Put{{Prompt: lmContext(item, shots) + item.Answer, Said: item.Answer}}
}

// settleLM fills in what the YAML says and the task does not.
func settleLM(t *spec.Task) error {
	c, _, err := readLMConfig(t.Path)
	if err != nil {
		return err
	}
	if t.Style == "" {
		t.Style = c.OutputType
	}
	if t.Style != c.OutputType {
		return fmt.Errorf("the style is %s and the output_type %s: want the same", t.Style, c.OutputType)
	}
	graders, _, err := c.graders()
	if err != nil {
		return err
	}
	if len(t.Graders) == 0 {
		t.Graders = graders
	}
	if t.FewShot == 0 && c.Fewshot > 0 {
		if c.FewshotConfig.Sampler != "first_n" {
			return fmt.Errorf("num_fewshot is %d and its examples are drawn by Python's generator, which is not followed: want fewshot_config.sampler first_n, or a number of examples of your own (fewShot), which takes the first", c.Fewshot)
		}
		t.FewShot = c.Fewshot
	}
	return c.settleGeneration(t)
}

func (c *lmConfig) settleGeneration(t *spec.Task) error {
	if c.OutputType != "generate_until" {
		return nil
	}
	if t.Stop == nil {
		if t.Stop = textsOf(c.Generation["until"]); t.Stop == nil {
			t.Stop = []string{*c.Delimiter}
		}
	}
	for name, value := range c.Generation {
		switch name {
		case "until", "do_sample":
		case "max_gen_toks":
			if n, ok := value.(int); ok && t.MaxTokens == 0 {
				t.MaxTokens = n
			}
		case "temperature":
			if t.Temperature == 0 {
				t.Temperature, _ = strconv.ParseFloat(textOf(value), 64)
			}
		default:
			return fmt.Errorf("generation_kwargs.%s is not supported", name)
		}
	}
	return nil
}

// lmFiles are the files that a task consists of.
func lmFiles(path string) ([]string, error) {
	c, files, err := readLMConfig(path)
	if err != nil {
		return nil, err
	}
	for _, shots := range []bool{false, true} {
		if data, err := c.dataFile(path, shots); err == nil && !slices.Contains(files, data) {
			files = append(files, data)
		}
	}
	return files, nil
}

// dataFile is the file of the questions, or of the examples.
func (c *lmConfig) dataFile(path string, shots bool) (string, error) {
	split := firstText(c.TestSplit, c.ValidationSplit, c.TrainingSplit)
	if shots {
		split = firstText(c.FewshotConfig.Split, c.FewshotSplit, c.TrainingSplit, c.ValidationSplit)
	}
	name := c.DatasetPath
	if given, ok := c.DatasetKwargs["data_files"]; ok {
		switch files := given.(type) {
		case string:
			name = files
		case map[string]any:
			name = textOf(files[split])
		}
	} else if shots && c.FewshotSplit == "" && c.FewshotConfig.Split == "" {
		name = ""
	}
	if name == "" {
		return "", fmt.Errorf("no file has the split %q: want dataset_kwargs.data_files", split)
	}
	if !slices.Contains([]string{".json", ".jsonl", ".csv"}, filepath.Ext(name)) {
		return "", fmt.Errorf("dataset_path %q: want a json, jsonl or csv file beside the task, there or in dataset_kwargs.data_files: nothing is downloaded", name)
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), nil
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// readLMSplit reads the questions of a task, or its examples, with templates filled in.
func readLMSplit(path string, shots bool) ([]Item, error) {
	c, _, err := readLMConfig(path)
	if err != nil {
		return nil, err
	}
	data, err := c.dataFile(path, shots)
	if err != nil {
		return nil, err
	}
	rows, err := tableRows(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(data), err)
	}
	p, err := c.putter()
	if err != nil {
		return nil, err
	}
	var items []Item
	for i, row := range rows {
		item, err := p.item(row)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		item.ID = fmt.Sprint(i + 1)
		items = append(items, item)
	}
	return items, nil
}

// tableRows reads a table of json, jsonl or csv.
func tableRows(path string) (rows []map[string]any, err error) {
	data, err := readAll(path)
	if err != nil {
		return nil, err
	}
	switch filepath.Ext(path) {
	case ".csv":
		return csvRows(data)
	case ".json":
		err = decodeNumbers(data, &rows)
	default:
		for line := range bytes.Lines(data) {
			var row map[string]any
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if err = decodeNumbers(line, &row); err != nil {
				break
			}
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		whole(row)
	}
	return rows, err
}

func decodeNumbers(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// whole turns numbers into those of templates: whole ones stay whole.
func whole(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		for name := range v {
			v[name] = whole(v[name])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	}
	return value
}

// csvRows reads a table with a header. A column of whole numbers is one of numbers.
func csvRows(data []byte) (rows []map[string]any, err error) {
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, errors.Join(err, errWhen(len(records) == 0, "no header"))
	}
	for _, fields := range records[1:] {
		row := map[string]any{}
		for i, value := range fields {
			row[records[0][i]] = value
		}
		rows = append(rows, row)
	}
	for _, name := range records[0] {
		numbers := len(rows) > 0
		for _, row := range rows {
			_, err := strconv.Atoi(row[name].(string))
			numbers = numbers && err == nil
		}
		for _, row := range rows {
			if numbers {
				row[name], _ = strconv.Atoi(row[name].(string))
			}
		}
	}
	return rows, nil
}

func errWhen(condition bool, text string) error {
	if condition {
		return errors.New(text)
	}
	return nil
}

// A putter fills in the templates of a task.
type putter struct {
	config              *lmConfig
	description         *jinja
	text, target        *jinja // nil where the field names a column
	choice              *jinja
	choices             []string // where they are the same for every row
	filters             []record.Filter
	exact               *record.ExactMatch
	textColumn, targets string
}

func (c *lmConfig) putter() (p *putter, err error) {
	p = &putter{config: c, textColumn: c.Text}
	if p.filters, err = c.filters(); err != nil {
		return nil, err
	}
	if _, p.exact, err = c.graders(); err != nil {
		return nil, err
	}
	if p.description, err = newJinja(c.Description); err != nil {
		return nil, err
	}
	if p.text, err = newJinja(c.Text); err != nil {
		return nil, err
	}
	p.targets = textOf(c.Target)
	if p.target, err = newJinja(p.targets); err != nil {
		return nil, err
	}
	switch choice := c.Choice.(type) {
	case string:
		p.choice, err = newJinja(choice)
	case []any:
		p.choices = textsOf(choice)
	case nil:
	default:
		err = errors.New("doc_to_choice: want a template or a list")
	}
	return p, err
}
