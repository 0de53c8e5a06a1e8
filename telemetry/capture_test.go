package telemetry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"assay/record"
)

func TestCapture(t *testing.T) {
	env := Capture(t.Context(), fakeHost())
	tests := []struct {
		name string
		want any
	}{
		{"os.id", "ubuntu"}, {"os.version", "24.04"},
		{"host.name", "node-1"}, {"kernel.release", "6.8.0"}, {"host.uptime_seconds", 1000.5},
		{"kernel.command_line", "root=/dev/sda1 api-token=withheld url=https://withheld@host/x quiet"},
		{"load.avg1", 1.5}, {"load.avg15", 0.25},
		{"cpu.model", "Xeon 8480"}, {"cpu.sockets", 2}, {"cpu.cores", 3}, {"cpu.threads", 4},
		{"cpu.flags", []string{"avx2", "constant_tsc", "tsc"}}, {"virtual.hypervisor_flag", false},
		{"cpu.steal_percent_since_boot", 3.7}, {"cpu.mitigations", []string{"meltdown: Not affected"}},
		{"cpu.governor", []string{"performance", "powersave"}}, {"cpu.governor.policy1", "powersave"},
		{"cpu.mhz_max", 3800.0}, {"cpu.turbo", false}, {"cpu.smt", true}, {"thermal.max_celsius", 41.5},
		{"numa.nodes", 2}, {"numa.1.cpus", "2-3"}, {"numa.1.memory_total_bytes", int64(512 << 20)},
		{"affinity.cpus", "0-1"}, {"affinity.numa_nodes", []string{"0"}},
		{"memory.total_bytes", int64(1 << 30)}, {"memory.swap_used_bytes", int64(1 << 20)}, {"memory.huge_pages", int64(8)},
		{"memory.swap_devices", []string{"/dev/sda2"}}, {"memory.thp", "madvise"},
		{"pressure.cpu.some_avg10_percent", 12.5}, {"pressure.io.full_avg10_percent", 0.5},
		{"cgroup.version", "v2"}, {"cgroup.path", "/job.slice/task"},
		{"cgroup.cpu_limit_cores", 1.5}, {"cgroup.memory_limit_bytes", 536870912.0},
		{"virtual.container", []string{}}, {"container.image_digest", "sha256:" + strings.Repeat("ab", 32)},
		{"clock.source", "tsc"}, {"clock.sync", true}, {"clock.resolution_seconds", 1e-7}, {"clock.offset_seconds", -0.001}, {"clock.timer_slack_ns", int64(50000)},
		{"net.interfaces", []string{"eth0", "eth1"}}, {"net.eth0.driver", "mlx5_core"}, {"net.eth0.speed_mbps", int64(100000)},
		{"rdma.devices", []string{"mlx5_0"}}, {"rdma.mlx5_0.port1.rate", "400 Gb/sec (4X NDR)"},
		{"block.devices", []string{"nvme0n1"}}, {"block.nvme0n1.size_bytes", int64(1 << 20)}, {"block.nvme0n1.scheduler", "none"},
		{"disk.free_bytes", uint64(1000)},
		{"pci.gpus", []string{"0000:07:00.0"}}, {"pci.nics", []string{"0000:08:00.0", "0000:90:00.0"}},
		{"topology.gpu_nic", []string{"0000:07:00.0 0000:08:00.0 PIX", "0000:07:00.0 0000:90:00.0 SYS"}},
		{"pci.0000:07:00.0.link_width", int64(16)},
		{"limit.nofile_soft", int64(1024)}, {"limit.memlock_soft_bytes", "unlimited"},
		{"sysctl.net.ipv4.ip_local_port_range", []string{"32768", "60999"}},
		{"scheduler.kind", "slurm"}, {"scheduler.job", "42"},
		{"git.commit", "0123abc"}, {"git.branch", "main"}, {"git.staged_files", 3}, {"git.changed_files", 3}, {"git.untracked_files", 1},
		{"assay.binary_sha256", strings.Repeat("9a", 32)},
		{"software.nvidia_driver", "570.86.15"}, {"software.cuda_toolkit", "12.8.0"}, {"software.nccl_library", "2.26.2"},
		{"python.version", "3.12.3"}, {"python.torch", "2.7.0"}, {"python.nvidia-nccl", "2.26.2"},
		{"nccl.conf", []string{"NCCL_ALGO=Ring"}},
		{"env.NCCL_DEBUG", "INFO"}, {"env.GOGC", "50"}, {"env.TOKENIZERS_PARALLELISM", "false"},
		{"env.NVIDIA_MIRROR", "https://withheld@mirror/x"},
	}
	for _, tt := range tests {
		if got := env[tt.name]; !same(got.Value, tt.want) {
			t.Errorf("%s = %#v (unavailable: %q), want %#v", tt.name, got.Value, got.Unavailable, tt.want)
		}
	}
	missing := map[string]string{
		"net.eth1.speed_mbps": "does not say", "python.vllm": "not installed", "server.engine": "not asked yet",
		"gpu.count": "not asked", "cpu.driver": "scaling_driver", "env.VLLM_API_KEY": "withheld", "env.CUDA_AUTHTOKEN": "withheld",
	}
	for name, reason := range missing {
		if got := env[name]; got.Value != nil || !strings.Contains(got.Unavailable, reason) {
			t.Errorf("%s: got %v, %q; want unavailable because %q", name, got.Value, got.Unavailable, reason)
		}
	}
}

