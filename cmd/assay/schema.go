package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/metric"
	"assay/spec"

	"github.com/spf13/cobra"
)

// A schemaForm is a CRD or a reference page as JSON.
type schemaForm struct {
	Form string `json:"form"`
	Text string `json:"text"`
}

func schemaCommand(env Env) *cobra.Command {
	var kind, dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema [jsonschema|crd|docs]",
		Short: "Print the JSON Schema, the CRD or the reference of the documents",
		Long: `Print the JSON Schema (the default), the Kubernetes CRD or the reference page of a document,
made from the types that assay itself reads and writes with. Documents that people write:
` + strings.Join(specKinds, ", ") + `. What commands print with --json:
` + wrapNames(outputKinds(), 90) + `.

--write puts all of them into a source tree, for make generate.`,
		Example: `  assay schema --kind report > report.schema.json
  assay schema crd | kubectl apply -f -`,
		ValidArgs: []string{"jsonschema", "crd", "docs"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case dir != "" && len(args) > 0:
				return usageError(errors.New("schema: --write writes every form; leave the form out"))
			case dir != "":
				return writeSchemas(env, dir, asJSON)
			case len(args) > 1:
				return usageError(fmt.Errorf("schema: got %d forms, want one of jsonschema, crd, docs", len(args)))
			case len(args) == 0:
				args = []string{"jsonschema"}
			}
			return printSchema(env, args[0], kind, asJSON)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "benchmarkrun", "the kind of document: "+strings.Join(specKinds, ", ")+", or what a command prints, such as report")
	cmd.Flags().StringVar(&dir, "write", "", "write every generated file under this directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	return cmd
}

// printSchema prints one form. A JSON Schema is JSON already; the others become
// a JSON string.
func printSchema(env Env, form, kind string, asJSON bool) error {
	text, err := schemaText(form, kind)
	if err != nil {
		return usageError(fmt.Errorf("schema: %w", err))
	}
	if asJSON && form != "jsonschema" {
		return printJSON(env.Stdout, schemaForm{form, string(text)})
	}
	_, err = env.Stdout.Write(text)
	return err
}

// specKinds are the documents that people write.
var specKinds = []string{"benchmarkrun", "workloadspec", "gatepolicy", "benchmarkschedule"}

func outputKinds() (kinds []string) {
	for _, o := range outputs {
		kinds = append(kinds, o.kind)
	}
	return kinds
}

// wrapNames lists names in lines of at most width letters.
func wrapNames(names []string, width int) string {
	var lines []string
	line := ""
	for _, name := range names {
		if line != "" && len(line)+len(name)+2 > width {
			lines, line = append(lines, line+","), ""
		}
		if line != "" {
			line += ", "
		}
		line += name
	}
	return strings.Join(append(lines, line), "\n")
}

func schemaText(form, kind string) ([]byte, error) {
	kind = strings.ToLower(kind)
	if i := slices.IndexFunc(outputs, func(o output) bool { return o.kind == kind }); i >= 0 {
		if form != "jsonschema" {
			return nil, fmt.Errorf("--kind %s has a JSON Schema alone: leave %s out", kind, form)
		}
		return outputs[i].schema()
	}
	kinds := map[string]string{"benchmarkrun": spec.KindBenchmarkRun, "workloadspec": spec.KindWorkloadSpec, "gatepolicy": spec.KindGatePolicy, "performanceintake": spec.KindPerformanceIntake, "benchmarkschedule": spec.KindBenchmarkSchedule}
	name, ok := kinds[kind]
	if !ok {
		return nil, fmt.Errorf("--kind %q: want one of %s", kind, strings.Join(slices.Concat(specKinds, outputKinds()), ", "))
	}
	switch form {
	case "jsonschema":
		return spec.JSONSchema(name)
	case "docs":
		return spec.Reference(name)
	case "crd":
		return spec.CRD(name)
	default:
		return nil, fmt.Errorf("got %q, want one of jsonschema, crd, docs", form)
	}
}

// writeSchemas writes every generated file under dir, the root of a source
// tree, and lists them.
func writeSchemas(env Env, dir string, asJSON bool) error {
	files, err := spec.Generated()
	if err != nil {
		return err
	}
	schemas, err := outputSchemas()
	if err != nil {
		return err
	}
	files = append(slices.Concat(files, schemas), spec.GeneratedFile{Path: metric.ReferenceFile, Data: metric.Reference()})
	var written []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
		written = append(written, f.Path)
	}
	if asJSON {
		return printJSON(env.Stdout, written)
	}
	_, err = fmt.Fprintln(env.Stdout, strings.Join(written, "\n"))
	return err
}
