package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"assay/spec"

	"github.com/spf13/cobra"
)

func initCommand(env Env) *cobra.Command {
	var opts initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a spec file to start from",
		Long: "Write a BenchmarkRun (or, with --kind workloadspec, a WorkloadSpec) to standard output or --out.\n" +
			"Every combination of choices gives a valid document. --minimal leaves defaults unwritten.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return initDocument(env, opts) },
	}
	opts.values = map[string]*string{}
	for _, f := range spec.RenderFields {
		usage := f.Doc + " (default " + f.Default + ")"
		if f.Choices != nil {
			usage = f.Doc + ": " + strings.Join(f.Choices, ", ") + " (default " + f.Default + ")"
		}
		opts.values[f.Name] = cmd.Flags().String(flagName(f.Name), "", usage)
	}
	cmd.Flags().StringVar(opts.values["benchmarkClass"], "class", "", "short for --benchmark-class")
	cmd.Flags().StringVar(opts.values["workloadType"], "type", "", "short for --workload-type")
	cmd.Flags().StringArrayVar(&opts.sets, "set", nil, "a choice as FIELD=VALUE, by the field's name in the contract")
	cmd.Flags().StringVar(&opts.kind, "kind", "benchmarkrun", "the kind of document: benchmarkrun, workloadspec")
	cmd.Flags().BoolVar(&opts.minimal, "minimal", false, "write only what has no default")
	cmd.Flags().StringVarP(&opts.out, "out", "o", "", "write to this file, which must not exist, instead of standard output")
	cmd.Flags().BoolVar(&opts.asJSON, "json", false, "print the document and the values it was made from as JSON")
	return cmd
}

// initOptions is what the flags of init say.
type initOptions struct {
	values  map[string]*string // by render field
	sets    []string
	kind    string
	minimal bool
	out     string
	asJSON  bool
}

func initDocument(env Env, opts initOptions) error {
	fields := map[string]string{}
	for name, value := range opts.values {
		fields[name] = *value
	}
	for _, set := range opts.sets {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return usageError(fmt.Errorf("--set %q: want FIELD=VALUE", set))
		}
		fields[name] = value
	}
	rendering, err := renderKind(opts, fields)
	if err != nil {
		return usageError(err)
	}
	switch {
	case opts.asJSON:
		return printJSON(env.Stdout, rendering)
	case opts.out != "":
		return writeNew(env, opts.out, rendering.RenderedYAML)
	default:
		_, err := fmt.Fprint(env.Stdout, rendering.RenderedYAML)
		return err
	}
}

func renderKind(opts initOptions, fields map[string]string) (spec.Rendering, error) {
	switch kind := strings.ToLower(opts.kind); {
	case kind == "workloadspec" && opts.minimal:
		return spec.Rendering{}, fmt.Errorf("--minimal: want it with --kind benchmarkrun only")
	case kind == "workloadspec":
		return spec.RenderWorkload(fields)
	case kind != "benchmarkrun":
		return spec.Rendering{}, fmt.Errorf("--kind %q: want benchmarkrun or workloadspec", opts.kind)
	case opts.minimal:
		return spec.RenderMinimal(fields)
	default:
		return spec.Render(fields)
	}
}

// writeNew writes a file that must not exist: a document people edited is not
// overwritten.
func writeNew(env Env, path, text string) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := file.WriteString(text); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	fmt.Fprintf(env.Stderr, "wrote %s; check it with assay validate %s\n", path, path)
	return nil
}

// flagName turns a field's name into a flag's: benchmarkClass is
// --benchmark-class.
func flagName(field string) string {
	var b strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
