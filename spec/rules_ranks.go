package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// collectivesAgree wants what the backend can do.
func collectivesAgree(c *checker) {
	s := c.run.Spec.Collectives
	if s == nil {
		return
	}
	native := s.Backend == "" || s.Backend == BackendNative
	choicesAgree(c, *s)
	settingsAgree(c, *s)
	if native && s.Device == "cuda" {
		c.fail("spec.collectives.device", "the native backend sends the host's memory: want cpu, or another backend")
	}
	if s.Backend == BackendNCCL && s.Device == "cpu" {
		c.fail("spec.collectives.device", "nccl sends the memory of accelerators: want cuda, or backend gloo")
	}
	launchAgrees(c, "spec.collectives", s.Launch, s.Ranks)
}

// algorithmsOf are the algorithms that a backend can be told to take, besides auto.
var algorithmsOf = map[string][]string{
	BackendNative: {"ring", "tree", "halving_doubling", "direct"},
	BackendNCCL:   {"ring", "tree", "nvls"},
}

// choicesAgree wants algorithms and protocols that the backend can be told to take.
func choicesAgree(c *checker, s Collectives) {
	backend := cmp.Or(s.Backend, BackendNative)
	for i, algorithm := range s.Algorithms {
		switch known := algorithmsOf[backend]; {
		case algorithm == "auto" || slices.Contains(known, algorithm):
		case known == nil:
			c.fail(itemPath("spec.collectives.algorithms", i), backend+" chooses its algorithms itself: want auto, or backend native or nccl")
		default:
			c.fail(itemPath("spec.collectives.algorithms", i), fmt.Sprintf("backend %s has no %s: want auto, %s", backend, algorithm, strings.Join(known, ", ")))
		}
	}
	for i, protocol := range s.Protocols {
		if protocol != "auto" && backend != BackendNCCL {
			c.fail(itemPath("spec.collectives.protocols", i), "backend "+backend+" has no such protocols: want auto, or backend nccl")
		}
	}
}

// tuning are the variables that a setting may set: those that ranks report, so that
// the bundle shows what they were.
var tuning = []string{"NCCL_", "GLOO_", "TORCH_", "OMP_"}

// settingsAgree wants settings that have a name of their own and set what libraries
// read.
func settingsAgree(c *checker, s Collectives) {
	names := map[string]bool{"auto": true}
	for i, setting := range s.Settings {
		path := itemPath("spec.collectives.settings", i)
		if names[setting.Name] {
			c.fail(path+".name", fmt.Sprintf("%q names another setting: want a name for each, and none called auto", setting.Name))
		}
		names[setting.Name] = true
		for j, entry := range setting.Env {
			name, _, assigned := strings.Cut(entry, "=")
			if !assigned || !slices.ContainsFunc(tuning, func(prefix string) bool { return strings.HasPrefix(name, prefix) && name != prefix }) {
				c.fail(itemPath(path+".env", j), fmt.Sprintf("%q sets nothing that a communication library reads: want NAME=VALUE with a name that begins with %s", entry, strings.Join(tuning, ", ")))
			}
		}
	}
	if len(s.Settings) > 0 && cmp.Or(s.Backend, BackendNative) == BackendNative {
		c.fail("spec.collectives.settings", "the native backend reads no environment: want backend nccl, gloo or mpi")
	}
}

// trainAgrees wants what one world can do.
func trainAgrees(c *checker) {
	t := c.run.Spec.Train
	if t == nil {
		return
	}
	if t.Backend == BackendNCCL && t.Device == "cpu" {
		c.fail("spec.train.device", "nccl sends the memory of accelerators: want cuda, or backend gloo")
	}
	if t.Across != nil {
		switch {
		case t.Vary == nil:
			c.fail("spec.train.across", "a second knob needs a first one: want spec.train.vary too")
		case t.Across.Knob == t.Vary.Knob:
			c.fail("spec.train.across.knob", fmt.Sprintf("%s varies already: want another knob than that of spec.train.vary", t.Across.Knob))
		}
	}
	if e := t.Emulate; e != nil && len(t.Ranks) > 0 && e.Rank >= slices.Max(t.Ranks) {
		c.fail("spec.train.emulate.rank", fmt.Sprintf("there is no such rank in a world of %d", slices.Max(t.Ranks)))
	}
	launchAgrees(c, "spec.train", t.Launch, t.Ranks)
}

