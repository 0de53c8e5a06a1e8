package telemetry

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"assay/record"
)

var cpuSection = section{
	names: []string{
		"cpu.model", "cpu.vendor", "cpu.microcode", "cpu.flags", "cpu.sockets", "cpu.cores",
		"cpu.threads", "cpu.mitigations", "cpu.steal_percent_since_boot", "virtual.hypervisor_flag",
	},
	read: readCPU,
}

// flagsOfInterest are the features that change what a binary may use or how
// steady the clock is. The whole list is a thousand characters and says little.
var flagsOfInterest = []string{
	"aes", "amx_bf16", "amx_int8", "amx_tile", "asimd", "avx", "avx2", "avx512_bf16", "avx512_fp16",
	"avx512_vnni", "avx512f", "bf16", "constant_tsc", "fma", "hypervisor", "nonstop_tsc", "rdtscp",
	"sve", "sve2", "tsc", "tsc_known_freq",
}

func readCPU(_ context.Context, h Host, env record.Environment) error {
	readMitigations(h, env)
	readSteal(h, env)
	if err := readSockets(h, env); err != nil {
		for _, name := range []string{"cpu.sockets", "cpu.cores"} {
			env.Miss(name, err.Error())
		}
	}
	text, err := h.text("proc/cpuinfo")
	if err != nil {
		return err
	}
	values := keyValues(text, ":")
	for name, key := range map[string]string{"cpu.model": "model name", "cpu.vendor": "vendor_id", "cpu.microcode": "microcode"} {
		if v := values[key]; v != "" {
			env.Set(name, v)
		} else {
			env.Miss(name, "/proc/cpuinfo: no "+key)
		}
	}
	threads := 0
	for line := range strings.Lines(text) {
		if key, _, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "processor" {
			threads++
		}
	}
	env.Set("cpu.threads", threads)
	readFlags(env, values)
	return nil
}

func readFlags(env record.Environment, cpuinfo map[string]string) {
	all, ok := cpuinfo["flags"]
	if !ok {
		all, ok = cpuinfo["Features"] // arm64
	}
	if !ok {
		env.Miss("cpu.flags", "/proc/cpuinfo: neither flags nor Features")
		env.Miss("virtual.hypervisor_flag", "/proc/cpuinfo: no flags")
		return
	}
	have := strings.Fields(all)
	kept := []string{}
	for _, f := range flagsOfInterest {
		if slices.Contains(have, f) {
			kept = append(kept, f)
		}
	}
	env.Set("cpu.flags", kept)
	if _, x86 := cpuinfo["flags"]; x86 {
		env.Set("virtual.hypervisor_flag", slices.Contains(have, "hypervisor"))
	} else {
		env.Miss("virtual.hypervisor_flag", "this architecture has no such flag")
	}
}

// readSockets counts packages and cores from the topology folders, which exist
// on every architecture; cpuinfo has them on x86 only.
func readSockets(h Host, env record.Environment) error {
	folders, err := h.glob("sys/devices/system/cpu/cpu[0-9]*/topology")
	if err != nil {
		return err
	}
	sockets, cores := map[string]bool{}, map[string]bool{}
	for _, f := range folders {
		socket, err := h.text(f + "/physical_package_id")
		if err != nil {
			return err
		}
		core, err := h.text(f + "/core_id")
		if err != nil {
			return err
		}
		sockets[socket] = true
		cores[socket+" "+core] = true
	}
	env.Set("cpu.sockets", len(sockets))
	env.Set("cpu.cores", len(cores))
	return nil
}

func readMitigations(h Host, env record.Environment) {
	files, err := h.glob("sys/devices/system/cpu/vulnerabilities/*")
	if err != nil {
		env.Miss("cpu.mitigations", err.Error())
		return
	}
	list := []string{}
	for _, f := range files {
		text, err := h.text(f)
		if err != nil {
			text = "unreadable"
		}
		list = append(list, path.Base(f)+": "+text)
	}
	env.Set("cpu.mitigations", list)
}

func readSteal(h Host, env record.Environment) {
	times, err := readCPUTimes(h)
	if err != nil {
		env.Miss("cpu.steal_percent_since_boot", err.Error())
		return
	}
	env.Set("cpu.steal_percent_since_boot", 100*times.steal/max(times.total(), 1))
}

var frequencySection = section{
	names: []string{"cpu.governor", "cpu.driver", "cpu.mhz_max", "cpu.mhz_min", "cpu.mhz_current", "cpu.turbo"},
	read:  readFrequency,
}

func readFrequency(_ context.Context, h Host, env record.Environment) error {
	readTurbo(h, env)
	policies, err := h.glob("sys/devices/system/cpu/cpufreq/policy*")
	if err != nil {
		return err
	}
	governors := []string{}
	for _, p := range policies {
		g, err := h.text(p + "/scaling_governor")
		if err != nil {
			return err
		}
		env.Set("cpu.governor."+path.Base(p), g)
		if !slices.Contains(governors, g) {
			governors = append(governors, g)
		}
	}
	slices.Sort(governors)
	env.Set("cpu.governor", governors)
	h.record(env, fileFact{"cpu.driver", policies[0] + "/scaling_driver", word})
	h.record(env, fileFact{"cpu.mhz_max", policies[0] + "/cpuinfo_max_freq", kilohertz})
	h.record(env, fileFact{"cpu.mhz_min", policies[0] + "/cpuinfo_min_freq", kilohertz})
	h.record(env, fileFact{"cpu.mhz_current", policies[0] + "/scaling_cur_freq", kilohertz})
	return nil
}

// kilohertz reads cpufreq's kHz as MHz.
func kilohertz(text string) (any, error) {
	v, err := field(0)(text)
	if err != nil {
		return nil, err
	}
	return v.(float64) / 1000, nil
}

// readTurbo asks intel_pstate, whose flag is turned round, then the others.
func readTurbo(h Host, env record.Environment) {
	if off, err := h.integer("sys/devices/system/cpu/intel_pstate/no_turbo"); err == nil {
		env.Set("cpu.turbo", off == 0)
		return
	}
	on, err := h.integer("sys/devices/system/cpu/cpufreq/boost")
	if err != nil {
		env.Miss("cpu.turbo", fmt.Sprintf("neither intel_pstate nor %v", err))
		return
	}
	env.Set("cpu.turbo", on != 0)
}
