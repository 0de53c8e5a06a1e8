package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing/fstest"
	"time"
)

// machine is a two-socket host with a GPU beside a network card, written as its
// files. A value that begins with "->" is a symbolic link.
var machine = map[string]string{
	"etc/os-release": "ID=ubuntu\nVERSION_ID=\"24.04\"\nPRETTY_NAME=\"Ubuntu 24.04 LTS\"\n",
	"etc/nccl.conf":  "NCCL_ALGO=Ring\n",

	"proc/sys/kernel/hostname":              "node-1\n",
	"proc/sys/kernel/osrelease":             "6.8.0\n",
	"proc/cmdline":                          "root=/dev/sda1 api-token=hunter2 url=https://u:p@host/x quiet\n",
	"proc/loadavg":                          "1.50 0.75 0.25 2/300 4242\n",
	"proc/uptime":                           "1000.5 3000.0\n",
	"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
	"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon 8480\nmicrocode\t: 0x2b\nflags\t\t: fpu tsc avx2 constant_tsc\n\n" +
		"processor\t: 1\n\nprocessor\t: 2\n\nprocessor\t: 3\n",
	"proc/stat": "cpu  1000 200 300 8000 100 10 20 370 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\nctxt 123456\nprocs_running 3\nprocs_blocked 1\n",
	"proc/meminfo": "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n" +
		"HugePages_Total: 8\nHugepagesize: 2048 kB\n",
	"proc/vmstat":          "pswpin 5\npswpout 6\npgmajfault 7\n",
	"proc/swaps":           "Filename Type Size Used Priority\n/dev/sda2 partition 2048 1024 -2\n",
	"proc/pressure/cpu":    "some avg10=12.50 avg60=3.00 avg300=1.00 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	"proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	"proc/pressure/io":     "some avg10=1.00 avg60=0.00 avg300=0.00 total=10\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=5\n",
	"proc/net/dev": "Inter-|   Receive                                                |  Transmit\n" +
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n" +
		"  eth0: 1000 10 0 2 0 0 0 0 3000 30 0 1 0 0 0 0\n",
	"proc/net/snmp":     "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm RetransSegs InErrs\nTcp: 1 42 0\n",
	"proc/net/sockstat": "sockets: used 9\nTCP: inuse 4 orphan 0 tw 2 alloc 5 mem 1\n",

	"proc/net/netstat":            "TcpExt: PruneCalled RcvPruned ListenOverflows TCPBacklogDrop\nTcpExt: 3 4 2 5\nIpExt: InNoRoutes\nIpExt: 0\n",
	"proc/self/task/77/schedstat": "1000 2000000000 3\n", "proc/self/task/77/status": "Name:\tassay\nnonvoluntary_ctxt_switches:\t12\n",
	"proc/self/task/78/schedstat": "1000 500000000 3\n", "proc/self/task/78/status": "Name:\tassay\nnonvoluntary_ctxt_switches:\t3\n",

	"proc/self/task/77/children": "101 \n", "proc/self/task/78/children": "",
	"proc/101/task/101/children": "102 103 \n", "proc/101/stat": "101 (server) S 77 1 1 0 -1 0 0 0 0 0 150 50 25 25 20 0 9 0 100 0 0\n",
	"proc/102/task/102/children": "\n", "proc/102/stat": "102 (worker) S 101 1 1 0 -1 0 0 0 0 0 350 50 0 0 20 0 9 0 100 0 0\n",

	"proc/self/cgroup":    "0::/job.slice/task\n",
	"proc/self/stat":      "77 (a (b) c) S 1 1 1 0 -1 0 0 0 0 0 250 50 60 40 20 0 9 0 100 0 0\n",
	"proc/self/status":    "Name:\tassay\nVmRSS:\t   2048 kB\nThreads:\t9\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0-1\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t12\n",
	"proc/self/schedstat": "1000 2000000000 3\n",
	"proc/self/fd/0":      "", "proc/self/fd/1": "", "proc/self/fd/2": "",
	"proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max open files            1024                 524288               files     \n" +
		"Max locked memory         unlimited            unlimited            bytes     \n",
	"proc/self/timerslack_ns": "50000\n",

	"sys/fs/cgroup/job.slice/cpu.max":         "150000 100000\n",
	"sys/fs/cgroup/job.slice/task/cpu.max":    "max 100000\n",
	"sys/fs/cgroup/job.slice/task/memory.max": "536870912\n",
	"sys/fs/cgroup/job.slice/task/cpu.stat":   "usage_usec 9\nnr_throttled 4\nthrottled_usec 1500000\n",

	"sys/devices/system/cpu/cpu0/topology/physical_package_id": "0", "sys/devices/system/cpu/cpu0/topology/core_id": "0",
	"sys/devices/system/cpu/cpu1/topology/physical_package_id": "0", "sys/devices/system/cpu/cpu1/topology/core_id": "1",
	"sys/devices/system/cpu/cpu2/topology/physical_package_id": "1", "sys/devices/system/cpu/cpu2/topology/core_id": "0",
	"sys/devices/system/cpu/cpu3/topology/physical_package_id": "1", "sys/devices/system/cpu/cpu3/topology/core_id": "0",
	"sys/devices/system/cpu/cpufreq/policy0/scaling_governor":          "performance\n",
	"sys/devices/system/cpu/cpufreq/policy1/scaling_governor":          "powersave\n",
	"sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq":          "3800000\n",
	"sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq":          "2500000\n",
	"sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq":          "3500000\n",
	"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3\n",
	"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "4\n",
	"proc/diskstats": "   7       0 loop0 1 0 2 0 0 0 0 0 0 3 3 0\n 259       0 nvme0n1 10 1 100 5 4 2 200 9 0 1500 1600 0 0 0 0 0 0\n 259       1 nvme0n1p1 9 0 90 5 4 0 200 9 0 1500 1600 0 0 0 0\n 253       0 dm-0 10 0 100 5 4 0 200 9 0 1500 1600\n",
	"sys/devices/system/cpu/intel_pstate/no_turbo":                    "1\n",
	"sys/devices/system/cpu/smt/active":                               "1\n",
	"sys/devices/system/cpu/vulnerabilities/meltdown":                 "Not affected\n",
	"sys/devices/system/node/node0/cpulist":                           "0-1\n",
	"sys/devices/system/node/node0/meminfo":                           "Node 0 MemTotal:  524288 kB\n",
	"sys/devices/system/node/node1/cpulist":                           "2-3\n",
	"sys/devices/system/node/node1/meminfo":                           "Node 1 MemTotal:  524288 kB\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",

	"sys/class/net/eth0/mtu": "9000\n", "sys/class/net/eth0/operstate": "up\n", "sys/class/net/eth0/speed": "100000\n",
	"sys/class/net/eth0/device/driver":                    "->../../bus/pci/drivers/mlx5_core",
	"sys/class/net/eth1/mtu":                              "1500\n",
	"sys/class/net/eth1/speed":                            "-1\n",
	"sys/class/infiniband/mlx5_0/ports/1/rate":            "400 Gb/sec (4X NDR)\n",
	"sys/class/infiniband/mlx5_0/ports/1/state":           "4: ACTIVE\n",
	"sys/class/block/nvme0n1/device/model":                "Sample NVMe\n",
	"sys/class/block/nvme0n1/size":                        "2048\n",
	"sys/class/block/nvme0n1/queue/rotational":            "0\n",
	"sys/class/block/nvme0n1/queue/scheduler":             "[none] mq-deadline\n",
	"sys/class/block/nvme0n1p1/partition":                 "1\n",
	"sys/class/block/loop0/size":                          "0\n",
	"sys/class/thermal/thermal_zone0/temp":                "41500\n",
	"sys/class/powercap/intel-rapl:0/name":                "package-0\n",
	"sys/class/powercap/intel-rapl:0/energy_uj":           "5000000\n",
	"sys/class/powercap/intel-rapl:0/max_energy_range_uj": "8000000\n",

	"sys/bus/pci/devices/0000:07:00.0":                                                              "->../../../devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.0/0000:07:00.0",
	"sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.0/0000:07:00.0/class":              "0x030200\n",
	"sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.0/0000:07:00.0/current_link_width": "16\n",
	"sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.0/0000:07:00.0/numa_node":          "0\n",
	"sys/bus/pci/devices/0000:08:00.0":                                                              "->../../../devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.1/0000:08:00.0",
	"sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:00.1/0000:08:00.0/class":              "0x020700\n",
	"sys/bus/pci/devices/0000:90:00.0":                                                              "->../../../devices/pci0000:80/0000:80:01.0/0000:90:00.0",
	"sys/devices/pci0000:80/0000:80:01.0/0000:90:00.0/class":                                        "0x020000\n",

	"proc/driver/nvidia/version":                                     "NVRM version: NVIDIA UNIX Open Kernel Module  570.86.15  Release Build\n",
	"usr/local/cuda/version.json":                                    `{"cuda": {"name": "CUDA SDK", "version": "12.8.0"}}`,
	"usr/lib/x86_64-linux-gnu/libnccl.so.2.26.2":                     "",
	"opt/venv/site-packages/torch-2.7.0.dist-info/METADATA":          "",
	"opt/venv/site-packages/nvidia_nccl_cu12-2.26.2.dist-info/WHEEL": "",
}

