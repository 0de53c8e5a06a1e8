package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"assay/record"
)

// Unlimited is the value of a cgroup limit that is not set.
const Unlimited = "unlimited"

var cgroupSection = section{
	names: []string{
		"cgroup.version", "cgroup.path", "cgroup.cpu_limit_cores", "cgroup.memory_limit_bytes", "cgroup.cpuset",
	},
	read: readCgroup,
}

// A group is where one controller of this process lives: the mounted folder and
// the path below it.
type group struct {
	mount string
	path  string
}

func readCgroup(_ context.Context, h Host, env record.Environment) error {
	groups, err := ownGroups(h)
	if err != nil {
		return err
	}
	_, hasV2 := groups[""]
	version := "v1"
	switch {
	case hasV2 && len(groups) == 1:
		version = "v2"
	case hasV2:
		version = "hybrid"
	}
	env.Set("cgroup.version", version)
	// On a hybrid machine the controllers, and so the limits, are version 1's.
	for _, controller := range []string{"memory", "cpu", ""} {
		if g, ok := groups[controller]; ok {
			env.Set("cgroup.path", g.path)
			break
		}
	}
	recordLimit(h, env, "cgroup.cpu_limit_cores", groups, "cpu", cpuMax, cpuQuota)
	recordLimit(h, env, "cgroup.memory_limit_bytes", groups, "memory", memoryMax, memoryLimit)
	readCpuset(h, groups, env)
	return nil
}

// ownGroups reads /proc/self/cgroup: by controller, and "" for version 2.
func ownGroups(h Host) (map[string]group, error) {
	text, err := h.text("proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	out := map[string]group{}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || strings.HasPrefix(parts[1], "name=") {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			out[controller] = group{mountOf(h, controller, parts[1]), parts[2]}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("/proc/self/cgroup: no groups")
	}
	return out, nil
}

// mountOf finds the folder of a controller: version 2 sits at the top, or in
// unified on hybrid machines; version 1 in a folder named for one controller or
// for all that share the mount.
func mountOf(h Host, controller, together string) string {
	const top = "sys/fs/cgroup"
	candidates := []string{top + "/" + together, top + "/" + controller}
	if controller == "" {
		candidates = []string{top + "/unified", top}
	}
	for _, c := range candidates {
		if h.exists(c) {
			return c
		}
	}
	return top
}

// A limitReader reads the limit of one folder; 0 means that none is set.
type limitReader func(h Host, folder string) (float64, error)

// recordLimit records the tightest limit of the group and its ancestors: a limit
// further up binds just as hard. A path of another namespace is not there, and
// the walk then sees what the container sees, from the mount's root.
func recordLimit(h Host, env record.Environment, name string, groups map[string]group, controller string, v2, v1 limitReader) {
	g, read := groups[""], v2
	if own, ok := groups[controller]; ok {
		g, read = own, v1
	}
	if g.mount == "" || !h.exists(g.mount) {
		env.Miss(name, "no folder of the "+controller+" controller below /sys/fs/cgroup")
		return
	}
	tightest := 0.0
	for p := path.Clean("/" + g.path); ; p = path.Dir(p) {
		limit, err := read(h, path.Join(g.mount, p))
		if err != nil {
			env.Miss(name, err.Error())
			return
		}
		if limit > 0 && (tightest == 0 || limit < tightest) {
			tightest = limit
		}
		if p == "/" {
			break
		}
	}
	if tightest == 0 {
		env.Set(name, Unlimited)
		return
	}
	env.Set(name, tightest)
}

// limitText reads a file of limits. One that is not there sets none: the root
// group has no such files.
func limitText(h Host, file, none string) (string, error) {
	text, err := h.text(file)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	return text, err
}

// cpuMax reads version 2's "200000 100000" as 2 cores.
func cpuMax(h Host, folder string) (float64, error) {
	file := folder + "/cpu.max"
	text, err := limitText(h, file, "max 100000")
	if err != nil {
		return 0, err
	}
	quota, period, _ := strings.Cut(text, " ")
	return cores(file, quota, period)
}

func cpuQuota(h Host, folder string) (float64, error) {
	file := folder + "/cpu.cfs_quota_us"
	quota, err := limitText(h, file, "-1")
	if err != nil {
		return 0, err
	}
	period, err := limitText(h, folder+"/cpu.cfs_period_us", "100000")
	if err != nil {
		return 0, err
	}
	return cores(file, quota, period)
}

func cores(file, quota, period string) (float64, error) {
	if quota == "max" || quota == "-1" {
		return 0, nil
	}
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0, fmt.Errorf("/%s: got quota %q and period %q, want microseconds or max", file, quota, period)
	}
	return q / p, nil
}

func memoryMax(h Host, folder string) (float64, error) { return bytesLimit(h, folder+"/memory.max") }

func memoryLimit(h Host, folder string) (float64, error) {
	return bytesLimit(h, folder+"/memory.limit_in_bytes")
}

// bytesLimit reads a limit. Version 1 writes "none" as the largest number of
// pages that fits an int64, a little below 2^63.
func bytesLimit(h Host, file string) (float64, error) {
	text, err := limitText(h, file, "max")
	if err != nil || text == "max" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("/%s: got %q, want bytes or max", file, text)
	}
	if n > 1<<62 {
		return 0, nil
	}
	return float64(n), nil
}

func readCpuset(h Host, groups map[string]group, env record.Environment) {
	files := []string{}
	if g, ok := groups["cpuset"]; ok {
		files = append(files, path.Join(g.mount, g.path, "cpuset.effective_cpus"), path.Join(g.mount, g.path, "cpuset.cpus"), path.Join(g.mount, "cpuset.cpus"))
	}
	if g, ok := groups[""]; ok {
		files = append(files, path.Join(g.mount, g.path, "cpuset.cpus.effective"), path.Join(g.mount, "cpuset.cpus.effective"))
	}
	for _, f := range files {
		if text, err := h.text(f); err == nil && text != "" {
			env.Set("cgroup.cpuset", text)
			return
		}
	}
	env.Miss("cgroup.cpuset", "no cpuset file in the group's folder")
}
