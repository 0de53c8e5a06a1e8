package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"assay/server/jobs"
)

// runFlags say which runs a server carries out for others.
type runFlags struct {
	launchers []string
	targets   []string
	files     string
	env       []string
	limit     time.Duration
	atOnce    int
}

func (r *runFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&r.launchers, "runs", nil, "carry runs out that are asked for over the network: local, slurm or both; without it none is")
	f.StringArrayVar(&r.targets, "run-target", nil, "HOST:PORT that such runs may measure (repeatable)")
	f.StringVar(&r.files, "run-files", "", "folder of data sets, tokenizers and traces that such runs may read")
	f.StringArrayVar(&r.env, "run-env", nil, "variable of the environment that such runs may use as a credential (repeatable)")
	f.DurationVar(&r.limit, "run-time", time.Hour, "how long such a run may take")
	f.IntVar(&r.atOnce, "run-at-once", 1, "how many go on at the same time; they disturb each other")
}

// runLaunchers are the ways in which a server carries a run out.
var runLaunchers = []string{"local", "slurm"}

func (r runFlags) check() error {
	for _, l := range r.launchers {
		if !slices.Contains(runLaunchers, l) {
			return fmt.Errorf("--runs %s: want %s", l, strings.Join(runLaunchers, " or "))
		}
	}
	for _, t := range r.targets {
		if host, port, err := net.SplitHostPort(t); err != nil || host == "" || port == "" {
			return fmt.Errorf("--run-target %s: want HOST:PORT", t)
		}
	}
	switch {
	case len(r.launchers) == 0 && (len(r.targets) > 0 || r.files != "" || len(r.env) > 0):
		return errors.New("--run-target, --run-files and --run-env are about runs that are asked for: give --runs local too")
	case r.limit <= 0:
		return fmt.Errorf("--run-time %v: want more than 0", r.limit)
	case r.atOnce < 1 || r.atOnce > 64:
		return fmt.Errorf("--run-at-once %d: want 1 to 64", r.atOnce)
	}
	if r.files == "" {
		return nil
	}
	if info, err := os.Stat(r.files); err != nil || !info.IsDir() {
		return fmt.Errorf("--run-files %s: want a folder", r.files)
	}
	return nil
}

// plainVariables are those that a run of others has of this process: where programs and
// their settings are, and no secret.
var plainVariables = []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "SLURM_CONF", "ASSAY_PYTHON"}

func (r runFlags) options(env Env) (jobs.Options, error) {
	binary, err := os.Executable()
	if err != nil {
		return jobs.Options{}, err
	}
	files := r.files
	if files != "" {
		if files, err = filepath.Abs(files); err != nil {
			return jobs.Options{}, err
		}
	}
	var given []string
	for _, entry := range env.Environ() {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(plainVariables, name) || slices.Contains(r.env, name) {
			given = append(given, entry)
		}
	}
	return jobs.Options{
		Binary: binary, Env: given, AtOnce: r.atOnce, Time: r.limit,
		Bounds: jobs.Bounds{Targets: r.targets, Files: files, Env: r.env, Launchers: r.launchers},
	}, nil
}
