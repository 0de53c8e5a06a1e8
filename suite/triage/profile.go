package triage

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A profiler is a program that looks into a command.
type profiler struct {
	name   string
	args   []string // before the command; REPORT is the file without its ending
	file   string   // that it leaves
	tables []string // that write the report as tables; empty for none
}

// profilers are tried in this order. Nsight Systems sees the whole run: kernels, copies,
// calls of the library, waits and, by NCCL's marks, communication. Nsight Compute sees the
// first kernels alone, each of which it repeats.
var profilers = []profiler{
	{"nsys", []string{"profile", "--force-overwrite=true", "--trace=cuda,nvtx,osrt", "--output=REPORT"}, "nsys.nsys-rep",
		[]string{"stats", "--force-export=true", "--format=csv", "--output=REPORT", "REPORT.nsys-rep"}},
	{"ncu", []string{"--launch-count=20", "--force-overwrite", "--export=REPORT"}, "ncu.ncu-rep", nil},
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
			t = o.lookInto(ctx, dir, path, p)
		}
		list = append(list, t)
	}
	if !profiled && len(o.Command) > 0 {
		list = append(list, o.carry(ctx, dir, "command", o.Command))
	}
	return list
}

// Profilers runs the command under each profiler that is here, whose reports and tables
// go to dir, and says which are not.
func (o Options) Profilers(ctx context.Context, dir string) (list []Tool) {
	for _, p := range profilers {
		path, err := exec.LookPath(p.name)
		if err != nil {
			list = append(list, Tool{Name: p.name, Absent: "not found on this host"})
			continue
		}
		list = append(list, o.lookInto(ctx, dir, path, p))
	}
	return list
}

// lookInto runs the command under one profiler, and has its report written out as tables.
func (o Options) lookInto(ctx context.Context, dir, path string, p profiler) Tool {
	report := filepath.Join(dir, p.name)
	fill := func(args []string) (list []string) {
		for _, arg := range args {
			list = append(list, strings.ReplaceAll(arg, "REPORT", report))
		}
		return list
	}
	t := o.carry(ctx, dir, p.name, slices.Concat([]string{path}, fill(p.args), o.Command))
	if _, err := os.Stat(filepath.Join(dir, p.file)); err != nil {
		return t
	}
	t.File = p.file
	if len(p.tables) > 0 {
		written := o.carry(ctx, dir, p.name+"-tables", slices.Concat([]string{path}, fill(p.tables)))
		t.Tables, _ = filepath.Glob(report + "_*.csv") // where there is none, the log says why
		for i, file := range t.Tables {
			t.Tables[i] = filepath.Base(file)
		}
		if t.Error == "" && written.Error != "" {
			t.Error = "tables: " + written.Error
		}
	}
	return t
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
