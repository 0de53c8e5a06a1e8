package judge

import (
	"errors"
	"fmt"
	"io/fs"

	"assay/bundle"
	"assay/spec"
)

// frozenWorkload is the workload that the run of b was held against; nil where there was
// none.
func frozenWorkload(b *bundle.Bundle) (*spec.WorkloadSpec, error) {
	data, err := b.ReadFile(bundle.WorkloadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, faults := spec.Parse(bundle.WorkloadFile, data)
	if !spec.Valid(faults) || doc.Workload == nil {
		return nil, fmt.Errorf("%s of %s is no WorkloadSpec of this version", bundle.WorkloadFile, b.Manifest.RunID)
	}
	return doc.Workload, nil
}
