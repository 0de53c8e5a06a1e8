package diff

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/telemetry"
)

// What a fact means when it differs between two runs: it moves by itself, it
// belongs to a variable, or to none, which makes a comparison exploratory.
const (
	moves  = "moves by itself"
	nobody = "belongs to no variable"
	itself = "is a variable of its own"
)

// classified holds every fact that a run writes down, so that a new one cannot be
// recorded without somebody having decided what it means. Names with a number or a
// device in them stand for their family.
var classified = map[string]string{
	moves: `join.run_id join.job_uid host.boot_id host.uptime_seconds load.avg1 load.avg5 load.avg15 pressure.cpu.some_avg10
		memory.available_bytes memory.swap_used_bytes numa.0.memory_total_bytes disk.free_bytes git.untracked_files
		net.interfaces net.veth1a2b.mtu net.veth1a2b.state net.cali12ab.mtu net.lxc12ab.mtu net.eni12ab.mtu net.gke12ab.mtu net.azv12ab.mtu net.docker0.state net.br-1a2b.mtu net.podman0.mtu net.cni0.mtu net.virbr0.mtu net.vnet3.state net.ifb0.mtu block.devices
		cpu.steal_percent_since_boot cpu.throttle_events_since_boot cpu.mhz_current thermal.max_celsius power.batteries
		clock.offset_seconds clock.max_error_seconds clock.reading_seconds clock.resolution_seconds clock.status cgroup.path scheduler.job env.count
		env.SLURM_JOB_ID env.JOB_UID env.POD_UID env.SLURMD_NODENAME env.SLURM_JOB_NAME env.SLURM_RESTART_COUNT env.POD_NAME env.MASTER_PORT env.MASTER_ADDR
		env.NCCL_COMM_ID env.VLLM_PORT env.VLLM_HOST_IP env.JOB_COMPLETION_INDEX
		gpu.0.memory_used_bytes gpu.0.power_watts gpu.0.temperature_celsius gpu.0.temperature_memory_celsius gpu.0.temperature_slowdown_celsius gpu.0.fan_percent
		gpu.0.utilisation_percent gpu.0.memory_utilisation_percent gpu.0.clock_sm_mhz gpu.0.clock_memory_mhz gpu.0.throttle_reasons
		gpu.0.pcie_generation gpu.0.ecc_corrected_volatile gpu.0.ecc_uncorrected_volatile gpu.0.ecc_uncorrected_aggregate
		gpu.processes pci.0000:01:00.0.link_speed`,
	nobody: `affinity.cpus affinity.memory_nodes affinity.numa_nodes assay.binary_sha256 assay.revision assay.version
		cgroup.cpu_limit_cores cgroup.cpuset cgroup.memory_limit_bytes cgroup.version clock.source clock.sources_available clock.sync
		clock.timer_slack_ns env.GOGC env.LD_PRELOAD env.OPENBLAS_CORETYPE env.RANK env.WORLD_SIZE env.LANG
		go.gogc_percent go.maxprocs go.memory_limit_bytes go.os_arch go.version
		limit.memlock_soft_bytes limit.nofile_hard limit.nofile_soft limit.nproc_soft
		memory.huge_page_bytes memory.huge_pages memory.swap_devices memory.swap_total_bytes memory.thp memory.thp_defrag
		sysctl.fs.file-max sysctl.kernel.numa_balancing sysctl.kernel.perf_event_paranoid sysctl.kernel.sched_autogroup_enabled
		sysctl.vm.swappiness tokenizer.kind`,
	runtime: `container.image_digest git.branch git.changed_files git.commit git.staged_files python.path python.version
		python.flash_attn python.numpy python.nvidia-nccl python.sglang python.tensorrt_llm python.torch python.transformers python.triton python.vllm
		server.engine server.models server.version`,
	itself: `env.VLLM_USE_V1 env.SGLANG_X env.TRTLLM_X env.TORCH_X env.PYTORCH_X env.TRITON_X env.CUDA_VISIBLE_DEVICES env.OMP_NUM_THREADS`,
	driver: `gpu.cuda_driver gpu.driver gpu.library gpu.nvml kernel.command_line kernel.release kernel.version os.id os.name os.version
		software.cuda_toolkit software.nccl_library software.nvidia_driver env.NVIDIA_X`,
	network: `net.eth0.driver net.eth0.mtu net.eth0.speed_mbps net.eth0.state nccl.conf rdma.devices rdma.mlx5_0.firmware
		net.wg0.mtu net.tap0.state rdma.mlx5_0.port1.rate sysctl.net.core.rmem_max sysctl.net.core.somaxconn sysctl.net.core.wmem_max
		sysctl.net.ipv4.ip_local_port_range sysctl.net.ipv4.tcp_congestion_control sysctl.net.ipv4.tcp_max_syn_backlog
		sysctl.net.ipv4.tcp_rmem sysctl.net.ipv4.tcp_slow_start_after_idle sysctl.net.ipv4.tcp_tw_reuse sysctl.net.ipv4.tcp_wmem
		topology.gpu_nic env.NCCL_DEBUG env.UCX_X`,
	storage:   `block.sda.model block.sda.rotational block.sda.scheduler block.sda.size_bytes disk.total_bytes`,
	scheduler: `scheduler.kind env.SLURM_JOB_PARTITION env.SLURM_JOB_QOS env.SLURM_CLUSTER_NAME`,
	control:   `env.KUBERNETES_SERVICE_HOST`,
	hardware: `cpu.caches cpu.cores cpu.driver cpu.flags cpu.governor cpu.governor.policy0 cpu.isolated cpu.mhz_max cpu.mhz_min
		cpu.microcode cpu.mitigations cpu.model cpu.online cpu.smt cpu.sockets cpu.threads cpu.turbo cpu.vendor
		gpu.0.clock_memory_application_mhz gpu.0.clock_memory_max_mhz gpu.0.clock_sm_application_mhz gpu.0.clock_sm_max_mhz
		gpu.0.compute_capability gpu.0.compute_mode gpu.0.cpu_affinity gpu.0.ecc gpu.0.memory_total_bytes gpu.0.mig gpu.0.model
		gpu.0.nvlinks gpu.0.pci_address gpu.0.pcie_generation_max gpu.0.pcie_width gpu.0.pcie_width_max gpu.0.persistence
		gpu.0.power_limit_default_watts gpu.0.power_limit_max_watts gpu.0.power_limit_watts
		gpu.0.uuid gpu.0.vbios gpu.count host.bios_version host.board host.name memory.total_bytes numa.0.cpus numa.0.distance
		numa.nodes pci.0000:01:00.0.device pci.0000:01:00.0.link_width pci.gpus pci.nics power.profile topology.gpu_gpu
		virtual.container virtual.hypervisor virtual.hypervisor_flag virtual.product virtual.vendor
		env.NODE_NAME env.SLURM_JOB_NODELIST`,
}

