package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/assay/bench"
	"assay/live"
	"assay/plan"
	"assay/spec"
	"assay/suite/tier1"
)

// benchLong says what bench does; the guide says more.
const benchLong = `Bench measures how fast a server is: assay bench http://127.0.0.1:8000 takes the
server's only model and asks one kind of request with 1, 4, 16 and 64 users, three
times over. Flags change any of that; those of genai-bench benchmark are accepted by
their names, and --genai-bench-sweep measures all that genai-bench would.

What was chosen and how long it takes is said first, on standard error. --print-spec
prints the spec for assay run and measures nothing. A key never reaches the spec or
the bundle: they name the variable that holds it.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 usage error.`

// A benchCall is one call of assay bench: what its own flags say.
type benchCall struct {
	out, key, format         string
	printSpec, asJSON, quiet bool
	shown                    progressFlags
}

func benchCommand(env Env) *cobra.Command {
	var b benchCall
	cmd := &cobra.Command{
		Use:     "bench [URL]",
		Aliases: []string{"benchmark"},
		Short:   "Measure how fast a server is",
		Long:    benchLong,
		Example: `  assay bench http://127.0.0.1:8000
  assay bench http://127.0.0.1:8000 --input-tokens 1000 --output-tokens 200 --concurrency 1,8 --slo 'ttft:p99<300ms'`,
		Args: atMostOne("the address of a server"),
	}
	cmd.AddCommand(benchRunCommand(env), benchTier1Command(env))
	given := benchFlags(cmd.Flags())
	cmd.Flags().StringVarP(&b.out, "out", "o", "runs", "folder in which the bundle is made")
	cmd.Flags().StringVar(&b.key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	cmd.Flags().StringVar(&b.format, "format", "text", "report printed at the end, as in assay run")
	b.shown.register(cmd.Flags())
	cmd.Flags().BoolVar(&b.printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	cmd.Flags().BoolVar(&b.asJSON, "json", false, "short for --format json; with --print-spec the spec, its variables and the notes as JSON")
	cmd.Flags().BoolVarP(&b.quiet, "quiet", "q", false, "print results only: no notes and no progress")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := given()
		if len(args) > 0 {
			values["url"] = append(values["url"], args[0])
		}
		asked, err := bench.Make(cmd.Context(), bench.Values{Given: values, Lookup: lookupIn(env), NewSeed: newSeed, Patience: 3 * time.Second})
		if err != nil {
			return usageError(err)
		}
		if asked.Out != "" && !cmd.Flags().Changed("out") {
			b.out = asked.Out
		}
		return b.run(cmd.Context(), env, asked)
	}
	return cmd
}

// newSeed draws the seed of one run. A fixed one would send a server the prompts
// that it has cached from the run before.
func newSeed() int64 { return 1 + rand.Int64N(1<<53-1) }

// run carries out what was asked, or prints it.
func (b benchCall) run(ctx context.Context, env Env, asked bench.Asked) error {
	document, faults := spec.Parse("", asked.Source)
	if !spec.Valid(faults) {
		return usageError(bench.Explain(faults, bench.FlagPaths))
	}
	if b.printSpec {
		return printAsked(env, asked, b.asJSON)
	}
	if b.asJSON {
		b.format = "json"
	}
	if b.quiet {
		b.shown.mode = string(live.None)
	} else if err := announce(env.Stderr, asked, *document.Run); err != nil {
		return err
	}
	own := env
	own.Environ = func() []string { return slices.Concat(asked.Environ, env.Environ()) }
	dir, err := carryOut(ctx, own, job{source: asked.Source, run: *document.Run, out: b.out, keyFile: b.key, format: b.format, progress: b.shown, quiet: b.quiet})
	if dir != "" && !b.quiet {
		fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
	}
	return err
}

// announce says what will be measured and how long that takes, before it begins.
func announce(w io.Writer, asked bench.Asked, run spec.Run) error {
	p, err := plan.New(run)
	if err != nil {
		return usageError(err)
	}
	for _, note := range asked.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	for _, choice := range asked.Choices {
		fmt.Fprintln(w, choice)
	}
	for _, line := range bench.Story(p) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// benchFlags adds the options of the table and returns how to read those that
// were given.
func benchFlags(flags *pflag.FlagSet) (given func() map[string][]string) {
	for _, o := range bench.Options {
		switch o.Kind {
		case bench.List:
			flags.StringArray(o.Name, nil, o.Usage())
		case bench.Switch:
			flags.Bool(o.Name, false, o.Usage())
		default:
			flags.String(o.Name, "", o.Usage())
		}
		if o.Fate != bench.Used {
			_ = flags.MarkHidden(o.Name) // it was added above
		}
	}
	return func() map[string][]string {
		values := map[string][]string{}
		for _, o := range bench.Options {
			flag := flags.Lookup(o.Name)
			switch list, many := flag.Value.(pflag.SliceValue); {
			case !flag.Changed:
			case many:
				values[o.Name] = list.GetSlice()
			case flag.Value.String() != "false" && flag.Value.String() != "":
				values[o.Name] = []string{flag.Value.String()}
			}
		}
		return values
	}
}

// lookupIn is os.LookupEnv over the program's own environment.
func lookupIn(env Env) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range env.Environ() {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// An askedSpec is the spec that the flags of bench make.
type askedSpec struct {
	Spec  string   `json:"spec"`
	Needs []string `json:"needs"` // variables that it names in place of secrets
	Notes []string `json:"notes"`
}

// printAsked prints the spec for people who want to keep it.
func printAsked(env Env, asked bench.Asked, asJSON bool) error {
	if asJSON {
		return printJSON(env.Stdout, askedSpec{string(asked.Source), append([]string{}, asked.Needs()...), slices.Concat([]string{}, asked.Choices, asked.Notes)})
	}
	for _, note := range asked.Notes {
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	for _, name := range asked.Needs() {
		fmt.Fprintf(env.Stderr, "set %s before assay run: the spec names it in place of the flag's value\n", name)
	}
	_, err := env.Stdout.Write(asked.Source)
	return err
}

// benchRunCommand is assay run by the name that other tools have for it.
func benchRunCommand(env Env) *cobra.Command {
	cmd := runCommand(env)
	cmd.Hidden = true
	return cmd
}

// benchTier1Command is assay suite tier1 by the name that other tools have for it.
func benchTier1Command(env Env) *cobra.Command {
	var o suiteFlags
	cmd := &cobra.Command{
		Use: "run-tier1", Short: "Run the suite tier1", Hidden: true, Long: "Run-tier1 is assay suite tier1; see assay suite --help.",
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runSuite(cmd.Context(), env, tier1.Name, o) },
	}
	o.register(cmd.Flags())
	return cmd
}
