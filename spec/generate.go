package spec

import "strings"

// A GeneratedFile is a file of the source tree that is made from the types.
type GeneratedFile struct {
	Path string // from the root of the tree, with slashes
	Data []byte
}

// Generated makes every such file: the JSON Schemas, the reference pages and
// the CRD.
func Generated() ([]GeneratedFile, error) {
	var files []GeneratedFile
	for _, kind := range []string{KindBenchmarkRun, KindWorkloadSpec, KindGatePolicy, KindPerformanceIntake} {
		schema, err := JSONSchema(kind)
		if err != nil {
			return nil, err
		}
		page, err := Reference(kind)
		if err != nil {
			return nil, err
		}
		files = append(files,
			GeneratedFile{"docs/reference/schema/" + schemaFile(kind), schema},
			GeneratedFile{"docs/reference/" + strings.ToLower(kind) + ".md", page})
	}
	crd, err := CRD()
	if err != nil {
		return nil, err
	}
	return append(files, GeneratedFile{"config/crd/benchmarkruns.assay.dev.yaml", crd}), nil
}