// same compares facts, floats to their twelfth digit.
func same(got, want any) bool {
	g, ok1 := got.(float64)
	w, ok2 := want.(float64)
	if ok1 && ok2 {
		return max(g-w, w-g) <= 1e-12*max(1, w, -w)
	}
	return reflect.DeepEqual(got, want)
}

// No value of a secret may appear anywhere, and nothing outside the allow-list.
func TestCaptureKeepsSecrets(t *testing.T) {
	text := fmt.Sprint(Capture(t.Context(), fakeHost()))
	for _, secret := range []string{"sk-1", "hunter2", "u:p@", "user:pw", "zzz", "GOOGLE", "GOPROXY", "/root"} {
		if strings.Contains(text, secret) {
			t.Errorf("the environment holds %q", secret)
		}
	}
}

// Every name must be there whatever the host gives, as a value or a reason.
func TestCaptureIsComplete(t *testing.T) {
	broken := fakeHost()
	broken.Files = tree(garbage())
	broken.GPUs = noGPUs{errors.New("no driver")}
	broken.Run = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("cannot run") }
	broken.ClockSync = func() (ClockSync, error) { return ClockSync{}, errors.New("no clock") }
	hosts := map[string]Host{
		"nothing": {}, "empty tree": {Files: fstest.MapFS{}}, "whole": fakeHost(), "garbage": broken,
	}
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) { checkComplete(t, Capture(t.Context(), h)) })
	}
	names := Names()
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("%d names, %d of them different: a name is listed twice", len(names), len(unique))
	}
}

// garbage is the machine with nonsense in every file.
func garbage() map[string]string {
	out := map[string]string{}
	for name, text := range machine {
		if !strings.HasPrefix(text, "->") {
			text = "\x00?? -1-- [ : = ,\n\n)"
		}
		out[name] = text
	}
	return out
}

func checkComplete(t *testing.T, env record.Environment) {
	t.Helper()
	for _, name := range Names() {
		fact, ok := env[name]
		if !ok || (fact.Value == nil) == (fact.Unavailable == "") {
			t.Errorf("%s: got %+v, want a value or a reason", name, fact)
		}
	}
}

func TestContainerHints(t *testing.T) {
	f := func(file, text string, want ...string) {
		t.Helper()
		got := containerHints(Host{Files: tree(map[string]string{file: text})})
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
	f(".dockerenv", "", "docker")
	f("run/.containerenv", "", "podman")
	f("proc/self/cgroup", "0::/kubepods.slice/pod1\n", "kubernetes")
	f("proc/self/cgroup", "1:cpu:/docker/abc\n", "docker")
	f("etc/passwd", "")
}

func TestCPUList(t *testing.T) {
	f := func(text string, want []int, fails bool) {
		t.Helper()
		got, err := cpuList(text)
		if !slices.Equal(got, want) || (err != nil) != fails {
			t.Errorf("cpuList(%q) = %v, %v; want %v, failure %v", text, got, err, want, fails)
		}
	}
	f("0-3,8\n", []int{0, 1, 2, 3, 8}, false)
	f("", nil, false)
	f("3-1", nil, true)
	f("0-99999999999", nil, true)
	f("a", nil, true)
}
