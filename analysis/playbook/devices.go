package playbook

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"assay/record"
)

// walkFacts shows every fact that was captured when the run began, of this host and of all
// that took part. It answers missing, with what is missing, unless a fact is judged: the
// first yes ends it.
func walkFacts(e Evidence, lacking string, judge func(env record.Environment, name string) (Reply, string)) (Reply, string) {
	reply, figure := Missing, lacking
	walk := func(host string, env record.Environment) bool {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if env[name].Value == nil {
				continue
			}
			one, text := judge(env, name)
			if one == "" {
				continue
			}
			if reply, figure = one, host+text; one == Yes {
				return true
			}
		}
		return false
	}
	if walk("", e.Manifest.Environment) {
		return reply, figure
	}
	for _, n := range e.Manifest.Nodes {
		if walk(n.Name+": ", n.Environment) {
			break
		}
	}
	return reply, figure
}

// linked compares the width of PCIe links with what it can be. Their speed falls
// when a device is idle, as it is when the environment is captured.
func linked(e Evidence) (Reply, string) {
	return walkFacts(e, "width of the PCIe links", func(env record.Environment, name string) (Reply, string) {
		now, most := env[name].Value, env[name+"_max"].Value
		if !strings.HasSuffix(name, "_width") || most == nil {
			return "", ""
		}
		text := fmt.Sprintf("%s is %v of %v", name, now, most)
		if fmt.Sprint(now) != fmt.Sprint(most) {
			return Yes, text
		}
		return No, text
	})
}

// slowed looks for a device that its driver had slowed down.
func slowed(e Evidence) (Reply, string) {
	return walkFacts(e, "throttle reasons of the accelerators", func(env record.Environment, name string) (Reply, string) {
		if !strings.HasSuffix(name, ".throttle_reasons") {
			return "", ""
		}
		text := fmt.Sprintf("%s is %v", name, env[name].Value)
		if strings.Contains(text, "slowdown") {
			return Yes, text
		}
		return No, text
	})
}

// linkErrors are what links count, and linkStates say whether one can carry anything.
var (
	linkErrors = regexp.MustCompile(`^(gpu\.\d+\.nvlink_errors|rdma\.[^.]+\.port\d+\.(symbol_errors|link_downed|receive_errors))$`)
	linkStates = regexp.MustCompile(`^rdma\.[^.]+\.port\d+\.path$`)
)

// wired looks for links of the fabric that are down or have counted errors.
func wired(e Evidence) (Reply, string) {
	return walkFacts(e, "states and error counters of NVLink or RDMA", func(env record.Environment, name string) (Reply, string) {
		value := fmt.Sprint(env[name].Value)
		healthy := "0"
		switch {
		case linkStates.MatchString(name):
			healthy = "ok"
		case !linkErrors.MatchString(name):
			return "", ""
		}
		text := fmt.Sprintf("%s is %s", name, value)
		if value != healthy {
			return Yes, text
		}
		return No, text
	})
}
