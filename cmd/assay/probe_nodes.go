package main

import (
	"cmp"
	"slices"

	"assay/judge"
	"assay/launch"
	"assay/report"
	"assay/spec"
)

// nodeFields are the flags that say which hosts a probe measures in place of this one.
var nodeFields = hostFields("probe")

// onNodes has a run measure other hosts: its probes on each of them, and the network
// between every two by ranks of the native backend, one on each. Nothing asked means that
// it stays here.
func onNodes(s *spec.RunSpec, asked *spec.Launcher) error {
	if asked == nil {
		return nil
	}
	how := *asked
	names := s.Probe.Probes
	if len(names) == 0 {
		names = []string{"speed", "memory", "matmul", "disk", "network"}
	}
	how.Kind = cmp.Or(how.Kind, kindOfLaunch(how))
	nodes := 1
	switch how.Kind {
	case spec.LaunchSlurm:
		if how.Slurm != nil {
			nodes = max(1, how.Slurm.Nodes)
		}
	default:
		hosts, err := launch.ReadHosts(how.Hosts)
		if err != nil {
			return usageError(err)
		}
		// A host file is written out: the plan must know how many hosts there are, and one
		// rank measures each.
		how.Hosts, nodes = nil, len(hosts)
		for _, h := range hosts {
			h.Slots = 1
			how.Hosts = append(how.Hosts, h.String())
		}
	}
	s.Probe.Launch = &how
	s.Probe.Probes = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "network" })
	if slices.Contains(names, "network") && nodes > 1 {
		s.Collectives = &spec.Collectives{
			Ranks: []int{nodes}, Operations: []string{"barrier"}, Iterations: 20, Pairs: true, Launch: &how,
		}
	}
	if len(s.Probe.Probes) == 0 {
		s.Probe = nil
	}
	return nil
}

// kindOfLaunch is the launcher that fits what was said of the hosts.
func kindOfLaunch(how spec.Launcher) string {
	if how.Slurm != nil {
		return spec.LaunchSlurm
	}
	return spec.LaunchSSH
}

// printNodes prints how the hosts of a bundle compare.
func printNodes(env Env, dir string) error {
	j, err := judge.Open(dir, judge.Options{Version: version()})
	if err != nil {
		return err
	}
	return report.WriteNodes(env.Stdout, j.Nodes)
}
