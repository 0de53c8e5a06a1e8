package spec

import (
	"fmt"
	"slices"
)

// collectivesAgree wants what the backend can do.
func collectivesAgree(c *checker) {
	s := c.run.Spec.Collectives
	if s == nil {
		return
	}
	native := s.Backend == "" || s.Backend == BackendNative
	for i, algorithm := range s.Algorithms {
		if !native && algorithm != "auto" {
			c.fail(itemPath("spec.collectives.algorithms", i), s.Backend+" chooses its algorithms itself: want auto, or backend native")
		}
	}
	if native && s.Device == "cuda" {
		c.fail("spec.collectives.device", "the native backend sends the host's memory: want cpu, or another backend")
	}
	if s.Backend == "nccl" && s.Device == "cpu" {
		c.fail("spec.collectives.device", "nccl sends the memory of accelerators: want cuda, or backend gloo")
	}
	launchAgrees(c, "spec.collectives", s.Launch, s.Ranks)
}

// trainAgrees wants what one world can do.
func trainAgrees(c *checker) {
	t := c.run.Spec.Train
	if t == nil {
		return
	}
	if t.Backend == "nccl" && t.Device == "cpu" {
		c.fail("spec.train.device", "nccl sends the memory of accelerators: want cuda, or backend gloo")
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
	if n := len(l.Namespaces); n > 0 && len(ranks) > 0 && n < slices.Max(ranks) {
		c.fail(path+".namespaces", fmt.Sprintf("names %d for a world of %d ranks: want one for each", n, slices.Max(ranks)))
	}
	if l.Kind == LaunchEnvironment && len(l.Namespaces) > 0 {
		c.fail(path+".namespaces", "ranks that another launcher started stay where they are: want launch.kind local")
	}
}