// launchAgrees wants a place for every rank.
func launchAgrees(c *checker, path string, l *Launcher, ranks []int) {
	if l == nil {
		return
	}
	path += ".launch"
	pinAgrees(c, path+".pin", l.Pin)
	if l.Kind != LaunchLocal && l.Kind != "" && l.Pin != nil {
		c.fail(path+".pin", "places are those of this host: want launch.kind local, or the binding of the launcher that places ranks elsewhere")
	}
	if n := len(l.Namespaces) / max(1, l.Sets); len(l.Namespaces) > 0 && len(ranks) > 0 && n < slices.Max(ranks) {
		c.fail(path+".namespaces", fmt.Sprintf("names %d for a world of %d ranks: want one for each", n, slices.Max(ranks)))
	}
	if l.Kind != LaunchLocal && l.Kind != "" && len(l.Namespaces) > 0 {
		c.fail(path+".namespaces", "namespaces are those of this host: want launch.kind local")
	}
	hostsAgree(c, path, l)
	slurmAgrees(c, path, l, ranks)
	setsAgree(c, path+".sets", l)
}

// setsAgree wants hosts that can be cut into sets of one size. How many the hosts of ssh
// are is known when their files are read.
func setsAgree(c *checker, path string, l *Launcher) {
	refuse := func(why string) { c.failGot(path, fmt.Sprint(l.Sets), why) }
	if max(1, l.Sets) != c.run.Spec.Sets() {
		refuse(fmt.Sprintf("train, collectives and load generators of one run are on the same sets: want %d in each", c.run.Spec.Sets()))
	}
	if l.Sets < 2 {
		return
	}
	switch {
	case l.Kind == LaunchEnvironment:
		refuse("another launcher has placed the ranks already; leave it out, or want launch.kind ssh or slurm")
	case l.Kind == LaunchSlurm && (l.Slurm == nil || max(1, l.Slurm.Nodes)%l.Sets != 0):
		refuse("want launch.slurm.nodes to be a multiple of it, so that sets are of one size")
	case (l.Kind == LaunchLocal || l.Kind == "") && len(l.Namespaces) == 0:
		refuse("this host alone is one set: want launch.kind ssh or slurm, or launch.namespaces to cut")
	case (l.Kind == LaunchLocal || l.Kind == "") && len(l.Namespaces)%l.Sets != 0:
		refuse(fmt.Sprintf("%d namespaces cannot be cut into sets of one size", len(l.Namespaces)))
	}
}

// hostsAgree wants hosts where ssh starts ranks, and nowhere else.
func hostsAgree(c *checker, path string, l *Launcher) {
	switch {
	case l.Kind == LaunchSSH && len(l.Hosts) == 0:
		c.fail(path+".hosts", "want the names of hosts or the path of a host file: kind ssh starts ranks there")
	case l.Kind != LaunchSSH && len(l.Hosts) > 0:
		c.fail(path+".hosts", "only kind ssh reads them: want launch.kind ssh")
	}
}

// slurmAgrees wants room for the largest world on the nodes that are asked for.
func slurmAgrees(c *checker, path string, l *Launcher, ranks []int) {
	s := l.Slurm
	switch {
	case s == nil:
	case l.Kind != LaunchSlurm:
		c.fail(path+".slurm", "only kind slurm reads it: want launch.kind slurm")
	case s.TasksPerNode > 0 && len(ranks) > 0 && max(s.Nodes, 1)/max(1, l.Sets)*s.TasksPerNode < slices.Max(ranks):
		c.fail(path+".slurm.tasksPerNode", fmt.Sprintf("%d nodes of %d ranks have no room for a world of %d", max(s.Nodes, 1)/max(1, l.Sets), s.TasksPerNode, slices.Max(ranks)))
	}
}

// probeAgrees wants hosts that a rank can be started on, and probes that a rank can make.
func probeAgrees(c *checker) {
	p := c.run.Spec.Probe
	if p == nil || p.Launch == nil {
		return
	}
	if p.Launch.Kind != LaunchSSH && p.Launch.Kind != LaunchSlurm {
		c.failGot("spec.probe.launch.kind", cmp.Or(p.Launch.Kind, LaunchLocal), "this host needs no launcher: want ssh or slurm for others, or no launch")
	}
	if slices.Contains(p.Probes, "network") {
		c.fail("spec.probe.probes", "the network probe is a client of assay net --serve: between the hosts of a launch, want collectives.pairs with the same launch")
	}
	launchAgrees(c, "spec.probe", p.Launch, nil)
}
