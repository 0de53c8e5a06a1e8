package diff

// topologyFacts are the facts that make up the shape of a machine.
var topologyFacts = rules{
	{path: "topology.*"}, {path: "numa.*"}, {path: "pci.*"}, {path: "gpu.count"},
	{path: "cpu.sockets"}, {path: "cpu.cores"}, {path: "cpu.threads"}, {path: "rdma.*"},
}

// environmentRules say what differences between environments mean. A fact that no
// line knows belongs to no variable and makes a comparison exploratory.
var environmentRules = rules{
	{path: "host.uptime_seconds", ignore: true, reason: "time passes"},
	{path: "host.boot_id", ignore: true, reason: "a restart leaves the machine what it is"},
	{path: "load.*", ignore: true, reason: "what the machine did just before; the client's health judges contention"},
	{path: "pressure.*", ignore: true, reason: "what the machine did just before; the client's health judges contention"},
	{path: "memory.available_bytes", ignore: true, reason: "moves all the time"},
	{path: "memory.swap_used_bytes", ignore: true, reason: "moves all the time"},
	{path: "disk.free_bytes", ignore: true, reason: "moves all the time"},
	{path: "cpu.steal_percent_since_boot", ignore: true, reason: "a counter"},
	{path: "cpu.throttle_events_since_boot", ignore: true, reason: "a counter"},
	{path: "cpu.mhz_current*", ignore: true, reason: "moves all the time; the limits are compared"},
	{path: "thermal.*", ignore: true, reason: "moves all the time"},
	{path: "power.batteries", ignore: true, reason: "their charge moves"},
	{path: "clock.offset_seconds", ignore: true, reason: "moves all the time"},
	{path: "clock.max_error_seconds", ignore: true, reason: "moves all the time"},
	{path: "clock.status", ignore: true, reason: "flags of the moment; whether it is kept in step is compared"},
	{path: "cgroup.path", ignore: true, reason: "a name made for each job"},
	{path: "scheduler.job", ignore: true, reason: "a name made for each job"},
	{path: "env.SLURM_JOB_ID", ignore: true, reason: "a name made for each job"},
	{path: "env.SLURM_JOB_NAME", ignore: true, reason: "a name made for each job"},
	{path: "env.SLURM_RESTART_COUNT", ignore: true, reason: "a counter"},
	{path: "env.POD_NAME", ignore: true, reason: "a name made for each job"},
	{path: "env.MASTER_PORT", ignore: true, reason: "an address made for each job"},
	{path: "env.count", ignore: true, reason: "follows from the variables, which are compared"},
	{path: "gpu.*.memory_used_bytes", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.power_watts", ignore: true, reason: "moves all the time; the limits are compared"},
	{path: "gpu.*.temperature_celsius", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.temperature_memory_celsius", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.fan_percent", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.utilisation_percent", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.memory_utilisation_percent", ignore: true, reason: "moves all the time"},
	{path: "gpu.*.clock_sm_mhz", ignore: true, reason: "moves all the time; limits and application clocks are compared"},
	{path: "gpu.*.clock_memory_mhz", ignore: true, reason: "moves all the time; limits and application clocks are compared"},
	{path: "gpu.*.throttle_reasons", ignore: true, reason: "of the moment; samples of the run tell throttling"},
	{path: "gpu.*.pcie_generation", ignore: true, reason: "idle cards lower it; the width and the limits are compared"},
	{path: "gpu.*.ecc_*_volatile", ignore: true, reason: "a counter"},
	{path: "gpu.*.ecc_*_aggregate", ignore: true, reason: "a counter"},
	{path: "gpu.processes", ignore: true, reason: "process numbers; the programs of others are looked for by the doctor"},
	{path: "pci.*.link_speed", ignore: true, reason: "idle cards lower it; the width and the limits are compared"},

	{path: "server.*", variable: runtime},
	{path: "python.*", variable: runtime},
	{path: "container.*", variable: runtime},
	{path: "git.*", variable: runtime, reason: "the revision that is tested, where assay runs in its repository"},
	{path: "env.VLLM_*", variable: runtime}, {path: "env.SGLANG_*", variable: runtime}, {path: "env.TRTLLM_*", variable: runtime},
	{path: "env.TORCH*", variable: runtime}, {path: "env.PYTORCH_*", variable: runtime}, {path: "env.TRITON_*", variable: runtime},

	{path: "gpu.driver", variable: driver}, {path: "gpu.cuda_driver", variable: driver},
	{path: "gpu.nvml", variable: driver}, {path: "gpu.library", variable: driver},
	{path: "software.*", variable: driver},
	{path: "kernel.*", variable: driver}, {path: "os.*", variable: driver},
	{path: "env.CUDA_*", variable: driver}, {path: "env.CUBLAS_*", variable: driver}, {path: "env.CUDNN_*", variable: driver},
	{path: "env.NVIDIA_*", variable: driver}, {path: "env.HSA_*", variable: driver}, {path: "env.HIP_*", variable: driver}, {path: "env.ROCR_*", variable: driver},

	{path: "nccl.conf", variable: network},
	{path: "env.NCCL_*", variable: network}, {path: "env.RCCL_*", variable: network}, {path: "env.GLOO_*", variable: network},
	{path: "env.UCX_*", variable: network}, {path: "env.FI_*", variable: network},
	{path: "net.*", variable: network}, {path: "rdma.*", variable: network}, {path: "sysctl.net.*", variable: network},
	{path: "topology.gpu_nic", variable: network},

	{path: "block.*", variable: storage}, {path: "disk.*", variable: storage},

	{path: "scheduler.*", variable: scheduler},
	{path: "env.SLURM_JOB_PARTITION", variable: scheduler}, {path: "env.SLURM_JOB_QOS", variable: scheduler}, {path: "env.SLURM_CLUSTER_NAME", variable: scheduler},
	{path: "env.KUBERNETES_*", variable: control},

	{path: "host.*", variable: hardware, reason: "another machine"},
	{path: "env.NODE_NAME", variable: hardware, reason: "another machine"},
	{path: "env.SLURM_JOB_NODELIST", variable: hardware, reason: "another machine"},
	{path: "cpu.*", variable: hardware}, {path: "memory.total_bytes", variable: hardware},
	{path: "numa.*", variable: hardware}, {path: "pci.*", variable: hardware}, {path: "gpu.*", variable: hardware},
	{path: "topology.*", variable: hardware}, {path: "virtual.*", variable: hardware}, {path: "power.*", variable: hardware},
	{path: "topologyDigest", variable: hardware},
}
