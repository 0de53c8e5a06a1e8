package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"assay/bundle"
	"assay/record"
)

// reported reads the figures that another tool computed, launch by launch.
func reported(b *bundle.Bundle) ([]record.Reported, error) {
	if b.Manifest.Source == nil {
		return nil, nil
	}
	var all []record.Reported
	for _, l := range b.Launches() {
		name := path.Join("raw", fmt.Sprintf("launch-%02d", l.Index), record.ReportedFile)
		data, err := b.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var list []record.Reported
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, list...)
	}
	return all, nil
}
