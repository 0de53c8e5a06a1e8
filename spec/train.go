package spec

import "assay/unit"

// Train says which training steps are measured.
type Train struct {
	// The communication backend.
	Backend string `json:"backend,omitzero" default:"gloo" enum:"trainBackends"`

	// The worker command, started once per rank. By default assay's own worker.
	Command []string `json:"command,omitzero"`

	// The Python that has torch. By default the first of python3 and
	// /usr/bin/python3 that can import it.
	Python string `json:"python,omitzero"`

	// Where ranks compute: auto takes an accelerator where there is one.
	Device string `json:"device,omitzero" default:"auto" enum:"devices"`

	// The rank counts to measure, one point each.
	Ranks []int `json:"ranks,omitzero" default:"[1, 2]" min:"1" max:"1000000" items:"1"`

	// What is held equal as ranks are added: the global batch (strong) or the
	// batch of each rank (weak).
	Scaling string `json:"scaling,omitzero" default:"strong" enum:"scalings"`

	// How the model is spread over ranks.
	Parallelism string `json:"parallelism,omitzero" default:"ddp" enum:"parallelisms"`

	// Also measure the plain program on one rank, without any distributed code: the
	// baseline of a speed-up.
	Single bool `json:"single,omitzero"`

	// The shape of the model trained in the step.
	Shape ModelShape `json:"shape,omitzero"`

	// The samples of one optimizer step over all ranks (strong) or of each rank
	// (weak).
	BatchSize int `json:"batchSize,omitzero" default:"8" min:"1" max:"1000000000"`

	// Micro-batches gathered before each optimizer step.
	GradientAccumulation int `json:"gradientAccumulation,omitzero" default:"1" min:"1" max:"1000000"`

	// The measured steps.
	Steps int `json:"steps,omitzero" default:"30" min:"1" max:"1000000000"`

	// The steps before measuring, kept and marked.
	WarmupSteps int `json:"warmupSteps,omitzero" default:"5" min:"1" max:"1000000"`

	// The gradient bucket size of overlapped communication.
	BucketSize unit.Bytes `json:"bucketSize,omitzero" default:"25MiB" above:"0B" max:"1TiB"`

	// Gradient compression before it is sent.
	Compression string `json:"compression,omitzero" default:"none" enum:"compressions"`

	// The optimizer.
	Optimizer string `json:"optimizer,omitzero" default:"adamw" enum:"optimizers"`

	// Compile the model before training.
	Compile bool `json:"compile,omitzero"`

	// Compute activations again in the backward pass instead of keeping them.
	Checkpointing bool `json:"checkpointing,omitzero"`

	// Data-loader processes per rank; 0 loads in the step itself.
	LoaderWorkers int `json:"loaderWorkers,omitzero" min:"0" max:"1024"`

	// Batches each loader process prepares ahead.
	LoadAhead int `json:"loadAhead,omitzero" default:"2" min:"1" max:"1024"`

	// Save a checkpoint after every so many measured steps; 0 saves none. It is timed by
	// itself and is no part of a step.
	SaveEvery int `json:"saveEvery,omitzero" min:"0" max:"1000000000"`

	// The folder that checkpoints are saved in, and removed from. By default that of
	// temporary files, on each rank's host.
	SaveDir string `json:"saveDir,omitzero"`

	// The peak rate of one device at the declared precision, in TFLOP/s. By default
	// that of the device's published table, where it is known.
	PeakTFLOPS float64 `json:"peakTFLOPS,omitzero" min:"0" max:"1000000000"`

	// Which operations model FLOP utilisation counts.
	FLOPConvention string `json:"flopConvention,omitzero" default:"palm" enum:"flopConventions"`

	// One knob and the values that it takes, one point each; everything else is
	// held.
	Vary *Vary `json:"vary,omitzero"`

	// A second knob: every pair of a value of vary and one of these is a point, such
	// as model sizes by batch sizes. A pair that does not fit into memory is recorded
	// as such, and the others are measured.
	Across *Vary `json:"across,omitzero"`

	// Compare loss and gradients of the first steps with a single process on the
	// same data; false leaves it out.
	Reference *bool `json:"reference,omitzero" default:"true"`

	// Steps without gradient exchange between the measured ones, from which the
	// cost of communication follows without clocks; false leaves them out.
	Interleave *bool `json:"interleave,omitzero" default:"true"`

	// Train until the loss falls to this, for time to train; 0 trains the measured
	// steps. Steps is then the most that are made.
	TargetLoss float64 `json:"targetLoss,omitzero" min:"0" max:"1e15"`

	// Steps that are recorded by the profiler, apart from the measured ones.
	Profile *Profile `json:"profile,omitzero"`

	// Sleeps in place of computation, for a known truth.
	Emulate *Emulation `json:"emulate,omitzero"`

	// How ranks are started.
	Launch *Launcher `json:"launch,omitzero"`
}

