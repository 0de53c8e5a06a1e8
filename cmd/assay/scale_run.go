package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"assay/spec"
)

// scaleRunFlags are a study of training in flags.
type scaleRunFlags struct {
	from             string // a spec of training whose sizes are replaced
	ranks            []int
	kind             string
	launches         int
	noSingle         bool
	train            spec.Train
	out, key, format string
	printSpec        bool
	asJSON           bool
	progress         progressFlags
}

func scaleRunCommand(env Env) *cobra.Command {
	var o scaleRunFlags
	cmd := &cobra.Command{
		Use:   "run --ranks 1,2,4 --kind strong|weak",
		Short: "Measure how training grows with its ranks: one plan, one bundle",
		Long: `Run makes one spec of every world size, and of the plain program on one rank as the
base, carries it out as assay train does, seals the bundle and says how throughput
grows: the order of sizes is shuffled anew in every launch, so that a machine that
warms up or fills up does not pass for scaling.

--spec takes the model and every other knob from a training spec; sizes, kind and
launches are those given here. --print-spec prints the spec and runs nothing.

Exit codes: 0 done, 1 could not be done, 2 usage error.`,
		Example: `  assay scale run --ranks 1,2,4 --kind strong --launches 3 --batch-size 16 --steps 20`,
		Args:    exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, document, err := o.document(cmd.Flags().Changed)
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
			dir, err := carryOut(cmd.Context(), env, job{source: source, run: document, out: o.out, keyFile: o.key, format: o.format, progress: o.progress})
			if dir != "" {
				fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "spec", "", "training spec to take everything else from")
	f.IntSliceVar(&o.ranks, "ranks", []int{1, 2}, "world sizes")
	f.StringVar(&o.kind, "kind", spec.ScalingStrong, "strong holds the global batch, weak the batch of each rank")
	f.IntVar(&o.launches, "launches", 3, "fresh starts of every size, at least 3")
	f.BoolVar(&o.noSingle, "no-single", false, "leave the plain program on one rank out: the base is then the distributed one, and earns a caution")
	f.StringVar(&o.train.Backend, "backend", "gloo", "gloo, nccl or mpi")
	f.StringVar(&o.train.Device, "device", "auto", "auto, cpu or cuda")
	f.IntVar(&o.train.BatchSize, "batch-size", 8, "samples of one step over all ranks (strong) or of each rank (weak)")
	f.IntVar(&o.train.Steps, "steps", 30, "measured steps")
	f.IntVar(&o.train.Shape.Layers, "layers", 4, "layers of the model")
	f.IntVar(&o.train.Shape.Hidden, "hidden", 256, "width of the model")
	f.StringVarP(&o.out, "out", "o", "runs", "folder in which the bundle is made")
	f.StringVar(&o.key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	f.StringVar(&o.format, "format", "text", "report printed at the end: text or json")
	f.BoolVar(&o.asJSON, "json", false, "short for --format json")
	f.BoolVar(&o.printSpec, "print-spec", false, "print the spec and run nothing")
	o.progress.register(f)
	return cmd
}

// document is the spec of the study. Flags that were given say it against the file.
func (o scaleRunFlags) document(given func(string) bool) ([]byte, spec.Run, error) {
	if len(slices.Compact(slices.Sorted(slices.Values(o.ranks)))) < 2 {
		return nil, spec.Run{}, usageError(fmt.Errorf("--ranks %v: want at least two sizes, such as 1,2,4", o.ranks))
	}
	run := spec.Run{
		APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun, Metadata: spec.Metadata{Name: "scaling-" + o.kind},
		Spec: spec.RunSpec{Intent: spec.Intent{WorkloadType: "training"}, Workload: spec.Workload{Model: "transformer"}, Train: &spec.Train{}},
	}
	if o.from != "" {
		_, document, err := readRun(o.from)
		if err != nil {
			return nil, run, err
		}
		if document.Spec.Train == nil {
			return nil, run, usageError(fmt.Errorf("%s has no spec.train: want a spec of training", o.from))
		}
		run = document
	}
	t := run.Spec.Train
	t.Ranks, t.Scaling, t.Single, t.Vary = o.ranks, o.kind, !o.noSingle, nil
	run.Spec.Trials.MinReplicates = o.launches
	for _, flag := range []struct {
		name string
		set  func()
	}{
		{"backend", func() { t.Backend = o.train.Backend }},
		{"device", func() { t.Device = o.train.Device }},
		{"batch-size", func() { t.BatchSize = o.train.BatchSize }},
		{"steps", func() { t.Steps = o.train.Steps }},
		{"layers", func() { t.Shape.Layers = o.train.Shape.Layers }},
		{"hidden", func() { t.Shape.Hidden = o.train.Shape.Hidden }},
	} {
		if given(flag.name) {
			flag.set()
		}
	}
	source, err := spec.WriteYAML(run)
	if err != nil {
		return nil, run, err
	}
	document, err := parseRun("the spec of these options", source)
	return source, document, err
}
