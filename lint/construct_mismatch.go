package lint

import (
	"fmt"
	"strings"

	"assay/bundle"
	"assay/finding"
)

// ConstructMismatch fires when figures that stand side by side come from
// different experiments.
var ConstructMismatch = Check{
	ID: "construct-mismatch", Code: "P-06", Severity: finding.Void,
	Doc:     "Figures stated together come from different runs, seeds, data or splits.",
	When:    "a statement cites a different run, digest, seed, data set or split",
	Applies: stated,
	Run:     constructMismatch,
}

func constructMismatch(f *Facts) Answer {
	var list []finding.Finding
	split := ""
	for _, s := range f.Statements {
		for _, c := range s.Cites {
			faults := f.foreign(c)
			if c.Split != "" && split == "" {
				split = c.Split
			}
			if c.Split != split && c.Split != "" {
				faults = append(faults, fmt.Sprintf("split %s, others state %s", c.Split, split))
			}
			if len(faults) == 0 {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s does not come from this experiment: %s", said(s), strings.Join(faults, "; ")),
				Why:      "figures of different runs, seeds or data do not describe one system",
				Fix:      "take every figure of a table from one bundle, or compare whole bundles with assay compare",
			})
		}
	}
	return found(list...)
}

// foreign lists in what a cited run is not the one that is judged, nor its
// baseline.
func (f *Facts) foreign(c Cited) []string {
	m := f.Manifest
	if f.Against != nil && c.Run == f.Against.Manifest.RunID {
		m = f.Against.Manifest
	}
	if c.Run != m.RunID {
		return []string{fmt.Sprintf("it cites run %s, this is run %s", c.Run, m.RunID)}
	}
	var faults []string
	if c.Digest != "" && m.Digest != "" && c.Digest != m.Digest {
		faults = append(faults, fmt.Sprintf("it cites digest %.23s…, the bundle has %.23s…", c.Digest, m.Digest))
	}
	if seed := m.Inputs.Seeds["run"]; c.Seed != "" && seed != "" && c.Seed != seed {
		faults = append(faults, fmt.Sprintf("it cites seed %s, the run has %s", c.Seed, seed))
	}
	if c.Dataset != "" && len(m.Inputs.Datasets) > 0 && !usedData(m.Inputs.Datasets, c.Dataset) {
		faults = append(faults, fmt.Sprintf("it cites data %s, the run used %s", c.Dataset, m.Inputs.Datasets[0].Digest))
	}
	return faults
}

func usedData(list []bundle.Input, digest string) bool {
	for _, in := range list {
		if in.Digest == digest || strings.HasSuffix(digest, "@"+in.Digest) {
			return true
		}
	}
	return false
}
