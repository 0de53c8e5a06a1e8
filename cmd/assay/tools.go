package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"assay/spec"
)

// toolsCommand holds the two commands of the published contract that have no verb
// of ours: what may be declared, and a document made from choices.
func toolsCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "The two commands of the published contract that have no verb of their own",
		Long: `Tools holds two commands under the names that the published contract gives them:
benchmark-contracts lists the documents that may be declared, their schemas and the
choices of the renderer, and benchmark-run-render writes a BenchmarkRun from choices
given as JSON.`,
		Args: exactArgs(0, "benchmark-contracts or benchmark-run-render"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(contractsCommand(env), renderCommand(env))
	return cmd
}

func contractsCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "benchmark-contracts",
		Short: "List the documents, their schemas and the choices of the renderer",
		Long: `Benchmark-contracts lists every generated description of the documents with its
digest; with --json also the choices of the renderer, their defaults and the document
that the defaults give.`,
		Args: exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			s, err := spec.Contracts()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, s)
			}
			for _, c := range s.Surfaces {
				fmt.Fprintf(env.Stdout, "%-36s %s  %d bytes\n", c.Name, c.SHA256[:12], c.Bytes)
			}
			_, err = fmt.Fprintf(env.Stdout, "\nassay schema prints each of them; assay init writes a document from choices (--json here lists them)\n")
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func renderCommand(env Env) *cobra.Command {
	var overrides string
	var yamlOnly bool
	cmd := &cobra.Command{
		Use:   "benchmark-run-render",
		Short: "Write a BenchmarkRun from choices given as JSON",
		Long: `Benchmark-run-render writes a full BenchmarkRun from choices given as a JSON object.
assay init does the same with flags.`,
		Args: exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			fields := map[string]string{}
			if err := json.Unmarshal([]byte(overrides), &fields); err != nil {
				return usageError(fmt.Errorf("--overrides-json: want an object of texts such as {\"model\": \"m\"}: %w", err))
			}
			rendering, err := spec.Render(fields)
			if err != nil {
				return usageError(err)
			}
			if yamlOnly {
				_, err = fmt.Fprint(env.Stdout, rendering.RenderedYAML)
				return err
			}
			return printJSON(env.Stdout, rendering)
		},
	}
	cmd.Flags().StringVar(&overrides, "overrides-json", "{}", "the choices that differ from the defaults")
	cmd.Flags().BoolVar(&yamlOnly, "yaml-only", false, "print the document alone")
	return cmd
}
