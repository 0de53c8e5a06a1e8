package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/assay/bench"
)

func benchCommand(env Env) *cobra.Command {
	var out, key, format string
	var printSpec, asJSON bool
	var shown progressFlags
	cmd := &cobra.Command{
		Use:     "bench --url URL --model MODEL",
		Aliases: []string{"benchmark"},
		Short:   "Measure a server from flags, with genai-bench's habits",
		Long: `Bench makes a spec from flags, carries it out, seals the bundle and prints the
report: every scenario at every level of concurrency. It takes the options of
genai-bench benchmark by their names, in any order, and never asks for one.
--print-spec prints the spec instead, for assay run.

What differs from genai-bench, and what was chosen where nothing was said, is told
on standard error. A key never reaches the spec or the bundle: they name the
variable that holds it.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 the options are wrong.`,
		Example: `  assay bench --url http://127.0.0.1:8000 --model llama-3.1-8b \
    --traffic-scenario 'D(100,100)' --num-concurrency 1 --num-concurrency 8 --slo 'ttft:p99<300ms'`,
		Args: noArguments,
	}
	given := benchFlags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "out", "o", "runs", "folder in which the bundle is made")
	cmd.Flags().StringVar(&key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	cmd.Flags().StringVar(&format, "format", "text", "report printed at the end, as in assay run")
	shown.register(cmd.Flags())
	cmd.Flags().BoolVar(&printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "short for --format json; with --print-spec the spec, its variables and the notes as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		asked, err := bench.Make(cmd.Context(), bench.Values{Given: given(), Lookup: lookupIn(env)})
		if err != nil {
			return usageError(err)
		}
		if asked.Out != "" && !cmd.Flags().Changed("out") {
			out = asked.Out
		}
		for _, note := range asked.Notes {
			fmt.Fprintln(env.Stderr, "note:", note)
		}
		document, err := parseRun("the spec of these options", asked.Source)
		if err != nil {
			return err
		}
		if printSpec {
			return printAsked(env, asked, asJSON)
		}
		if asJSON {
			format = "json"
		}
		own := env
		own.Environ = func() []string { return slices.Concat(asked.Environ, env.Environ()) }
		dir, err := carryOut(cmd.Context(), own, job{source: asked.Source, run: document, out: out, keyFile: key, format: format, progress: shown})
		if dir != "" {
			fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
		}
		return err
	}
	return cmd
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

// printAsked prints the spec for people who want to keep it.
func printAsked(env Env, asked bench.Asked, asJSON bool) error {
	if asJSON {
		return printJSON(env.Stdout, struct {
			Spec  string   `json:"spec"`
			Needs []string `json:"needs"`
			Notes []string `json:"notes"`
		}{string(asked.Source), append([]string{}, asked.Needs()...), append([]string{}, asked.Notes...)})
	}
	for _, name := range asked.Needs() {
		fmt.Fprintf(env.Stderr, "set %s before assay run: the spec names it in place of the flag's value\n", name)
	}
	_, err := env.Stdout.Write(asked.Source)
	return err
}
