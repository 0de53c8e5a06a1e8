package lint

import (
	"fmt"

	"assay/bundle"
	"assay/finding"
)

// SharedLaunches fires when two bundles hold the same records.
var SharedLaunches = Check{
	ID: "shared-launches", Severity: finding.Void, Pair: true,
	Doc:  "Baseline and candidate hold the same raw records, byte for byte.",
	When: "raw tables of a pair have the same digest",
	Run:  sharedLaunches,
}

// recordTables hold what was measured; what was only read beside it may be equal, or
// empty, in two runs.
var recordTables = map[string]bool{bundle.Requests: true, bundle.Chunks: true, bundle.Steps: true, bundle.Collectives: true}

func sharedLaunches(f *Facts) Answer {
	theirs := map[string]string{}
	for _, file := range f.Against.Manifest.Files {
		if recorded(file) {
			theirs[file.SHA256] = file.Path
		}
	}
	if len(theirs) == 0 {
		return missing("the digests of the baseline's raw records")
	}
	var both []string
	for _, file := range f.Manifest.Files {
		if other, same := theirs[file.SHA256]; same && recorded(file) {
			both = append(both, fmt.Sprintf("%s is the baseline's %s", file.Path, other))
		}
	}
	if len(both) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("%d files of raw records are in both bundles: %s", len(both), summary(both)),
		Why:      "what was measured once is not a second measurement, and two sides that share it cannot differ",
		Fix:      "measure the candidate itself", Evidence: both,
	})
}

// recorded says that a file holds rows of what was measured.
func recorded(file bundle.File) bool {
	return file.Role == bundle.RoleRaw && recordTables[file.Table] && file.Rows != nil && *file.Rows > 0
}
