package spec

import "errors"

// WithGenerators writes run with so many load generators in place of its own number.
func WithGenerators(run Run, generators int) ([]byte, error) {
	if run.Spec.Load == nil {
		return nil, errors.New("the document asks no target: want spec.load")
	}
	load := *run.Spec.Load
	load.Generators = generators
	run.Spec.Load = &load
	return WriteYAML(run)
}