func tree(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		if target, link := strings.CutPrefix(text, "->"); link {
			out[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
			continue
		}
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// fakeHost is the machine with an environment and programs.
func fakeHost() Host {
	var ticks time.Duration
	return Host{
		Files: tree(machine),
		Environ: func() []string {
			return []string{
				"NCCL_DEBUG=INFO", "VLLM_API_KEY=sk-1", "HOME=/root", "GOGC=50", "GOOGLE_API_KEY=x", "GOPROXY=https://u:p@proxy",
				"TOKENIZERS_PARALLELISM=false", "NVIDIA_MIRROR=https://user:pw@mirror/x", "SLURM_JOB_ID=42",
				"IMAGE_DIGEST=registry/x@sha256:" + strings.Repeat("ab", 32), "CUDA_AUTHTOKEN=zzz",
			}
		},
		LookPath: func(name string) (string, error) {
			if name == "python3" {
				return "/opt/venv/bin/python3", nil
			}
			return "", errors.New(name + " is not there")
		},
		Run: func(_ context.Context, name string, _ ...string) ([]byte, error) {
			switch name {
			case "git":
				return []byte("# branch.oid 0123abc\n# branch.head main\n1 M. N... 100644 a\n1 .M N... 100644 b\n2 MM N... 100644 c\nu UU N... d\n? new\n"), nil
			case "/opt/venv/bin/python3":
				return []byte("3.12.3\n\n/opt/venv/site-packages\n"), nil
			}
			return nil, errors.New(name + " cannot be run")
		},
		Now: func() time.Duration { ticks++; return ticks / 4 * 100 }, // a step every fourth reading
		ClockSync: func() (ClockSync, error) {
			return ClockSync{Synchronised: true, Offset: -time.Millisecond, MaxError: 20 * time.Millisecond}, nil
		},
		Program:   func() (string, error) { return strings.Repeat("9a", 32), nil },
		DiskSpace: func(string) (Space, error) { return Space{Free: 1000, Total: 4000}, nil },
	}
}
