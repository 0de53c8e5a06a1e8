package overlap

import "assay/bundle"

// traces reads what the profiler recorded at a point.
func traces(*bundle.Bundle, int, []measured) ([]Trace, error) { return nil, nil }
