package doctor

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"assay/finding"
	"assay/record"
	"assay/telemetry"
)

var update = flag.Bool("update", false, "write the golden files")

// A host is a machine to examine: files, and what no file holds.
type host struct {
	files  map[string]string
	system string
	gpus   *fakeGPUs
	pulse  *Pulse
	clock  *telemetry.ClockSync
	disk   *telemetry.Space
	hold   func(context.Context) error
}

func (h host) local() telemetry.Host {
	files := fstest.MapFS{}
	for name, text := range h.files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	out := telemetry.Host{Files: files, System: h.system, HoldPrograms: h.hold}
	if h.gpus != nil {
		out.GPUs = h.gpus
	}
	if h.clock != nil {
		out.ClockSync = func() (telemetry.ClockSync, error) { return *h.clock, nil }
	}
	if h.disk != nil {
		out.DiskSpace = func(string) (telemetry.Space, error) { return *h.disk, nil }
	}
	return out
}

func (h host) measure() func(context.Context) (Pulse, error) {
	if h.pulse == nil {
		return nil
	}
	return func(context.Context) (Pulse, error) { return *h.pulse, nil }
}

// fakeGPUs answers with one device and, call by call, lists of processes.
type fakeGPUs struct {
	facts     map[string]any
	processes [][]telemetry.GPUProcess
	calls     int
}

func (g *fakeGPUs) Facts(context.Context) (record.Environment, error) {
	env := record.Environment{}
	env.Set("gpu.count", 1)
	for name, v := range g.facts {
		env.Set("gpu.0."+name, v)
	}
	return env, nil
}

func (g *fakeGPUs) Gauges(context.Context) ([]telemetry.Reading, error) {
	return nil, errors.New("the doctor reads no gauges")
}

func (g *fakeGPUs) Processes(context.Context) ([]telemetry.GPUProcess, error) {
	g.calls++
	if len(g.processes) == 0 {
		return nil, nil
	}
	return slices.Clone(g.processes[min(g.calls, len(g.processes))-1]), nil
}

func (g *fakeGPUs) Close() error { return nil }

func gpu(name string, v any) host {
	return host{gpus: &fakeGPUs{facts: map[string]any{name: v}}}
}

func gpuPair(a string, v any, b string, w any) host {
	return host{gpus: &fakeGPUs{facts: map[string]any{a: v, b: w}}}
}

func files(pairs ...string) host {
	h := host{files: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		h.files[pairs[i]] = pairs[i+1]
	}
	return h
}

const (
	fourCPUs   = "processor: 0\nflags: fpu tsc\n\nprocessor: 1\n\nprocessor: 2\n\nprocessor: 3\n"
	guestCPUs  = "processor: 0\nflags: fpu hypervisor\n"
	governor   = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
	thp        = "sys/kernel/mm/transparent_hugepage/enabled"
	source     = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	someWaited = "some avg10=9.50 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	noneWaited = "some avg10=0.10 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	limits     = "Limit                     Soft Limit           Hard Limit           Units\nMax open files            "
)

// twoNodes is a machine of two memory nodes with a process that may use cpus.
func twoNodes(cpus string) host {
	return files("proc/self/status", "Cpus_allowed_list:\t"+cpus+"\n",
		"sys/devices/system/node/node0/cpulist", "0-1\n", "sys/devices/system/node/node1/cpulist", "2-3\n")
}

func v2(file, text string) host {
	return files("proc/self/cgroup", "0::/job\n", "sys/fs/cgroup/job/"+file, text,
		"proc/cpuinfo", fourCPUs, "proc/meminfo", "MemTotal: 8388608 kB\nSwapTotal: 0 kB\n")
}

func pulse(p Pulse) host { return host{pulse: &p} }

func foreignAt(lists ...[]telemetry.GPUProcess) host {
	return host{gpus: &fakeGPUs{facts: map[string]any{"memory_used_bytes": uint64(1 << 20)}, processes: lists}}
}

func holding(pid int, bytes uint64) []telemetry.GPUProcess {
	return []telemetry.GPUProcess{{PID: pid, GPU: "GPU-a", Memory: bytes}}
}

