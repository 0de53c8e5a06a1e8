package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/foreign"
	"assay/report"
	"assay/report/faces"
	"assay/run"
)

func importCommand(env Env) *cobra.Command {
	var opts importOptions
	cmd := &cobra.Command{
		Use:   "import [TOOL] PATH…",
		Short: "Import the results of another tool",
		Long: `Import reads what another tool has measured, writes it into a bundle with
everything that the tool could not know, judges it, seals it and prints the
report. Without TOOL the files tell whose they are; --list names the tools.

Figures of an import are exploratory: assay has measured none of them.

Exit codes: 0 done, 1 the bundle could not be written, 2 usage error: the files cannot
be read, or are not what the tool writes.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !opts.list {
				return usageError(errors.New("got no path, want the files or the folder of a result; --list names the tools"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.list {
				return listTools(env, opts.asJSON)
			}
			return importResults(cmd.Context(), env, args, opts)
		},
	}
	cmd.Flags().StringVarP(&opts.out, "out", "o", "runs", "folder in which the bundle is made")
	cmd.Flags().StringVar(&opts.name, "name", "", "name of the run; without it the source's own")
	cmd.Flags().StringVar(&opts.key, "key", "", "private key to sign the bundle with (see assay keygen)")
	cmd.Flags().StringVar(&opts.format, "format", "text", "report printed at the end: text or json")
	cmd.Flags().BoolVar(&opts.asJSON, "json", false, "same as --format json")
	cmd.Flags().BoolVar(&opts.list, "list", false, "list the tools whose results can be read")
	return cmd
}

// importOptions is what the flags of import say.
type importOptions struct {
	out, name, key, format string
	asJSON, list           bool
}

func importResults(ctx context.Context, env Env, args []string, opts importOptions) error {
	collectSooner(env)
	if opts.asJSON {
		opts.format = "json"
	}
	show, err := faces.Find(opts.format)
	if err != nil {
		return usageError(err)
	}
	signer, err := loadSigner(opts.key)
	if err != nil {
		return usageError(err)
	}
	from, paths, err := whose(args)
	if err != nil {
		return usageError(err)
	}
	read, err := from.Read(paths)
	if err != nil {
		return usageError(fmt.Errorf("import %s: %w", from.Name, err))
	}
	defer env.hold()() // a bundle that is begun is sealed or taken away
	if opts.name != "" {
		read.Run.Metadata.Name = opts.name
	}
	w, _, err := read.Write(ctx, foreign.Options{Out: opts.out, Tool: tool(), Environ: env.Environ(), Now: time.Now()})
	if err != nil {
		return fmt.Errorf("import %s: %w", from.Name, err)
	}
	r, err := sealImport(ctx, w, signer)
	if err != nil {
		return fmt.Errorf("import %s: %w", from.Name, err)
	}
	fmt.Fprintf(env.Stderr, "bundle %s\n", w.Dir())
	to, print := printer(env, show, false)
	return print(to, r)
}

// whose tells the tool from the paths: by its name, or by what lies there.
func whose(args []string) (foreign.Tool, []string, error) {
	if tool, err := foreign.Find(args[0]); err == nil {
		if len(args) == 1 {
			return tool, nil, fmt.Errorf("got no path of %s, want %s", tool.Name, tool.Doc)
		}
		return tool, args[1:], nil
	}
	if _, err := os.Stat(args[0]); err != nil && len(args) > 1 {
		_, err := foreign.Find(args[0])
		return foreign.Tool{}, nil, err
	}
	tool, err := foreign.Detect(args)
	return tool, args, err
}

// sealImport judges and seals a bundle that an import has filled. One that cannot
// be judged is taken away: all it holds is in the files that it was made from.
func sealImport(ctx context.Context, w *bundle.Writer, signer bundle.Signer) (report.Report, error) {
	r, err := seal(context.WithoutCancel(ctx), &run.Result{Bundle: w, Status: bundle.Completed}, signer)
	if err != nil {
		return r, errors.Join(err, w.Abandon(), os.RemoveAll(w.Dir()))
	}
	return r, nil
}

// A readTool is one line of import --list.
type readTool struct {
	Tool string `json:"tool"`
	Path string `json:"path"` // what to pass
}

// listTools says whose results can be read.
func listTools(env Env, asJSON bool) error {
	var list []readTool
	for _, t := range foreign.All {
		list = append(list, readTool{t.Name, t.Doc})
	}
	if asJSON {
		return printJSON(env.Stdout, list)
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%s\n", t.Tool, t.Path)
	}
	return w.Flush()
}