// A ModelShape is the model trained in a step.
type ModelShape struct {
	// The family of the model.
	Family string `json:"family,omitzero" default:"transformer" enum:"modelFamilies"`

	// The wanted number of parameters; layers, width and heads that are not given
	// follow from it.
	Parameters int64 `json:"parameters,omitzero" min:"0" max:"1000000000000000"`

	// Transformer layers.
	Layers int `json:"layers,omitzero" default:"4" min:"1" max:"10000"`

	// The width of the model.
	Hidden int `json:"hidden,omitzero" default:"256" min:"1" max:"1000000"`

	// Attention heads.
	Heads int `json:"heads,omitzero" default:"4" min:"1" max:"10000" use:"worker"`

	// Tokens per sample.
	SequenceLength int `json:"sequenceLength,omitzero" default:"128" min:"1" max:"100000000"`

	// Entries of the vocabulary.
	Vocabulary int `json:"vocabulary,omitzero" default:"4096" min:"1" max:"100000000"`
}

// A Vary is one knob and its values: an experiment in one variable.
type Vary struct {
	// The knob.
	Knob string `json:"knob" required:"true" enum:"trainKnobs"`

	// Its values, as the field of that name is written.
	Values []string `json:"values" required:"true" items:"1"`
}

// A Profile is the schedule of the profiler: wait, warm up, record; so many times.
type Profile struct {
	// Steps left alone first.
	Wait int `json:"wait,omitzero" default:"1" min:"1" max:"1000000" use:"worker"`

	// Steps in which the profiler runs and nothing is kept.
	Warmup int `json:"warmup,omitzero" default:"1" min:"1" max:"1000000" use:"worker"`

	// Steps that are kept.
	Active int `json:"active,omitzero" default:"3" min:"1" max:"1000" use:"worker"`

	// How often.
	Repeat int `json:"repeat,omitzero" default:"1" min:"1" max:"1000" use:"worker"`
}

// An Emulation replaces computation by sleeps, so that the truth is known however
// busy the machine is.
type Emulation struct {
	// The sleep of each layer's forward pass.
	Forward unit.Duration `json:"forward,omitzero" max:"1d" use:"worker"`

	// The sleep of each layer's backward pass.
	Backward unit.Duration `json:"backward,omitzero" max:"1d" use:"worker"`

	// The rank that late, slower and shortShard are about.
	Rank int `json:"rank,omitzero" min:"0" max:"1000000" use:"worker"`

	// How late that rank starts each step.
	Late unit.Duration `json:"late,omitzero" max:"1d" use:"worker"`

	// What that rank sleeps longer in each layer's backward pass.
	Slower unit.Duration `json:"slower,omitzero" max:"1d" use:"worker"`

	// What every rank sleeps before its first step.
	Start unit.Duration `json:"start,omitzero" max:"1d" use:"worker"`

	// What every rank waits longer for each batch.
	Input unit.Duration `json:"input,omitzero" max:"1d" use:"worker"`

	// What the exchange of each gradient bucket takes longer, on every rank.
	Exchange unit.Duration `json:"exchange,omitzero" max:"1d" use:"worker"`

	// What saving a checkpoint takes longer.
	Save unit.Duration `json:"save,omitzero" max:"1d" use:"worker"`

	// Leaves half of that rank's samples out of each step: an unequal shard, which the
	// check against the reference must catch.
	ShortShard bool `json:"shortShard,omitzero" use:"worker"`
}

