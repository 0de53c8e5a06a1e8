package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"assay/intake"
	"assay/spec"
	"assay/workload/dataset"
)

// dataset names the file of prompts by its content.
func (m *maker) dataset() {
	path, column := m.v.text("dataset-path"), m.v.text("dataset-prompt-column")
	if config := m.v.text("dataset-config"); config != "" {
		path, column = m.config(config, path, column)
	}
	if path == "" {
		if column != "" {
			m.fail("--dataset-prompt-column: got it without a data set, want --dataset-path")
		}
		return
	}
	d := &spec.Dataset{Path: path, Shuffle: true}
	if column != "" {
		d.Fields = map[string]string{"prompt": column}
	}
	set, err := dataset.Open(path, dataset.Options{Fields: d.Fields})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.fail("--dataset-path: %s is no file here, and assay downloads nothing: save the data set and name its file, or leave it out: prompts are then made from the seed", path)
		return
	case err != nil:
		m.fail("--dataset-path: %w", err)
		return
	}
	d.Format = set.Format
	w := &m.run.Spec.Workload
	w.Prompt.Dataset, w.DatasetRef = d, set.Digest
}

// config reads the part of a data set's description that names a file.
func (m *maker) config(name, path, column string) (string, string) {
	var c struct {
		Source struct {
			Type, Path string
		}
		PromptColumn string `json:"prompt_column"`
	}
	data, err := intake.ReadFile(name, spec.MaxDocumentBytes)
	if err == nil {
		if err = json.Unmarshal(data, &c); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case err != nil:
		m.fail("--dataset-config: %w", err)
	case c.Source.Type != "file":
		m.fail("--dataset-config: %s has a source of type %q, want file: assay downloads nothing and runs no loader of others; without a data set prompts and images are made from the seed", name, c.Source.Type)
	}
	return or(c.Source.Path, path), or(c.PromptColumn, column)
}
