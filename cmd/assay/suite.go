package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/bundle"
	"assay/judge"
	"assay/report"
	"assay/suite"
	"assay/suite/tier1"
	"assay/suite/triage"
	"assay/workers"
)

// suiteFlags are what a suite is run with.
type suiteFlags struct {
	out, runID      string
	url, model, api string
	device, python  string
	size, group     string
	counts          suite.Counts
	ranks           int
	smoke, asJSON   bool
	timeout         time.Duration
	fleet           suite.Fleet
	sshUser, sshKey string
}

func suiteCommand(env Env) *cobra.Command {
	var o suiteFlags
	cmd := &cobra.Command{
		Use:   "suite [PRESET]",
		Short: "Run a named list of measurements",
		Long: `Suite measures the steps of a preset one after the other, each as assay run would.
Its folder holds a bundle for each step, a ledger of what ran and what was skipped, with
the reason, and a scorecard: answers by layer, coverage, alignment with MLPerf's
benchmarks, gates. Without a preset it lists them.

With --hosts, products, memory and storage are measured on every one of those hosts, and
collectives and pairs between them, through ssh; the scorecard names the node that is
slower than the others and why. The other steps measure this host.

What this host cannot do is skipped with the reason. Where there are accelerators, NCCL
exchanges between them. Without --url the simulator stands in for a server, without
accelerators the processors for them, and one accelerator exchanges nothing: each is
said, and none counts as covered. A gate that is missed says what hardware it takes.
How long all takes is said first; --size quick takes six minutes at most.

Exit codes: 0 done, 1 a step failed, 2 usage error, 3 the preset's gates decide and
were missed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listSuites(env.Stdout, o.asJSON)
			}
			return runSuite(cmd.Context(), env, args[0], o)
		},
	}
	o.register(cmd.Flags())
	cmd.AddCommand(acceptCommand(env))
	return cmd
}

func (o *suiteFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "out", "o", "suites", "folder in which the suite's folder is made")
	f.StringVar(&o.runID, "run-id", "", "name of the suite's folder; used once (by default preset and time)")
	f.StringVar(&o.url, "url", "", "server under test; without it the simulator stands in")
	f.StringVar(&o.model, "model", "sim", "model that the server serves")
	f.StringVar(&o.api, "api", "openai", "API of the server")
	f.StringVar(&o.device, "device", "auto", "auto, cpu or cuda")
	f.StringVar(&o.python, "python", "", "Python that has torch")
	f.StringVar(&o.size, "size", "", "quick, fast or full: how much each step measures, in place of the preset's own")
	f.StringVar(&o.group, "benchmark", suite.AllGroups, "which steps of the preset: communication, compute, memory, storage, input, training, serving or all")
	f.IntVar(&o.counts.Iterations, "iters", 0, "timed calls, steps, replicates or requests of every step, in place of its own")
	f.IntVar(&o.counts.Warmup, "warmup", 0, "calls, steps or requests before measuring, in place of each step's own; probes warm up by themselves")
	f.IntVar(&o.ranks, "ranks", 0, "largest world of ranks, up to 8; 0 takes one for each accelerator, or up to 4 on processors")
	f.StringSliceVar(&o.fleet.Hosts, "hosts", nil, "hosts to measure and to measure between, over ssh: their names, or the path of a host file")
	f.BoolVar(&o.smoke, "smoke", false, "measure nothing: write the specs and what would be skipped")
	f.DurationVar(&o.timeout, "timeout", 0, "end a step that takes longer; 0 never does")
	f.BoolVar(&o.asJSON, "json", false, "print the scorecard as JSON")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "output-dir" { // as other harnesses call it
			name = "out"
		}
		return pflag.NormalizedName(name)
	})
}

// A listedSuite is one preset in the list of them.
type listedSuite struct {
	Name  string `json:"name"`
	Steps int    `json:"steps"`
	Doc   string `json:"doc"`
}

func listSuites(w io.Writer, asJSON bool) error {
	var list []listedSuite
	for _, p := range suite.All {
		n := len(p.Resolve())
		if p.Name == tier1.Name {
			n = len(tier1.All)
		}
		list = append(list, listedSuite{p.Name, n, p.Doc})
	}
	if asJSON {
		return printJSON(w, list)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range list {
		fmt.Fprintf(t, "%s\t%d steps\t%s\n", p.Name, p.Steps, p.Doc)
	}
	return t.Flush()
}

func runSuite(ctx context.Context, env Env, name string, o suiteFlags) error {
	defer env.hold()()
	p, ok := suite.Find(name)
	if !ok {
		var names []string
		for _, p := range suite.All {
			names = append(names, p.Name)
		}
		return usageError(fmt.Errorf("no preset %q: want one of %s", name, strings.Join(names, ", ")))
	}
	if o.size != "" {
		if p.Size, ok = suite.Sizes[o.size]; !ok {
			return usageError(fmt.Errorf("--size %q: want quick, fast or full", o.size))
		}
	}
	p.Size.Counts = o.counts
	if o.counts.Iterations < 0 || o.counts.Warmup < 0 {
		return usageError(errors.New("--iters and --warmup are counts: give 1 or more"))
	}
	p, err := p.Only(o.group)
	if err != nil {
		return usageError(err)
	}
	if err := o.fleet.Validate(); err != nil {
		return usageError(err)
	}
	host, python, err := o.host(ctx)
	if err != nil {
		return err
	}
	if p.Checks {
		return printReadiness(env, o, p, host)
	}
	if p.Name == tier1.Name {
		return runTier1(ctx, env, p, host, python, o)
	}
	if err := o.over(&host); err != nil {
		return err
	}
	if o.runID == "" {
		o.runID = p.Name + "-" + time.Now().UTC().Format("20060102-150405")
	}
	dir := filepath.Join(o.out, o.runID)
	card, err := suite.Run(ctx, p, host, suite.Options{
		Dir: dir, RunID: o.runID, Now: time.Now, Smoke: o.smoke, Timeout: o.timeout,
		Measure: measurer(env, python), Profile: profiler(env),
		Tell: func(format string, args ...any) { fmt.Fprintf(env.Stderr, format+"\n", args...) },
	})
	if card.Version == "" {
		return usageError(err)
	}
	show := card.Text
	if o.asJSON {
		show = func(w io.Writer) error { return printJSON(w, card) }
	}
	if shown := show(env.Stdout); shown != nil {
		return shown
	}
	fmt.Fprintf(env.Stderr, "suite %s\n", dir)
	switch {
	case err != nil:
		return err
	case !card.Succeed:
		return errors.New("a step failed: the ledger says why")
	case p.Strict && !o.smoke && card.PassFail != "pass":
		return silent(exitVerdict)
	}
	return nil
}

// longestProfile ends a profiler that takes longer: some repeat every kernel dozens of times.
const longestProfile = 2 * time.Minute

// profiler carries out a spec again under the profilers of this host. The bundle that comes
// of it is a profiler's and no result: it goes away.
func profiler(env Env) func(ctx context.Context, spec, dir string) ([]suite.Profile, error) {
	return func(ctx context.Context, spec, dir string) ([]suite.Profile, error) {
		binary, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		scratch, err := os.MkdirTemp("", "assay-profile-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(scratch)
		o := triage.Options{
			Command:  []string{binary, "run", spec, "--quick", "--progress", "none", "--out", scratch},
			Duration: longestProfile, Redactor: bundle.NewRedactor(nil, env.Environ()),
		}
		var list []suite.Profile
		for _, t := range o.Profilers(ctx, dir) {
			one := suite.Profile{Tool: t.Name, Absent: t.Absent, Error: t.Error, Tables: t.Tables}
			if strings.HasSuffix(t.File, "-rep") {
				one.Report = t.File
			}
			list = append(list, one)
		}
		return list, nil
	}
}

// measurer measures steps with a Python that is known to have torch.
func measurer(env Env, python workers.Python) suite.Measure {
	return func(ctx context.Context, _ string, source []byte, out string) (suite.Outcome, error) {
		return measureStep(ctx, env, python, source, out)
	}
}

// measureStep carries out one spec, and reads back what its bundle says.
func measureStep(ctx context.Context, env Env, python workers.Python, source []byte, out string) (suite.Outcome, error) {
	document, err := parseRun("the spec of the step", source)
	if err != nil {
		return suite.Outcome{}, err
	}
	quiet := env
	quiet.Stdout = io.Discard
	dir, err := carryOut(ctx, quiet, job{source: source, run: document, out: out, format: "text", quiet: true, python: python})
	if dir == "" {
		return suite.Outcome{}, err
	}
	j, readErr := judge.Open(dir, judge.Options{Version: version()})
	if readErr != nil {
		return suite.Outcome{Bundle: dir}, errors.Join(err, readErr)
	}
	return suite.Outcome{Bundle: dir, Report: report.New(j)}, err
}

// A readiness is what --json says about measuring several hosts.
type readiness struct {
	Checks []suite.Check `json:"multinode_readiness"`
}

// printReadiness says whether several hosts could be measured.
func printReadiness(env Env, o suiteFlags, p suite.Preset, h suite.Host) error {
	checks := o.fleet.Ready(p, h)
	if o.asJSON {
		if err := printJSON(env.Stdout, readiness{checks}); err != nil {
			return err
		}
	} else {
		t := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
		for _, c := range checks {
			fmt.Fprintf(t, "%s\t%s\t%s\n", c.Status, c.Name, c.Text)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, c := range checks {
		if c.Status == suite.Wrong {
			return silent(exitUsage)
		}
	}
	return nil
}
