package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/spec"

	"github.com/spf13/cobra"
)

func schemaCommand(env Env) *cobra.Command {
	var kind, dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:       "schema [jsonschema|crd|docs]",
		Short:     "Print the JSON Schema, the CRD or the reference of the documents",
		Long:      "Print the JSON Schema (the default), the Kubernetes CRD or the reference page, made from the types\nassay itself reads with. --write puts all of them into a source tree, for make generate.",
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
	cmd.Flags().StringVar(&kind, "kind", "benchmarkrun", "the kind of document: benchmarkrun, workloadspec, gatepolicy")
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
		return printJSON(env.Stdout, map[string]string{"form": form, "text": string(text)})
	}
	_, err = env.Stdout.Write(text)
	return err
}

func schemaText(form, kind string) ([]byte, error) {
	kinds := map[string]string{"benchmarkrun": spec.KindBenchmarkRun, "workloadspec": spec.KindWorkloadSpec, "gatepolicy": spec.KindGatePolicy}
	name, ok := kinds[strings.ToLower(kind)]
	if !ok {
		return nil, fmt.Errorf("--kind %q: want benchmarkrun, workloadspec or gatepolicy", kind)
	}
	switch form {
	case "jsonschema":
		return spec.JSONSchema(name)
	case "docs":
		return spec.Reference(name)
	case "crd":
		if name != spec.KindBenchmarkRun {
			return nil, errors.New("only a BenchmarkRun has a CRD: want --kind benchmarkrun")
		}
		return spec.CRD()
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
