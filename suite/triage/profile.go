package triage

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// profilers are the programs that look into a command, in the order in which they
// are tried. Nsight Systems sees the whole run; Nsight Compute the first kernels alone,
// each of which it repeats.
var profilers = []struct {
	name string
	args []string // before the command; REPORT is the file without its ending
	file string   // that it leaves
}{
	{"nsys", []string{"profile", "--force-overwrite=true", "--output=REPORT"}, "nsys.nsys-rep"},
	{"ncu", []string{"--launch-count=20", "--force-overwrite", "--export=REPORT"}, "ncu.ncu-rep"},
}

// run carries the command out, under each profiler that is here and once by itself
// where there is none; without a command it waits.
func (o Options) run(ctx context.Context, dir string) (list []Tool) {
	if len(o.Command) == 0 {
		select {
		case <-ctx.Done():
		case <-time.After(o.Duration):
		}
	}
	profiled := false
	for _, p := range profilers {
		t := Tool{Name: p.name}
		path, err := exec.LookPath(p.name)
		switch {
		case err != nil:
			t.Absent = "not found on this host"
		case len(o.Command) == 0:
			t.Absent = "no command was given to look into"
		case !o.Profile:
			t.Absent = "profiling was not asked for"
		default:
			profiled = true
			var args []string
			for _, arg := range p.args {
				if arg == "--output=REPORT" || arg == "--export=REPORT" {
					arg = arg[:len(arg)-len("REPORT")] + filepath.Join(dir, p.name)
				}
				args = append(args, arg)
			}
			t = o.carry(ctx, dir, p.name, append(append([]string{path}, args...), o.Command...))
			if _, err := os.Stat(filepath.Join(dir, p.file)); err == nil {
				t.File = p.file
			}
		}
		list = append(list, t)
	}
	if !profiled && len(o.Command) > 0 {
		list = append(list, o.carry(ctx, dir, "command", o.Command))
	}
	return list
}

// carry runs one command for as long as the triage lasts and keeps what it prints.
func (o Options) carry(ctx context.Context, dir, name string, command []string) Tool {
	t := Tool{Name: name, File: name + ".log"}
	out, err := o.Redactor.Log(filepath.Join(dir, t.File))
	if err != nil {
		return Tool{Name: name, Absent: err.Error()}
	}
	defer out.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, o.Duration, errors.New("ended with the time of the triage"))
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, patience
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // a profiler writes its report
	if err := cmd.Run(); err != nil {
		t.Error = err.Error()
		if cause := context.Cause(ctx); cause != nil {
			t.Error = cause.Error()
		}
	}
	return t
}
