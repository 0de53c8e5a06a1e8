package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"assay/spec"
	"assay/unit"
)

func commCommand(env Env) *cobra.Command {
	c := spec.Collectives{}
	var out outFlags
	var start launchFlags
	var from, to, link string
	var steps []string
	cmd := &cobra.Command{
		Use:   "comm",
		Short: "Measure collective operations between ranks",
		Long: `Comm starts a world of ranks, measures collective operations at several sizes,
checks their answers, seals the bundle and prints the report. The backend native is
assay's own, over TCP, and needs nothing else; gloo, nccl and mpi need a Python with
torch. Bandwidths are counted as nccl-tests counts them; the time of an operation is
its slowest rank's.

--format nccl prints the table of nccl-tests. --print-spec prints the spec instead,
for assay run.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 the options are wrong.`,
		Example: `  assay comm --ranks 4
  assay comm --ranks 2,4 --ops all_reduce --from 8B --to 64MiB --algorithms ring,tree
  assay comm --backend gloo --ranks 2 --pairs`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.Backend, "backend", spec.BackendNative, "native, gloo, nccl or mpi")
	flags.IntSliceVar(&c.Ranks, "ranks", []int{2}, "sizes of the world")
	flags.StringSliceVar(&c.Operations, "ops", nil, "operations (default all_reduce, all_gather, reduce_scatter, point_to_point)")
	flags.StringSliceVar(&steps, "sizes", nil, "message sizes (default 1KiB, 32KiB, 1MiB, 32MiB)")
	flags.StringVar(&from, "from", "", "smallest size; with --to, each size doubles")
	flags.StringVar(&to, "to", "", "largest size")
	flags.StringSliceVar(&c.Algorithms, "algorithms", nil, "algorithms of the native backend: auto, ring, tree, halving_doubling, direct")
	flags.StringVar(&c.DataType, "type", "float32", "type of the elements")
	flags.StringVar(&c.Place, "place", "both", "out_of_place, in_place or both")
	flags.IntVar(&c.Iterations, "iterations", 20, "timed calls for each operation and size")
	flags.IntVar(&c.Warmup, "warmup", 5, "calls before measuring")
	flags.IntSliceVar(&c.Chunks, "chunks", nil, "also cut the largest size into so many calls, to compare")
	flags.IntVar(&c.Stability, "stability", 0, "calls of the stability profile at the largest size")
	flags.BoolVar(&c.Pairs, "pairs", false, "also measure latency and bandwidth between every two ranks")
	flags.StringVar(&link, "link-rate", "", "one-way rate of the links a second, such as 50GB, to hold bandwidths against")
	flags.StringVar(&c.Python, "python", "", "the Python that has torch (default the first that is found)")
	flags.StringVar(&c.Device, "device", "auto", "where buffers are: auto, cpu or cuda")
	start.register(flags)
	out.register(flags, "comm")
	flags.BoolVar(&out.asJSON, "json", false, "short for --format json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if c.Sizes, err = sweep(steps, from, to); err != nil {
			return err
		}
		if link != "" {
			if c.LinkRate, err = unit.ParseBytes(link); err != nil {
				return usageError(fmt.Errorf("--link-rate: %w", err))
			}
		}
		if c.Launch, err = start.spec(); err != nil {
			return err
		}
		run := spec.Run{}
		run.Spec.Intent.WorkloadType = spec.Training
		run.Spec.Workload.Model = "none"
		run.Spec.Collectives = &c
		return out.carryOut(cmd, env, run)
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