// classOf is what the tables make of a fact that differs.
func classOf(name string) string {
	a, b := bundle.Manifest{Environment: record.Environment{}}, bundle.Manifest{Environment: record.Environment{}}
	a.Environment.Set(name, "one")
	b.Environment.Set(name, "two")
	changes := environments(a, b, false)
	switch {
	case len(changes) == 0:
		return moves
	case changes[0].Variable == "":
		return nobody
	case changes[0].own():
		return itself
	}
	return changes[0].Variable
}

func TestEveryFactIsClassified(t *testing.T) {
	var known []string
	for want, names := range classified {
		for _, name := range strings.Fields(names) {
			known = append(known, name)
			if got := classOf(name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	host := telemetry.Local(t.Context())
	defer host.Close()
	varies := regexp.MustCompile(`\.\d+\.|^(net|disk|block|env)\.`) // single devices and variables, which hosts have or have not
	for name := range telemetry.Capture(t.Context(), host) {
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "pressure.") && !varies.MatchString(name) {
			t.Errorf("nobody has said what a change of %s means: add it to the table, and a rule where it needs one", name)
		}
	}
}

// A machine is itself: two readings of it, one after the other, differ in nothing.
func TestOneHostIsControlled(t *testing.T) {
	host := telemetry.Local(t.Context())
	defer host.Close()
	a, b := side(t, telemetry.Capture(t.Context(), host)), side(t, telemetry.Capture(t.Context(), host))
	if _, rest, ok := Controlled(Bundles(a, b), "runtime_version"); !ok {
		t.Errorf("the machine differs from itself in %v", rest)
	}
}
