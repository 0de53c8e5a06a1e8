package main

import (
	"slices"

	"github.com/spf13/cobra"

	"assay/spec"
)

// trainLong says what train does; the guide says more.
const trainLong = `Train starts a world of ranks, trains a model of the shape that you give on made-up
data, seals the bundle and prints the report: how long a step takes and what it
spends on input, forward and backward pass, communication in the open, waiting for a
peer, and the optimizer; samples and tokens a second, model FLOP utilisation, memory,
and whether the result equals that of a single process.

It needs a Python with torch. --vary KNOB --values A,B makes an experiment in one
variable, and --across KNOB --across-values C,D crosses it with a second one; what does
not fit into memory is recorded as such, and the rest is measured. --print-spec prints the spec instead, for assay run.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed or
aborted), 2 the options are wrong.`

// trainFields are the flags that fill fields of spec.train.
var trainFields = []fieldFlag{
	{name: "backend", path: "train.backend", usage: "what ranks talk through"},
	{name: "device", path: "train.device", usage: "where ranks compute"},
	{name: "python", path: "train.python", usage: "the Python that has torch (default the first that is found)"},
	{name: "ranks", path: "train.ranks", usage: "sizes of the world, one point each", own: "2"},
	{name: "single", path: "train.single", usage: "also measure the plain program without distributed code, the baseline of a speed-up"},
	{name: "scaling", path: "train.scaling", usage: "what is held as ranks are added: strong, the batch of the world, or weak, that of each rank"},
	{name: "parallelism", path: "train.parallelism", usage: "how the model is spread over ranks"},
	{name: "family", path: "train.shape.family", usage: "family of the model"},
	{name: "params", path: "train.shape.parameters", usage: "wanted number of parameters, such as 100M; the shape follows from it"},
	{name: "layers", path: "train.shape.layers", usage: "layers"},
	{name: "hidden", path: "train.shape.hidden", usage: "width"},
	{name: "heads", path: "train.shape.heads", usage: "attention heads"},
	{name: "sequence", path: "train.shape.sequenceLength", usage: "sequence length"},
	{name: "vocabulary", path: "train.shape.vocabulary", usage: "entries of the vocabulary"},
	{name: "precision", path: "workload.precision", usage: "precision of the arithmetic: fp32, tf32, bf16 or fp16", own: "fp32"},
	{name: "batch", path: "train.batchSize", usage: "samples of a step, over all ranks (strong) or of each (weak)"},
	{name: "accumulation", path: "train.gradientAccumulation", usage: "micro-batches of a step"},
	{name: "steps", path: "train.steps", usage: "measured steps"},
	{name: "warmup", path: "train.warmupSteps", usage: "steps before measuring"},
	{name: "bucket", path: "train.bucketSize", usage: "gradient bucket"},
	{name: "compression", path: "train.compression", usage: "gradient compression"},
	{name: "optimizer", path: "train.optimizer", usage: "optimizer"},
	{name: "compile", path: "train.compile", usage: "compile the model first"},
	{name: "checkpointing", path: "train.checkpointing", usage: "compute activations again in the backward pass"},
	{name: "loaders", path: "train.loaderWorkers", usage: "data-loader processes of each rank"},
	{name: "load-ahead", path: "train.loadAhead", usage: "batches that each of them prepares ahead"},
	{name: "peak-tflops", path: "train.peakTFLOPS", usage: "peak of one device in TFLOP/s, for model FLOP utilisation"},
	{name: "flop-convention", path: "train.flopConvention", usage: "which operations model FLOP utilisation counts"},
	{name: "save-every", path: "train.saveEvery", usage: "save a checkpoint after every so many measured steps"},
	{name: "save-dir", path: "train.saveDir", usage: "folder that checkpoints are saved in"},
	{name: "target-loss", path: "train.targetLoss", usage: "train until the loss is this, at most --steps"},
	{name: "vary", path: "train.vary.knob", usage: "the knob of an experiment in one variable"},
	{name: "values", path: "train.vary.values", usage: "its values, one point each"},
	{name: "across", path: "train.across.knob", usage: "a second knob, every pair of values being a point"},
	{name: "across-values", path: "train.across.values", usage: "its values"},
	{name: "emulate-forward", path: "train.emulate.forward", usage: "sleep in place of each layer's forward pass"},
	{name: "emulate-backward", path: "train.emulate.backward", usage: "sleep in place of each layer's backward pass"},
	{name: "emulate-start", path: "train.emulate.start", usage: "what every rank sleeps before its first step"},
	{name: "emulate-input", path: "train.emulate.input", usage: "what every rank waits longer for each batch"},
	{name: "emulate-exchange", path: "train.emulate.exchange", usage: "what the exchange of each gradient bucket takes longer"},
	{name: "emulate-save", path: "train.emulate.save", usage: "what saving a checkpoint takes longer"},
	{name: "emulate-rank", path: "train.emulate.rank", usage: "the rank that the next three are about"},
	{name: "emulate-late", path: "train.emulate.late", usage: "how late it starts each step"},
	{name: "emulate-slower", path: "train.emulate.slower", usage: "what it sleeps longer in each layer's backward pass"},
	{name: "emulate-short-shard", path: "train.emulate.shortShard", usage: "leaves half of its samples out: the reference must catch it"},
}

func trainCommand(env Env) *cobra.Command {
	var fields fieldFlags
	var out outFlags
	var profile, pairs, noReference, noInterleave bool
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Measure training steps and where their time goes",
		Long:  trainLong,
		Example: `  assay train --ranks 2
  assay train --ranks 1,2,4 --single --params 10M --batch 32
  assay train --ranks 2 --vary bucketSize --values 1MiB,25MiB
  assay train --ranks 1 --vary parameters --values 1M,10M --across batchSize --across-values 8,64`,
		Args: noArguments,
	}
	flags := cmd.Flags()
	fields.register(flags, trainFields)
	fields.register(flags, launchFields("train"))
	flags.BoolVar(&profile, "profile", false, "also record a few steps with the profiler and keep the traces")
	flags.BoolVar(&pairs, "pairs", false, "also measure the link of every two ranks in both directions, so that a slow direction can be named")
	flags.BoolVar(&noReference, "no-reference", false, "leave out the comparison with a single process")
	flags.BoolVar(&noInterleave, "no-interleave", false, "leave out the steps without gradient exchange")
	out.register(flags, "train")
	flags.BoolVar(&out.asJSON, "json", false, "short for --format json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		run := spec.Run{Spec: fields.spec}
		t := run.Spec.Train
		run.Spec.Intent.WorkloadType = spec.Training
		resolved, _ := spec.Resolve(run)
		run.Spec.Workload.Model = resolved.Spec.Train.Shape.Family
		if profile {
			t.Profile = &spec.Profile{}
		}
		if noReference {
			t.Reference = new(bool)
		}
		if noInterleave {
			t.Interleave = new(bool)
		}
		if most := slices.Max(t.Ranks); pairs && most > 1 {
			run.Spec.Collectives = pairsOf(*resolved.Spec.Train, most)
		}
		return out.carryOut(cmd, env, run, fields.paths...)
	}
	return cmd
}

// pairsOf measures the links of the largest world of t in both directions.
func pairsOf(t spec.Train, ranks int) *spec.Collectives {
	return &spec.Collectives{
		Backend: t.Backend, Device: t.Device, Python: t.Python, Ranks: []int{ranks}, Launch: t.Launch,
		Operations: []string{"barrier"}, Iterations: 5, Pairs: true,
	}
}