// A Launcher says how ranks are started.
type Launcher struct {
	// Local starts them on this host, ssh on those of hosts, and slurm on nodes that it
	// asks the scheduler for; environment joins those that torchrun, srun or mpirun has
	// started, and has assay operator start a pod for each.
	Kind string `json:"kind,omitzero" default:"local" enum:"launchers"`

	// The hosts of kind ssh, each as a line of a host file or the path of one: a name,
	// then slots=N for the ranks that it takes (1 where it says nothing), user=NAME,
	// port=N, and options of ssh such as -o ProxyJump=login. Ranks fill the slots of the
	// first host, then those of the next.
	Hosts []string `json:"hosts,omitzero" example:"[gpu1 slots=8, gpu2 slots=8]"`

	// What kind slurm asks the scheduler for.
	Slurm *Slurm `json:"slurm,omitzero"`

	// Sets cuts the hosts of ssh and slurm, or the namespaces of local, into so many sets of
	// one size, in their order. Every launch is made on each set, in an order drawn from the
	// seed, and the sides of a comparison take turns there: a slow host then slows all of
	// them. Results are compared inside sets. 0 means that all hosts are one set.
	Sets int `json:"sets,omitzero" min:"0" max:"1000"`

	// Network namespaces, one for each rank in turn; empty leaves ranks where assay
	// is.
	Namespaces []string `json:"namespaces,omitzero"`

	// The processors that each rank may run on. Without it the kernel moves ranks as it
	// likes. A rank computes on the accelerator of its local rank.
	Pin *Pin `json:"pin,omitzero"`

	// The network interface that ranks talk over.
	Interface string `json:"interface,omitzero"`

	// The address that ranks reach the controller and rank 0 at. By default
	// loopback, or the first address of this host where namespaces are used; with ssh
	// and slurm the one that the hosts see this host under.
	Address string `json:"address,omitzero"`

	// The time without a sign of life after which a rank counts as hung.
	HangTimeout unit.Duration `json:"hangTimeout,omitzero" default:"5s" above:"0s" max:"1d"`

	// Failed worlds are started again so often before the launch fails.
	Restarts int `json:"restarts,omitzero" min:"0" max:"1000"`
}

// A LibrarySetting is one way to set a communication library up through the
// environment of its ranks.
type LibrarySetting struct {
	// What results call it.
	Name string `json:"name" required:"true" example:"cross_nic_0"`

	// The variables, as NAME=VALUE: of NCCL, gloo, torch or OpenMP.
	Env []string `json:"env" required:"true" items:"1" example:"[NCCL_CROSS_NIC=0]"`
}

// Collectives says which collective operations are measured and at which sizes.
type Collectives struct {
	// What carries them out: native is assay's own, over TCP, and needs nothing else.
	Backend string `json:"backend,omitzero" default:"native" enum:"backends"`

	// The Python that has torch, as in train.python.
	Python string `json:"python,omitzero"`

	// Where buffers are, as in train.device.
	Device string `json:"device,omitzero" default:"auto" enum:"devices"`

	// The rank counts to measure.
	Ranks []int `json:"ranks,omitzero" default:"[2]" min:"1" max:"1000000" items:"1"`

	// The operations.
	Operations []string `json:"operations,omitzero" default:"[all_reduce, all_gather, reduce_scatter, point_to_point]" enum:"collectives" items:"1"`

	// The message sizes.
	Sizes []unit.Bytes `json:"sizes,omitzero" default:"[1KiB, 32KiB, 1MiB, 32MiB]" above:"0B" max:"1TiB" items:"1"`

	// The algorithms to compare; auto leaves the choice to the library. The native
	// backend has ring, tree, halving_doubling and direct; nccl has ring, tree and
	// nvls, each in processes of its own with NCCL_ALGO set; the others choose for
	// themselves.
	Algorithms []string `json:"algorithms,omitzero" default:"[auto]" enum:"algorithms" items:"1"`

	// The protocols of nccl to compare, each in processes of its own with NCCL_PROTO
	// set.
	Protocols []string `json:"protocols,omitzero" default:"[auto]" enum:"libraryProtocols" items:"1"`

	// Settings of the library to compare with its own choice, each in processes of
	// its own.
	Settings []LibrarySetting `json:"settings,omitzero"`

	// The type of the elements.
	DataType string `json:"dataType,omitzero" default:"float32" enum:"dataTypes"`

	// Which buffers: out_of_place, in_place or both.
	Place string `json:"place,omitzero" default:"both" enum:"places"`

	// Timed calls per operation and size.
	Iterations int `json:"iterations,omitzero" default:"20" min:"1" max:"100000000"`

	// Calls before measuring.
	Warmup int `json:"warmup,omitzero" default:"5" min:"1" max:"1000000"`

	// Cuts the largest size into so many calls besides one, to compare; empty leaves
	// the comparison out.
	Chunks []int `json:"chunks,omitzero" min:"2" max:"1000000"`

	// Calls of the stability profile at the largest size; 0 leaves it out.
	Stability int `json:"stability,omitzero" min:"0" max:"100000000"`

	// Measures latency and bandwidth between every two ranks, in both directions.
	Pairs bool `json:"pairs,omitzero"`

	// The one-way rate of the links in bytes per second, which measured bandwidth is
	// held against. By default that of the links that are found, where it is known.
	LinkRate unit.Bytes `json:"linkRate,omitzero" max:"1000TB"`

	// How ranks are started.
	Launch *Launcher `json:"launch,omitzero"`
}
