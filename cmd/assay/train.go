package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"assay/spec"
	"assay/unit"
)

func trainCommand(env Env) *cobra.Command {
	t := spec.Train{Emulate: &spec.Emulation{}}
	var out outFlags
	var start launchFlags
	var precision, params, bucket, vary, forward, backward, late, slower string
	var values []string
	var profile, pairs, noReference, noInterleave bool
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Measure training steps and where their time goes",
		Long: `Train starts a world of ranks, trains a model of the shape that you give on made-up
data, seals the bundle and prints the report: how long a step takes and what it
spends on input, forward and backward pass, communication in the open, waiting for a
peer, and the optimizer; samples and tokens a second, model FLOP utilisation, memory,
and whether the result equals that of a single process.

It needs a Python with torch. --vary KNOB --values A,B makes an experiment in one
variable. --print-spec prints the spec instead, for assay run.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 the options are wrong.`,
		Example: `  assay train --ranks 2
  assay train --ranks 1,2,4 --single --params 10M --batch 32
  assay train --ranks 2 --vary bucketSize --values 1MiB,25MiB`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&t.Backend, "backend", "gloo", "gloo, nccl or mpi")
	flags.StringVar(&t.Device, "device", "auto", "where ranks compute: auto, cpu or cuda")
	flags.StringVar(&t.Python, "python", "", "the Python that has torch (default the first that is found)")
	flags.IntSliceVar(&t.Ranks, "ranks", []int{2}, "sizes of the world, one point each")
	flags.BoolVar(&t.Single, "single", false, "also measure the plain program without distributed code, the baseline of a speed-up")
	flags.StringVar(&t.Scaling, "scaling", spec.ScalingStrong, "strong holds the batch of the world, weak that of each rank")
	flags.StringVar(&t.Parallelism, "parallelism", "ddp", "ddp, fsdp or none")
	flags.StringVar(&t.Shape.Family, "family", "transformer", "transformer or mlp")
	flags.StringVar(&params, "params", "", "wanted number of parameters, such as 100M; the shape follows from it")
	flags.IntVar(&t.Shape.Layers, "layers", 0, "layers")
	flags.IntVar(&t.Shape.Hidden, "hidden", 0, "width")
	flags.IntVar(&t.Shape.Heads, "heads", 0, "attention heads")
	flags.IntVar(&t.Shape.SequenceLength, "sequence", 0, "sequence length")
	flags.IntVar(&t.Shape.Vocabulary, "vocabulary", 0, "vocabulary")
	flags.StringVar(&precision, "precision", "fp32", "fp32, tf32, bf16 or fp16")
	flags.IntVar(&t.BatchSize, "batch", 0, "samples of a step, over all ranks (strong) or of each (weak)")
	flags.IntVar(&t.GradientAccumulation, "accumulation", 0, "micro-batches of a step")
	flags.IntVar(&t.Steps, "steps", 0, "measured steps")
	flags.IntVar(&t.WarmupSteps, "warmup", 0, "steps before measuring")
	flags.StringVar(&bucket, "bucket", "", "gradient bucket, such as 25MiB")
	flags.StringVar(&t.Compression, "compression", "", "gradient compression: none, fp16, bf16 or powersgd")
	flags.StringVar(&t.Optimizer, "optimizer", "", "adamw or sgd")
	flags.BoolVar(&t.Compile, "compile", false, "compile the model first")
	flags.BoolVar(&t.Checkpointing, "checkpointing", false, "compute activations again in the backward pass")
	flags.IntVar(&t.LoaderWorkers, "loaders", 0, "data-loader processes of each rank")
	flags.IntVar(&t.LoadAhead, "load-ahead", 0, "batches that each of them prepares ahead")
	flags.Float64Var(&t.PeakTFLOPS, "peak-tflops", 0, "peak of one device in TFLOP/s, for model FLOP utilisation")
	flags.StringVar(&t.FLOPConvention, "flop-convention", "", "palm, torchtitan or megatron")
	flags.Float64Var(&t.TargetLoss, "target-loss", 0, "train until the loss is this, at most --steps")
	flags.BoolVar(&profile, "profile", false, "also record a few steps with the profiler and keep the traces")
	flags.BoolVar(&pairs, "pairs", false, "also measure the link of every two ranks in both directions, so that a slow direction can be named")
	flags.BoolVar(&noReference, "no-reference", false, "leave out the comparison with a single process")
	flags.BoolVar(&noInterleave, "no-interleave", false, "leave out the steps without gradient exchange")
	flags.StringVar(&vary, "vary", "", "the knob of an experiment in one variable, such as batchSize")
	flags.StringSliceVar(&values, "values", nil, "its values, one point each")
	flags.StringVar(&forward, "emulate-forward", "", "sleep in place of each layer's forward pass")
	flags.StringVar(&backward, "emulate-backward", "", "sleep in place of each layer's backward pass")
	flags.IntVar(&t.Emulate.Rank, "emulate-rank", 0, "the rank that the next three are about")
	flags.StringVar(&late, "emulate-late", "", "how late it starts each step")
	flags.StringVar(&slower, "emulate-slower", "", "what it sleeps longer in each layer's backward pass")
	flags.BoolVar(&t.Emulate.ShortShard, "emulate-short-shard", false, "leaves half of its samples out: the reference must catch it")
	start.register(flags)
	out.register(flags, "train")
	flags.BoolVar(&out.asJSON, "json", false, "short for --format json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if t.Shape.Parameters, err = parameters(params); err != nil {
			return err
		}
		if bucket != "" {
			if t.BucketSize, err = unit.ParseBytes(bucket); err != nil {
				return usageError(fmt.Errorf("--bucket: %w", err))
			}
		}
		for _, d := range []struct {
			flag, text string
			to         *unit.Duration
		}{
			{"emulate-forward", forward, &t.Emulate.Forward}, {"emulate-backward", backward, &t.Emulate.Backward},
			{"emulate-late", late, &t.Emulate.Late}, {"emulate-slower", slower, &t.Emulate.Slower},
		} {
			if d.text == "" {
				continue
			}
			if *d.to, err = unit.ParseDuration(d.text); err != nil {
				return usageError(fmt.Errorf("--%s: %w", d.flag, err))
			}
		}
		if *t.Emulate == (spec.Emulation{}) {
			t.Emulate = nil
		}
		if profile {
			t.Profile = &spec.Profile{}
		}
		if noReference {
			t.Reference = new(bool)
		}
		if noInterleave {
			t.Interleave = new(bool)
		}
		if vary != "" || len(values) > 0 {
			t.Vary = &spec.Vary{Knob: vary, Values: values}
		}
		if t.Launch, err = start.spec(); err != nil {
			return err
		}
		run := spec.Run{}
		run.Spec.Intent.WorkloadType = spec.Training
		run.Spec.Workload.Model = t.Shape.Family
		run.Spec.Workload.Precision = precision
		run.Spec.Train = &t
		if most := slices.Max(t.Ranks); pairs && most > 1 {
			run.Spec.Collectives = &spec.Collectives{
				Backend: t.Backend, Device: t.Device, Python: t.Python, Ranks: []int{most}, Launch: t.Launch,
				Operations: []string{"barrier"}, Iterations: 5, Pairs: true,
			}
		}
		return out.carryOut(cmd, env, run)
	}
	return cmd
}
