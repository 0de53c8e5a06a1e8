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
	for _, kind := range []string{KindBenchmarkRun, KindWorkloadSpec, KindGatePolicy, KindPerformanceIntake, KindBenchmarkSchedule} {
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
	for _, r := range resources {
		crd, err := CRD(r.kind)
		if err != nil {
			return nil, err
		}
		files = append(files, GeneratedFile{"config/crd/" + r.plural + ".assay.dev.yaml", crd})
	}
	return files, nil
}