// cases gives every check a host that trips it, the severity expected there,
// and one that passes.
var cases = map[string]struct {
	trips    host
	severity finding.Severity
	passes   host
}{
	"swap": {
		files("proc/meminfo", "MemTotal: 100 kB\nSwapTotal: 2097152 kB\nSwapFree: 2097152 kB\n", "proc/swaps", "Filename Type\n/dev/sda2 partition\n"),
		finding.Void, files("proc/meminfo", "MemTotal: 100 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")},
	"governor": {
		files("proc/cpuinfo", fourCPUs, governor, "powersave\n"),
		finding.Void, files("proc/cpuinfo", fourCPUs, governor, "performance\n")},
	"cpu-limit": {
		v2("cpu.max", "200000 100000\n"),
		finding.Void, v2("cpu.max", "max 100000\n")},
	"memory-limit": {
		v2("memory.max", "1073741824\n"),
		finding.Void, v2("memory.max", "max\n")},
	"foreign-gpu-process": {
		foreignAt(holding(7, 1<<30)),
		finding.Void, foreignAt(nil)},
	"numa-affinity":   {twoNodes("0-3"), finding.Caution, twoNodes("2-3")},
	"pressure-cpu":    {files("proc/pressure/cpu", someWaited), finding.Caution, files("proc/pressure/cpu", noneWaited)},
	"pressure-memory": {files("proc/pressure/memory", someWaited), finding.Caution, files("proc/pressure/memory", noneWaited)},
	"pressure-io":     {files("proc/pressure/io", someWaited), finding.Caution, files("proc/pressure/io", noneWaited)},
	"load": {
		files("proc/loadavg", "3.10 1.00 1.00 1/2 3\n", "proc/cpuinfo", fourCPUs),
		finding.Caution, files("proc/loadavg", "0.10 1.00 1.00 1/2 3\n", "proc/cpuinfo", fourCPUs)},
	"steal": {
		files("proc/stat", "cpu 100 0 100 700 0 0 0 100 0 0\n"),
		finding.Caution, files("proc/stat", "cpu 100 0 100 800 0 0 0 0 0 0\n")},
	"sleep-overshoot": {pulse(Pulse{Overshoot: 5 * time.Millisecond}), finding.Caution, pulse(Pulse{Overshoot: time.Millisecond})},
	"hiccups":         {pulse(Pulse{Gap: 40 * time.Millisecond}), finding.Caution, pulse(Pulse{Gap: time.Millisecond})},
	"clock-cost":      {pulse(Pulse{Read: 3 * time.Microsecond}), finding.Caution, pulse(Pulse{Read: 40 * time.Nanosecond})},
	"clock-source":    {files(source, "hpet\n"), finding.Caution, files(source, "tsc\n")},
	"wall-clock": {
		host{clock: &telemetry.ClockSync{Synchronised: true, MaxError: time.Second}},
		finding.Caution, host{clock: &telemetry.ClockSync{Synchronised: true, MaxError: time.Millisecond}}},
	"gpu-throttling": {
		gpu("throttle_reasons", []string{"hw_thermal_slowdown"}),
		finding.Caution, gpu("throttle_reasons", []string{"applications_clocks_setting"})},
	"gpu-temperature": {
		gpuPair("temperature_celsius", uint32(85), "temperature_slowdown_celsius", uint32(90)),
		finding.Caution, gpuPair("temperature_celsius", uint32(35), "temperature_slowdown_celsius", uint32(90))},
	"gpu-memory-errors": {gpu("ecc_uncorrected_volatile", uint64(2)), finding.Caution, gpu("ecc_uncorrected_volatile", uint64(0))},
	"gpu-link": {
		gpuPair("pcie_width", 8, "pcie_width_max", 16),
		finding.Caution, gpuPair("pcie_width", 16, "pcie_width_max", 16)},
	"cpu-temperature": {
		files("sys/class/thermal/thermal_zone0/temp", "91000\n"),
		finding.Caution, files("sys/class/thermal/thermal_zone0/temp", "41000\n")},
	"open-files": {
		files("proc/self/limits", limits+"1024                 1048576              files\n"),
		finding.Caution, files("proc/self/limits", limits+"65536                1048576              files\n")},
	"ports": {
		files("proc/sys/net/ipv4/ip_local_port_range", "60000\t65535\n"),
		finding.Caution, files("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")},
	"disk-space": {
		host{disk: &telemetry.Space{Free: 1 << 20, Total: 1 << 40}},
		finding.Caution, host{disk: &telemetry.Space{Free: 1 << 39, Total: 1 << 40}}},
	"power-mode": {
		files("sys/class/power_supply/BAT0/type", "Battery\n", "sys/class/power_supply/BAT0/status", "Discharging\n"),
		finding.Caution, files("sys/class/power_supply/BAT0/type", "Battery\n", "sys/class/power_supply/BAT0/status", "Full\n")},
	"linux":           {host{system: "darwin"}, finding.Caution, host{system: "linux"}},
	"virtual-machine": {files("proc/cpuinfo", guestCPUs), finding.Note, files("proc/cpuinfo", fourCPUs)},
	"huge-pages":      {files(thp, "[always] madvise never\n"), finding.Note, files(thp, "always [madvise] never\n")},
	"smt": {
		files("sys/devices/system/cpu/smt/active", "1\n"),
		finding.Note, files("sys/devices/system/cpu/smt/active", "0\n")},
	"turbo": {
		files("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
		finding.Note, files("sys/devices/system/cpu/cpufreq/boost", "0\n")},
	"cpu-throttling": {
		files("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
		finding.Note, files("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0\n")},
	"gpu-persistence": {gpu("persistence", false), finding.Note, gpu("persistence", true)},
	"sandbox": {
		host{hold: func(context.Context) error { return errors.New("no user namespaces") }},
		finding.Note, host{hold: func(context.Context) error { return nil }}},
}

// TestChecks is the conformance test: every check has a host that trips it, one
// that passes it, and a host that says nothing leaves it unmade.
func TestChecks(t *testing.T) {
	for _, c := range All {
		t.Run(c.ID, func(t *testing.T) {
			tt, ok := cases[c.ID]
			if !ok {
				t.Fatal("every check needs a host that trips it and one that passes; add them to cases")
			}
			for _, field := range []string{c.Asks, c.Why, c.Fix, string(c.Worst)} {
				if field == "" {
					t.Error("Asks, Why, Fix and Worst must be filled")
				}
			}
			tripped := resultOf(t, c.ID, tt.trips)
			if tripped.Status != Found || tripped.Finding.Severity != tt.severity {
				t.Errorf("tripping host: got %+v, want a %s finding", tripped, tt.severity)
			}
			if tt.severity != c.Worst {
				t.Errorf("tripping host has severity %s, want the worst, %s", tt.severity, c.Worst)
			}
			if got := resultOf(t, c.ID, tt.passes); got.Status != Passed {
				t.Errorf("passing host: got %+v, want passed", got)
			}
			if got := resultOf(t, c.ID, host{}); got.Status != NotChecked || got.Reason == "" {
				t.Errorf("host that says nothing: got %+v, want not checked with a reason", got)
			}
		})
	}
	for id := range maps.Keys(cases) {
		if !slices.ContainsFunc(All, func(c Check) bool { return c.ID == id }) {
			t.Errorf("cases holds %s, which All does not list", id)
		}
	}
}

func resultOf(t *testing.T, id string, h host) Result {
	t.Helper()
	r := Examine(t.Context(), h.local(), h.measure())
	i := slices.IndexFunc(r.Results, func(r Result) bool { return r.Check == id })
	if i < 0 {
		t.Fatalf("no result of %s", id)
	}
	return r.Results[i]
}

// The edges that one tripping and one passing host do not show.
func TestEdges(t *testing.T) {
	tests := []struct {
		name  string
		check string
		host  host
		want  string // status, with severity for a finding
	}{
		{"governor of a guest", "governor", files("proc/cpuinfo", guestCPUs, governor, "powersave"), "not_checked"},
		{"quota of every CPU", "cpu-limit", v2("cpu.max", "400000 100000"), "passed"},
		{"v1 quota", "cpu-limit", files("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n", "proc/cpuinfo", fourCPUs,
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000"), "finding void"},
		{"v1 without quota", "cpu-limit", files("proc/self/cgroup", "4:cpu,cpuacct:/a\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000"), "passed"},
		{"v1 memory limit", "memory-limit", files("proc/self/cgroup", "5:memory:/a\n", "proc/meminfo", "MemTotal: 8388608 kB",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824"), "finding void"},
		{"v1 memory unlimited", "memory-limit", files("proc/self/cgroup", "5:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712"), "passed"},
		{"limit of an ancestor", "memory-limit", files("proc/self/cgroup", "0::/a/b/c\n", "proc/meminfo", "MemTotal: 8388608 kB",
			"sys/fs/cgroup/a/memory.max", "1048576", "sys/fs/cgroup/a/b/c/memory.max", "max"), "finding void"},
		{"limit above the machine's memory", "memory-limit", v2("memory.max", "17179869184"), "passed"},
		{"groups not mounted", "cpu-limit", files("proc/self/cgroup", "0::/job\n", "proc/cpuinfo", fourCPUs), "not_checked"},
		{"garbled quota", "cpu-limit", v2("cpu.max", "lots of it"), "not_checked"},
		{"garbled memory limit", "memory-limit", v2("memory.max", "-5"), "not_checked"},
		{"root group", "cpu-limit", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cgroup.procs", "1\n"), "passed"},
		{"node without CPU list", "numa-affinity", files("proc/self/status", "Cpus_allowed_list:\t0-3\n",
			"sys/devices/system/node/node0/cpulist", "0-1", "sys/devices/system/node/node1/distance", "10"), "not_checked"},
		{"process gone after the wait", "foreign-gpu-process", foreignAt(holding(7, 1<<30), holding(7, 1<<30), nil), "passed"},
		{"small process", "foreign-gpu-process", foreignAt(holding(7, 1<<20)), "passed"},
		{"own process", "foreign-gpu-process", foreignAt(holding(os.Getpid(), 1<<30)), "passed"},
		{"memory without a process", "foreign-gpu-process", gpu("memory_used_bytes", uint64(40<<30)), "finding caution"},
		{"paravirtual clock", "clock-source", files(source, "kvm-clock"), "finding note"},
		{"unsynchronised clock", "wall-clock", host{clock: &telemetry.ClockSync{}}, "finding caution"},
		{"saving profile", "power-mode", files("sys/firmware/acpi/platform_profile", "low-power"), "finding caution"},
		{"odd port range", "ports", files("proc/sys/net/ipv4/ip_local_port_range", "many"), "not_checked"},
		{"garbage in meminfo", "swap", files("proc/meminfo", "SwapTotal: lots\n"), "not_checked"},
		{"unlimited files", "open-files", files("proc/self/limits", limits+"unlimited            unlimited            files\n"), "passed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resultOf(t, tt.check, tt.host)
			got := string(r.Status)
			if r.Finding != nil {
				got += " " + string(r.Finding.Severity)
			}
			if got != tt.want {
				t.Errorf("%s: got %s (%s), want %s", tt.check, got, r.line(), tt.want)
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	f := func(h host, fit bool, summary string) {
		t.Helper()
		r := Examine(t.Context(), h.local(), h.measure())
		if r.Fit != fit || !strings.HasPrefix(r.summary(), summary) {
			t.Errorf("got fit %v, %q; want %v, %q", r.Fit, r.summary(), fit, summary)
		}
	}
	f(cases["swap"].trips, false, "not fit to measure: 1 void")
	f(cases["smt"].trips, true, "fit to measure as far as checked: 0 void, 0 caution, 1 note")
	f(cases["clock-source"].trips, true, "fit to measure as far as checked: 0 void, 1 caution")
	f(host{}, true, "fit to measure as far as checked: 0 void, 0 caution, 0 note, 33 not checked, of 33 checks")
}

// Measure runs for real: its figures are those of this machine, so only what no
// machine can break is asked.
func TestMeasure(t *testing.T) {
	p, err := Measure(t.Context())
	if err != nil || p.Gap <= 0 || p.Read <= 0 || p.Read > time.Millisecond {
		t.Errorf("got %+v, %v; want a gap and a read cost above zero", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
	}
}

// golden compares got with a file, or writes the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s: got:\n%s\nwant:\n%s\n(-update rewrites it)", path, got, want)
	}
}

func TestText(t *testing.T) {
	h := host{
		files: map[string]string{},
		gpus:  cases["gpu-throttling"].trips.gpus,
		pulse: &Pulse{Overshoot: time.Millisecond, Gap: 12 * time.Millisecond, Read: 50 * time.Nanosecond},
	}
	for _, id := range []string{"swap", "governor", "clock-source", "smt"} {
		maps.Copy(h.files, cases[id].trips.files)
	}
	var got strings.Builder
	if err := WriteText(&got, Examine(t.Context(), h.local(), h.measure())); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.golden", got.String())
}
