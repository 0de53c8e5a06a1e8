package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"assay/spec"
	"assay/unit"
)

// commFields are the flags that fill fields of spec.collectives.
var commFields = []fieldFlag{
	{name: "backend", path: "collectives.backend", usage: "what carries the operations out"},
	{name: "ranks", path: "collectives.ranks", usage: "sizes of the world"},
	{name: "ops", path: "collectives.operations", usage: "operations"},
	{name: "algorithms", path: "collectives.algorithms", usage: "auto; of the native backend also ring, tree, halving_doubling, direct; of nccl ring, tree, nvls"},
	{name: "protocols", path: "collectives.protocols", usage: "protocols of nccl: auto, ll, ll128, simple"},
	{name: "type", path: "collectives.dataType", usage: "type of the elements"},
	{name: "place", path: "collectives.place", usage: "which buffers"},
	{name: "iterations", path: "collectives.iterations", usage: "timed calls for each operation and size"},
	{name: "warmup", path: "collectives.warmup", usage: "calls before measuring"},
	{name: "chunks", path: "collectives.chunks", usage: "also cut the largest size into so many calls, to compare"},
	{name: "stability", path: "collectives.stability", usage: "calls of the stability profile at the largest size"},
	{name: "pairs", path: "collectives.pairs", usage: "also measure latency and bandwidth between every two ranks"},
	{name: "link-rate", path: "collectives.linkRate", usage: "one-way rate of the links a second, such as 50GB, to hold bandwidths against"},
	{name: "python", path: "collectives.python", usage: "the Python that has torch (default the first that is found)"},
	{name: "device", path: "collectives.device", usage: "where buffers are"},
}

// commLong says what comm does; the guide says more.
const commLong = `Comm starts a world of ranks, measures collective operations at several sizes,
checks their answers, seals the bundle and prints the report. The backend native is
assay's own, over TCP, and needs nothing else; gloo, nccl and mpi need a Python with
torch. Bandwidths are counted as nccl-tests counts them; the time of an operation is
its slowest rank's.

--format nccl prints the table of nccl-tests. --print-spec prints the spec instead,
for assay run.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 the options are wrong.`

func commCommand(env Env) *cobra.Command {
	fields := fieldFlags{spec: spec.RunSpec{Collectives: &spec.Collectives{}}}
	var out outFlags
	var from, to string
	var steps []string
	cmd := &cobra.Command{
		Use:   "comm",
		Short: "Measure collective operations between ranks",
		Long:  commLong,
		Example: `  assay comm --ranks 4
  assay comm --ranks 2,4 --ops all_reduce --from 8B --to 64MiB --algorithms ring,tree
  assay comm --backend gloo --ranks 2 --pairs`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	fields.register(flags, commFields)
	fields.register(flags, launchFields("collectives"))
	flags.StringSliceVar(&steps, "sizes", nil, "message sizes (default 1KiB, 32KiB, 1MiB, 32MiB)")
	flags.StringVar(&from, "from", "", "smallest size; with --to, each size doubles")
	flags.StringVar(&to, "to", "", "largest size")
	out.register(flags, "comm")
	flags.BoolVar(&out.asJSON, "json", false, "short for --format json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		run := spec.Run{Spec: fields.spec}
		if run.Spec.Collectives.Sizes, err = sweep(steps, from, to); err != nil {
			return err
		}
		run.Spec.Intent.WorkloadType = spec.Training
		run.Spec.Workload.Model = "none"
		return out.carryOut(cmd, env, run, fields.paths...)
	}
	return cmd
}

// sweep is the sizes of a sweep: those listed, or doubling ones.
func sweep(listed []string, from, to string) ([]unit.Bytes, error) {
	if (from == "") != (to == "") || from != "" && len(listed) > 0 {
		return nil, usageError(fmt.Errorf("want --sizes, or both of --from and --to"))
	}
	if from == "" {
		return sizes("sizes", listed)
	}
	ends, err := sizes("from and --to", []string{from, to})
	if err != nil {
		return nil, err
	}
	if ends[0] < 1 || ends[1] < ends[0] {
		return nil, usageError(fmt.Errorf("--from %s --to %s: want sizes that grow", from, to))
	}
	var list []unit.Bytes
	for size := ends[0]; size <= ends[1]; size *= 2 {
		list = append(list, size)
	}
	return list, nil
}
