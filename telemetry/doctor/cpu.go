package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"assay/finding"
	"assay/telemetry"
)

// Governor asks whether the clock is held high. On a virtual machine the
// hypervisor owns the clock, and what the guest shows decides nothing.
var Governor = Check{
	ID:    "governor",
	Asks:  "is the CPU frequency governor \"performance\"",
	Worst: finding.Void,
	Why:   "other governors lower the clock between bursts, so latency depends on how busy the machine was just before",
	Fix:   "cpupower frequency-set -g performance",
	Run: func(_ context.Context, s Subject) Answer {
		if virtual, _ := virtualised(s); virtual != "" {
			return unchecked(errors.New("a virtual machine does not set its own clock"))
		}
		governors, err := s.list("cpu.governor")
		if err != nil {
			return unchecked(err)
		}
		if slices.Equal(governors, []string{"performance"}) {
			return passed
		}
		return found(finding.Void, "the governor is %s, want performance on every CPU", strings.Join(governors, ", "))
	},
}

// CPULimit asks whether a control group caps processor time. A quota of every
// CPU or more can never bind.
var CPULimit = Check{
	ID:    "cpu-limit",
	Asks:  "is processor time free of a control group quota",
	Worst: finding.Void,
	Why:   "a group that has used its quota stands still until the next period, up to 100 ms, in the middle of streams",
	Fix:   "remove the container's CPU limit (a request or a cpuset does no harm)",
	Run: func(_ context.Context, s Subject) Answer {
		if text, err := s.text("cgroup.cpu_limit_cores"); err == nil && text == telemetry.Unlimited {
			return passed
		}
		limit, err := s.number("cgroup.cpu_limit_cores")
		if err != nil {
			return unchecked(err)
		}
		threads, err := s.number("cpu.threads")
		if err == nil && limit >= threads {
			return passed
		}
		path, _ := s.text("cgroup.path") // evidence only
		a := found(finding.Void, "the control group may use %.4g of %.0f CPUs", limit, threads)
		a.Evidence = []string{"control group " + path}
		return a
	},
}

// NUMAAffinity asks whether this process may wander between memory nodes.
var NUMAAffinity = Check{
	ID:    "numa-affinity",
	Asks:  "is this process bound to one NUMA node",
	Worst: finding.Caution,
	Why:   "a thread that moves to another node reads its memory from afar, and runs differ by where they landed",
	Fix:   "numactl --cpunodebind=N --membind=N assay …",
	Run: func(_ context.Context, s Subject) Answer {
		nodes, err := s.list("affinity.numa_nodes")
		if err != nil {
			return unchecked(err)
		}
		if len(nodes) <= 1 {
			return passed
		}
		return found(finding.Caution, "this process may run on NUMA nodes %s; want one", strings.Join(nodes, ", "))
	},
}

// SMT says that hardware threads share cores.
var SMT = Check{
	ID:    "smt",
	Asks:  "does every thread have a core of its own",
	Worst: finding.Note,
	Why:   "two threads on one core slow each other; results with and without it are not comparable",
	Fix:   "echo off > /sys/devices/system/cpu/smt/control, or state it beside the result",
	Run:   switchedOn("cpu.smt", "simultaneous multithreading is on"),
}

// Turbo says that the clock depends on temperature and neighbours.
var Turbo = Check{
	ID:    "turbo",
	Asks:  "is the CPU clock free of turbo",
	Worst: finding.Note,
	Why:   "turbo clocks depend on temperature and on how many cores are busy, so they drift within a run",
	Fix:   "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (or 0 > cpufreq/boost), or state it beside the result",
	Run:   switchedOn("cpu.turbo", "turbo is on"),
}

func switchedOn(fact, message string) func(context.Context, Subject) Answer {
	return func(_ context.Context, s Subject) Answer {
		on, err := s.flag(fact)
		if err != nil {
			return unchecked(err)
		}
		if !on {
			return passed
		}
		return found(finding.Note, "%s", message)
	}
}

// Virtual says that the machine is a guest: not the canonical place for a
// published figure.
var Virtual = Check{
	ID:    "virtual-machine",
	Asks:  "is this bare metal",
	Worst: finding.Note,
	Why:   "a hypervisor adds jitter that the guest cannot see; figures from guests are not canonical",
	Fix:   "measure on bare metal for publication, or state the hypervisor beside the result",
	Run: func(_ context.Context, s Subject) Answer {
		virtual, err := virtualised(s)
		if err != nil {
			return unchecked(err)
		}
		if virtual == "" {
			return passed
		}
		return found(finding.Note, "this is a virtual machine (%s): non-canonical", virtual)
	},
}

// guestNames are the words by which hypervisors call their machines in DMI.
var guestNames = []string{"kvm", "qemu", "vmware", "virtualbox", "virtual machine", "xen", "hvm domu", "google compute engine", "amazon ec2", "openstack", "bochs", "parallels"}

// virtualised returns what tells that s is a guest, or "". Metal instances of
// clouds carry the cloud's name too, so the CPU's own flag decides where the
// architecture has one.
func virtualised(s Subject) (string, error) {
	product, productErr := s.text("virtual.product")
	vendor, _ := s.text("virtual.vendor")
	on, err := s.flag("virtual.hypervisor_flag")
	switch {
	case err == nil && on && product != "":
		return strings.TrimSpace(vendor + " " + product), nil
	case err == nil && on:
		return "hypervisor flag", nil
	case err == nil:
		return "", nil
	case productErr != nil:
		return "", err
	}
	name := strings.ToLower(vendor + " " + product)
	if slices.ContainsFunc(guestNames, func(g string) bool { return strings.Contains(name, g) }) {
		return strings.TrimSpace(vendor + " " + product), nil
	}
	return "", nil
}
