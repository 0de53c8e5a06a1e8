package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/assay/bench"
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
	quick                  bool
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
	flags.BoolVar(&o.quick, "quick", false, "a quick look: one launch, of which nothing may be quoted")
	flags.BoolVar(&o.printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	o.shown.register(flags)
	flags.SetNormalizeFunc(familiarNames)
}

// familiarNames takes the names that other harnesses have for our flags.
func familiarNames(flags *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "output-dir" {
		name = "out"
	}
	if name == "iters" {
		name = "steps"
		for _, own := range []string{"iterations", "replicates"} {
			if flags.Lookup(own) != nil {
				name = own
			}
		}
	}
	return pflag.NormalizedName(name)
}

// carryOut runs the spec, or prints it for people who want to keep it. Faults of fields
// are explained by the flags that paths name for them.
func (o *outFlags) carryOut(cmd *cobra.Command, env Env, run spec.Run, paths ...bench.FlagPath) error {
	run.APIVersion, run.Kind = spec.APIVersion, spec.KindBenchmarkRun
	run.Metadata.Name = o.name
	run.Spec.Trials.MinReplicates, run.Spec.Trials.Quick = o.launches, o.quick
	source, err := spec.WriteYAML(run)
	if err != nil {
		return err
	}
	document, faults := spec.Parse("", source)
	if !spec.Valid(faults) {
		return usageError(bench.Explain(faults, append(paths, bench.FlagPath{Path: "spec.trials.minReplicates", Flag: "--launches"}, bench.FlagPath{Path: "spec.trials.quick", Flag: "--quick"})))
	}
	if o.printSpec {
		_, err := env.Stdout.Write(source)
		return err
	}
	if o.asJSON {
		o.format = "json"
	}
	o.dir, err = carryOut(cmd.Context(), env, job{source: source, run: *document.Run, out: o.out, keyFile: o.key, format: o.format, progress: o.shown})
	if o.dir != "" {
		fmt.Fprintf(env.Stderr, "bundle %s\n", o.dir)
	}
	return err
}

// hostFields are the flags that say on which hosts a part of a spec starts its ranks.
func hostFields(part string) []fieldFlag {
	return []fieldFlag{
		{name: "launcher", path: part + ".launch.kind", usage: "how ranks come to be: local starts them here, ssh on --hosts, slurm on nodes of a cluster; environment joins those that torchrun, srun or mpirun has started"},
		{name: "hosts", path: part + ".launch.hosts", usage: "hosts of --launcher ssh: their names, or the path of a file with one in each line (name slots=N user=NAME port=N)"},
		{name: "sets", path: part + ".launch.sets", usage: "sets that hosts, nodes or namespaces are cut into; every launch is made on each set, and results are compared inside sets"},
		{name: "nodes", path: part + ".launch.slurm.nodes", usage: "nodes that --launcher slurm asks for"},
		{name: "tasks-per-node", path: part + ".launch.slurm.tasksPerNode", usage: "ranks of each node (default spreads the largest world evenly)"},
		{name: "partition", path: part + ".launch.slurm.partition", usage: "Slurm partition"},
		{name: "account", path: part + ".launch.slurm.account", usage: "Slurm account"},
		{name: "qos", path: part + ".launch.slurm.qos", usage: "Slurm quality of service"},
		{name: "constraint", path: part + ".launch.slurm.constraint", usage: "features that every Slurm node must have"},
		{name: "gres", path: part + ".launch.slurm.gres", usage: "devices of each Slurm node, such as gpu:8"},
		{name: "switches", path: part + ".launch.slurm.switches", usage: "most leaf switches of the Slurm nodes, such as 1@10:00"},
		{name: "time-limit", path: part + ".launch.slurm.time", usage: "how long Slurm nodes are held at most"},
		{name: "slurm-options", path: part + ".launch.slurm.options", usage: "further options of sbatch"},
	}
}

// launchFields are the flags that say how the ranks of a part of a spec are started.
func launchFields(part string) []fieldFlag {
	return append(hostFields(part), []fieldFlag{
		{name: "cpus", path: part + ".launch.pin.cpus", usage: "processors of each rank in turn, such as 0-3,4-7"},
		{name: "numa", path: part + ".launch.pin.numa", usage: "NUMA node of each rank in turn, its processors and its memory"},
		{name: "namespaces", path: part + ".launch.namespaces", usage: "network namespaces, one for each rank in turn"},
		{name: "interface", path: part + ".launch.interface", usage: "network interface that ranks talk over"},
		{name: "address", path: part + ".launch.address", usage: "address that ranks reach assay at (default a socket file)"},
		{name: "hang-timeout", path: part + ".launch.hangTimeout", usage: "time without a sign of life after which a rank counts as hung"},
		{name: "restarts", path: part + ".launch.restarts", usage: "how often a world that failed is started again"},
	}...)
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
