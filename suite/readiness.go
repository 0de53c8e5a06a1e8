package suite

import (
	"fmt"
	"slices"
	"strings"
)

// A Fleet is how several hosts would be reached, as it was asked for.
type Fleet struct {
	Hosts     []string
	Labels    []string
	Primary   string // label of the host that reports are about
	Interface string // that ranks talk over
	Control   string // that hosts are reached over
}

// A Check is one condition of measuring several hosts.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, advisory, error or not_applicable
	Text   string `json:"text"`
}

// The states of a check.
const (
	OK            = "ok"
	Advisory      = "advisory"
	Wrong         = "error"
	NotApplicable = "not_applicable"
)

// Validate finds what can never work.
func (f Fleet) Validate() error {
	if len(f.Labels) > 0 && len(f.Labels) != len(f.Hosts) {
		return fmt.Errorf("--labels: got %d for %d hosts, want one for each", len(f.Labels), len(f.Hosts))
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"--hosts", f.Hosts}, {"--labels", f.Labels}} {
		for i, item := range list.items {
			if strings.TrimSpace(item) == "" {
				return fmt.Errorf("%s: item %d is empty", list.name, i+1)
			}
			if slices.Contains(list.items[:i], item) {
				return fmt.Errorf("%s: %q twice", list.name, item)
			}
		}
	}
	if f.Primary != "" && !slices.Contains(f.Labels, f.Primary) {
		return fmt.Errorf("--primary-label %q: want one of --labels", f.Primary)
	}
	return nil
}

// Ready checks what several hosts need. Ranks on other hosts are started by srun,
// mpirun or torchrun, not by assay: none of the checks reaches out.
func (f Fleet) Ready(p Preset, h Host) []Check {
	many := len(f.Hosts) > 1
	of := func(name string, good bool, bad, ok, wrong string) Check {
		switch {
		case !many:
			return Check{name, NotApplicable, "one host"}
		case good:
			return Check{name, OK, ok}
		}
		return Check{name, bad, wrong}
	}
	return []Check{
		of("labels_explicit", len(f.Labels) == len(f.Hosts), Advisory, "every host has a label", "give --labels: names of hosts change, and bundles outlive them"),
		of("interface_binding_explicit", f.Interface != "", Wrong, "ranks talk over "+f.Interface, "give --socket-ifname: a library that chooses for itself may take the slow network"),
		of("modern_profile_has_multinode_vllm", len(f.Hosts) == 2, Advisory, "two hosts", "serving over several hosts is measured with exactly two"),
		of("train_step_has_multinode_enabled", h.Has[Torch], Wrong, "torch is here", "no Python with torch was found: training over hosts cannot be measured"),
		of("vllm_multinode_host_shape_valid", !h.Simulated, Advisory, "a server was given", "give --url: the simulator spans no hosts"),
	}
}
