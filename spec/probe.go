package spec

import "assay/unit"

// Probe says which parts of the hardware are measured by themselves.
type Probe struct {
	// The probes to run.
	Probes []string `json:"probes,omitzero" default:"[memory, cache, matmul, disk]" enum:"probes" items:"1"`

	// How long each variant of a probe is measured.
	Duration unit.Duration `json:"duration,omitzero" default:"2s" above:"0s" max:"30d"`

	// Timed replicates of each variant.
	Replicates int `json:"replicates,omitzero" default:"10" min:"3" max:"100000"`

	// Threads that work at once. By default one, and as many as the host has
	// processors.
	Threads []int `json:"threads,omitzero" min:"1" max:"100000"`

	// The directory the disk probe writes in. By default the system's temporary
	// directory.
	Dir string `json:"dir,omitzero"`

	// The size of the disk probe's file, and of the state of the checkpoint probe.
	FileSize unit.Bytes `json:"fileSize,omitzero" default:"1GiB" above:"0B" max:"1000TiB"`

	// The hosts the network probe reaches, as host or host:port; assay net --serve
	// must run there. By default this host itself.
	Hosts []string `json:"hosts,omitzero"`

	// Parallel streams of the network probe.
	Streams int `json:"streams,omitzero" default:"1" min:"1" max:"1024"`

	// The Python that has torch, for probes of an accelerator, as in train.python.
	Python string `json:"python,omitzero"`

	// Where products, memory, attention, KV cache and checkpoints are measured, as in
	// train.device.
	Device string `json:"device,omitzero" default:"cpu" enum:"devices"`

	// Measures the probes of an accelerator on every one of this host, one after the
	// other, and says how far they are apart.
	AllDevices bool `json:"allDevices,omitzero"`

	// The hosts that are measured, each by one rank, with kind ssh or slurm. By default
	// this host alone.
	Launch *Launcher `json:"launch,omitzero"`
}
