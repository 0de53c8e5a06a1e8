package telemetry

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"assay/record"
)

var limitSection = section{
	names: []string{"limit.nofile_soft", "limit.nofile_hard", "limit.memlock_soft_bytes", "limit.nproc_soft"},
	read:  readLimits,
}

func readLimits(_ context.Context, h Host, env record.Environment) error {
	text, err := h.text("proc/self/limits")
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		for _, l := range []struct{ title, soft, hard string }{
			{"Max open files", "limit.nofile_soft", "limit.nofile_hard"},
			{"Max locked memory", "limit.memlock_soft_bytes", ""},
			{"Max processes", "limit.nproc_soft", ""},
		} {
			rest, ok := strings.CutPrefix(line, l.title)
			parts := strings.Fields(rest)
			if !ok || len(parts) < 2 {
				continue
			}
			setNumber(env, l.soft, parts[0])
			setNumber(env, l.hard, parts[1])
		}
	}
	return nil
}

// setNumber records a limit as a number, or as the word "unlimited".
func setNumber(env record.Environment, name, text string) {
	if name == "" {
		return
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		env.Set(name, n)
		return
	}
	env.Set(name, text)
}

var schedulerSection = section{
	names: []string{"scheduler.kind", "scheduler.job"},
	read:  readScheduler,
}

// readScheduler tells which scheduler started this process. Its variables are
// recorded beside the others, by the allow-list.
func readScheduler(_ context.Context, h Host, env record.Environment) error {
	environ, err := h.environ()
	if err != nil {
		return err
	}
	for _, s := range []struct{ kind, mark, job string }{
		{"slurm", "SLURM_JOB_ID", "SLURM_JOB_ID"},
		{"kubernetes", "KUBERNETES_SERVICE_HOST", "POD_NAME"},
		{"pbs", "PBS_JOBID", "PBS_JOBID"},
		{"lsf", "LSB_JOBID", "LSB_JOBID"},
	} {
		if lookup(environ, s.mark) == "" {
			continue
		}
		env.Set("scheduler.kind", s.kind)
		if job := lookup(environ, s.job); job != "" {
			env.Set("scheduler.job", job)
		}
		return nil
	}
	env.Set("scheduler.kind", "none")
	return errors.New("no scheduler's variables in the environment")
}

// lookup returns the value of a variable, or "".
func lookup(environ []string, name string) string {
	i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if i < 0 {
		return ""
	}
	return environ[i][len(name)+1:]
}

var selfSection = section{
	names: []string{
		"go.version", "go.os_arch", "go.maxprocs", "go.gogc_percent", "go.memory_limit_bytes",
		"assay.version", "assay.revision", "assay.binary_sha256",
	},
	read: readSelf,
}

func readSelf(_ context.Context, h Host, env record.Environment) error {
	env.Set("go.version", runtime.Version())
	env.Set("go.os_arch", runtime.GOOS+"/"+runtime.GOARCH)
	env.Set("go.maxprocs", runtime.GOMAXPROCS(0))
	settings := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(settings)
	env.Set("go.gogc_percent", settings[0].Value.Uint64())
	env.Set("go.memory_limit_bytes", settings[1].Value.Uint64())
	readBuild(env)
	sum, err := h.program()
	if err != nil {
		env.Miss("assay.binary_sha256", err.Error())
		return nil
	}
	env.Set("assay.binary_sha256", sum)
	return nil
}

func readBuild(env record.Environment) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		env.Miss("assay.version", "this binary carries no build information")
		env.Miss("assay.revision", "this binary carries no build information")
		return
	}
	env.Set("assay.version", info.Main.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			env.Set("assay.revision", s.Value)
			return
		}
	}
	env.Miss("assay.revision", "this binary was built outside version control")
}
