package exam

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"assay/intake"
	"assay/record"
	"assay/spec"
)

// An lmConfig is the part of a task of lm-eval that is read.
type lmConfig struct {
	Task            string         `yaml:"task"`
	DatasetPath     string         `yaml:"dataset_path"`
	DatasetKwargs   map[string]any `yaml:"dataset_kwargs"`
	TestSplit       string         `yaml:"test_split"`
	ValidationSplit string         `yaml:"validation_split"`
	TrainingSplit   string         `yaml:"training_split"`
	FewshotSplit    string         `yaml:"fewshot_split"`
	FewshotConfig   struct {
		Sampler string `yaml:"sampler"`
		Split   string `yaml:"split"`
	} `yaml:"fewshot_config"`
	Description     string         `yaml:"description"`
	Text            string         `yaml:"doc_to_text"`
	Target          any            `yaml:"doc_to_target"`
	Choice          any            `yaml:"doc_to_choice"`
	TargetDelimiter *string        `yaml:"target_delimiter"`
	Delimiter       *string        `yaml:"fewshot_delimiter"`
	OutputType      string         `yaml:"output_type"`
	Generation      map[string]any `yaml:"generation_kwargs"`
	Fewshot         int            `yaml:"num_fewshot"`
	Repeats         int            `yaml:"repeats"`
	Filters         []struct {
		Name   string           `yaml:"name"`
		Filter []map[string]any `yaml:"filter"`
	} `yaml:"filter_list"`
	Metrics []map[string]any `yaml:"metric_list"`
}

// lmIgnored are fields without a meaning for what is asked or graded.
var lmIgnored = []string{
	"task", "tag", "group", "task_alias", "dataset_name", "metadata", "should_decontaminate", "doc_to_decontamination_query", "unsafe_code", "include",
}

// lmRead are the fields of lmConfig.
var lmRead = []string{
	"dataset_path", "dataset_kwargs", "test_split", "validation_split", "training_split", "fewshot_split", "fewshot_config", "description", "doc_to_text",
	"doc_to_target", "doc_to_choice", "target_delimiter", "fewshot_delimiter", "output_type", "generation_kwargs", "num_fewshot", "repeats", "filter_list", "metric_list",
}

// mostIncludes ends a chain of files that include each other.
const mostIncludes = 10

// readLMConfig reads a task and what it includes, and returns the files that it read.
func readLMConfig(path string) (c lmConfig, files []string, err error) {
	fields := map[string]yaml.Node{}
	for next := path; next != ""; {
		if len(files) == mostIncludes {
			return c, nil, fmt.Errorf("more than %d files include each other", mostIncludes)
		}
		own, err := lmFields(next)
		if err != nil {
			return c, nil, fmt.Errorf("%s: %w", filepath.Base(next), err)
		}
		files = append(files, next)
		include := own["include"]
		for name, node := range own {
			if _, given := fields[name]; !given { // the file that includes wins
				fields[name] = node
			}
		}
		next = ""
		if include.Value != "" {
			next = filepath.Join(filepath.Dir(files[len(files)-1]), filepath.FromSlash(include.Value))
		}
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(lmIgnored, name) && !slices.Contains(lmRead, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return c, nil, fmt.Errorf("not supported: %s", strings.Join(unknown, ", "))
	}
	data, err := yaml.Marshal(fields)
	if err == nil {
		err = yaml.Unmarshal(data, &c)
	}
	if err == nil {
		err = c.settle()
	}
	return c, files, err
}

// lmFields reads the fields of one file. What calls Python is refused.
func lmFields(path string) (map[string]yaml.Node, error) {
	data, err := intake.ReadFile(path, 1<<20)
	if err != nil {
		return nil, err
	}
	fields := map[string]yaml.Node{}
	if err := yaml.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		node := fields[name]
		if tag := tagOf(&node); tag != "" {
			return nil, fmt.Errorf("%s: %s needs Python, which is not run: write the task as templates, or its rows and answers as a file of your own (family own)", name, tag)
		}
	}
	return fields, nil
}

// tagOf is the first tag of a node's own making, such as !function.
func tagOf(node *yaml.Node) string {
	if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") {
		return node.Tag
	}
	for _, child := range node.Content {
		if tag := tagOf(child); tag != "" {
			return tag
		}
	}
	return ""
}

// settle fills in what lm-eval fills in, and refuses what is not done here.
func (c *lmConfig) settle() error {
	space, lines := " ", "\n\n"
	if c.TargetDelimiter == nil {
		c.TargetDelimiter = &space
	}
	if c.Delimiter == nil {
		c.Delimiter = &lines
	}
	if c.OutputType == "" {
		c.OutputType = "generate_until"
	}
	if !slices.Contains([]string{"generate_until", "multiple_choice", "loglikelihood", "loglikelihood_rolling"}, c.OutputType) {
		return fmt.Errorf("output_type %q is not supported", c.OutputType)
	}
	if c.Target == nil || c.Text == "" && c.OutputType != "loglikelihood_rolling" {
		return errors.New("want doc_to_text and doc_to_target")
	}
	if (c.Choice != nil) != (c.OutputType == "multiple_choice") {
		return errors.New("doc_to_choice and output_type multiple_choice go together")
	}
	if c.Repeats > 1 {
		return errors.New("repeats is not supported: ask several times with samples")
	}
	if s := c.FewshotConfig.Sampler; s != "" && s != "first_n" && s != "default" {
		return fmt.Errorf("fewshot_config.sampler %q is not supported: want first_n", s)
	}
	_, err := c.filters()
	return err
}

// filters are the pipelines that an answer goes through, in their order.
func (c *lmConfig) filters() (list []record.Filter, err error) {
	for _, f := range c.Filters {
		filter, err := record.ReadFilter(f.Name, f.Filter)
		if err != nil {
			return nil, err
		}
		list = append(list, filter)
	}
	return list, nil
}

// lmMetrics are the graders of the metrics, by the kind of output.
var lmMetrics = map[string]map[string]string{
	"generate_until":        {"exact_match": "lm_eval", "bleu": "bleu", "chrf": "chrf", "ter": "ter"},
	"multiple_choice":       {"acc": "loglikelihood", "acc_norm": "loglikelihood_norm", "acc_bytes": "loglikelihood_bytes"},
	"loglikelihood":         {"acc": "greedy", "perplexity": "perplexity"},
	"loglikelihood_rolling": {"word_perplexity": "word_perplexity", "byte_perplexity": "byte_perplexity", "bits_per_byte": "bits_per_byte"},
}

// graders are those of the task's metrics; none where it names none.
func (c *lmConfig) graders() (list []string, exact *record.ExactMatch, err error) {
	for _, m := range c.Metrics {
		name, ok := m["metric"].(string)
		grader := lmMetrics[c.OutputType][name]
		if !ok || grader == "" {
			return nil, nil, fmt.Errorf("metric %v of output_type %s is not supported: want one of %s", m["metric"], c.OutputType, strings.Join(slices.Sorted(maps.Keys(lmMetrics[c.OutputType])), ", "))
		}
		if grader != "lm_eval" {
			list = append(list, grader)
			continue
		}
		list = append(list, spec.FilterGraders(len(c.Filters))...)
		exact = &record.ExactMatch{IgnoreCase: m["ignore_case"] == true, IgnorePunctuation: m["ignore_punctuation"] == true, IgnoreNumbers: m["ignore_numbers"] == true}
		exact.Ignore = textsOf(m["regexes_to_ignore"])
	}
	return list, exact, nil
}
