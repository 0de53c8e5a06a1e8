package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/launch"
	"assay/spec"
	"assay/train"
	"assay/unit"
)

// rankTools is what ranks are started with: this program is its own native worker.
func rankTools() train.Tools {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return train.Tools{
		Native: []string{self, "worker"},
		Launchers: map[string]launch.Launcher{
			spec.LaunchLocal: launch.Local{},
		},
	}
}

// outFlags say where a run made from flags goes and how it is shown.
type outFlags struct {
	name, out, key, format string
	launches               int
	printSpec, asJSON      bool
	shown                  progressFlags

	dir string // of the bundle that was made
}

func (o *outFlags) register(flags *pflag.FlagSet, name string) {
	flags.StringVar(&o.name, "name", name, "name of the run")
	flags.StringVarP(&o.out, "out", "o", "runs", "folder in which the bundle is made")
	flags.StringVar(&o.key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	flags.StringVar(&o.format, "format", "text", "report printed at the end, as in assay run")
	flags.IntVar(&o.launches, "launches", 0, "fresh starts of everything, which intervals come from (default 3)")
	flags.BoolVar(&o.printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	o.shown.register(flags)
}

// carryOut runs the spec, or prints it for people who want to keep it.
func (o *outFlags) carryOut(cmd *cobra.Command, env Env, run spec.Run) error {
	run.APIVersion, run.Kind = spec.APIVersion, spec.KindBenchmarkRun
	run.Metadata.Name = o.name
	run.Spec.Trials.MinReplicates = o.launches
	source, err := spec.WriteYAML(run)
	if err != nil {
		return err
	}
	document, err := parseRun("the spec of these options", source)
	if err != nil {
		return err
	}
	if o.printSpec {
		_, err := env.Stdout.Write(source)
		return err
	}
	if o.asJSON {
		o.format = "json"
	}
	o.dir, err = carryOut(cmd.Context(), env, job{source: source, run: document, out: o.out, keyFile: o.key, format: o.format, progress: o.shown})
	if o.dir != "" {
		fmt.Fprintf(env.Stderr, "bundle %s\n", o.dir)
	}
	return err
}

// launchFlags say how ranks are started.
type launchFlags struct {
	launcher spec.Launcher
	hang     string
}

func (l *launchFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&l.launcher.Kind, "launcher", spec.LaunchLocal, "local starts the ranks; environment joins those that torchrun, srun or mpirun has started")
	flags.StringSliceVar(&l.launcher.Namespaces, "namespaces", nil, "network namespaces, one for each rank in turn")
	flags.StringVar(&l.launcher.Interface, "interface", "", "network interface that ranks talk over")
	flags.StringVar(&l.launcher.Address, "address", "", "address that ranks reach assay at (default a socket file)")
	flags.StringVar(&l.hang, "hang-timeout", "5s", "time without a sign of life after which a rank counts as hung")
	flags.IntVar(&l.launcher.Restarts, "restarts", 0, "how often a world that failed is started again")
}

// spec is what the flags ask for.
func (l *launchFlags) spec() (*spec.Launcher, error) {
	own := l.launcher
	hang, err := unit.ParseDuration(l.hang)
	if err != nil {
		return nil, usageError(fmt.Errorf("--hang-timeout: %w", err))
	}
	own.HangTimeout = hang
	return &own, nil
}

// parameters reads a count such as 100M.
func parameters(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := unit.ParseBytes(text + "B") // written as a size is
	if err != nil {
		return 0, usageError(fmt.Errorf("--params: got %q, want a count such as 100M or 1G", text))
	}
	return int64(n), nil
}

// sizes reads sizes such as 1KiB.
func sizes(flag string, list []string) ([]unit.Bytes, error) {
	var out []unit.Bytes
	for _, text := range list {
		n, err := unit.ParseBytes(text)
		if err != nil {
			return nil, usageError(fmt.Errorf("--%s: %w", flag, err))
		}
		out = append(out, n)
	}
	return out, nil
}
