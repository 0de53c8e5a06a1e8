package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"assay/schedule"
	"assay/timetable"
)

func scheduleUnitsCommand(env Env) *cobra.Command {
	var state stateFlag
	var place warehouseFlag
	var out, keyFile string
	cmd := &cobra.Command{
		Use:   "units FILE…",
		Short: "Print systemd units that make the runs of schedules",
		Long: `Units prints a service and a timer for each document; --out writes them as files. The timer
calls assay schedule run --once at due times, and once after a boot for what was missed.
A schedule that allows or replaces overlapping runs gets a service alone that works all the
time: systemd starts no second one beside an active one.

Paths are those of this machine, and runs work in the folder in which this is called. Secrets
of alerts and targets come from /etc/assay/NAME.env, where that exists; keep it readable
for its owner alone.

Exit codes: 0 done, 1 could not write, 2 usage error.`,
		Example: `  assay schedule units nightly.yaml --out /etc/systemd/system
  systemctl enable --now assay-nightly-chat.timer`,
		Args: someFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			entries, err := readUnits(args)
			if err != nil {
				return err
			}
			w := unitWriter{state: state.place(env), warehouse: place.place(env), keyFile: keyFile}
			if err := w.here(); err != nil {
				return err
			}
			for _, e := range entries {
				units, err := w.units(e)
				if err != nil {
					return usageError(fmt.Errorf("%s: %w", e.File, err))
				}
				for _, u := range units {
					if err := u.put(env, out); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	state.add(cmd)
	place.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "folder to write the units to, in place of printing them")
	cmd.Flags().StringVar(&keyFile, "key", "", "private key that the runs sign their bundles with")
	return cmd
}

// readUnits reads documents without their secrets, which are the service's and not the
// caller's.
func readUnits(files []string) (entries []timetable.Entry, err error) {
	set := func(string) (string, bool) { return "set", true }
	for _, file := range files {
		e, err := timetable.Read(file, set, func(string) ([]byte, error) { return []byte("set"), nil })
		if err != nil {
			return nil, usageError(err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// A unitFile is one unit of systemd.
type unitFile struct{ name, text string }

func (u unitFile) put(env Env, dir string) error {
	if dir != "" {
		return os.WriteFile(filepath.Join(dir, u.name), []byte(u.text), 0o644)
	}
	_, err := fmt.Fprintf(env.Stdout, "# %s\n%s\n", u.name, u.text)
	return err
}

// A unitWriter knows what units have in common.
type unitWriter struct {
	self, folder, state, warehouse, keyFile string
}

// here makes every path one that holds wherever systemd starts the program.
func (w *unitWriter) here() (err error) {
	if w.self, err = os.Executable(); err != nil {
		return err
	}
	if w.folder, err = os.Getwd(); err != nil {
		return err
	}
	for _, path := range []*string{&w.state, &w.warehouse, &w.keyFile} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}

// unitName is what a schedule may be called whose units are written.
var unitName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// units are those of a schedule.
func (w unitWriter) units(e timetable.Entry) ([]unitFile, error) {
	if !unitName.MatchString(e.Name) {
		return nil, fmt.Errorf("metadata.name %q becomes the name of units: want letters, digits, dots, hyphens and underscores", e.Name)
	}
	name := "assay-" + e.Name
	args := []string{w.self, "schedule", "run", e.File, "--state", w.state, "--warehouse", w.warehouse}
	if w.keyFile != "" {
		args = append(args, "--key", w.keyFile)
	}
	kind, install := "Type=oneshot", ""
	byTimer := e.Rule.Overlap == schedule.Forbid
	if byTimer {
		args = append(args, "--once")
	} else {
		kind, install = "Type=exec\nRestart=on-failure\nRestartSec=10", "\n[Install]\nWantedBy=multi-user.target\n"
	}
	for i, arg := range args {
		args[i] = unitQuote(arg)
	}
	service := fmt.Sprintf(`[Unit]
Description=assay runs of %s
After=network-online.target
Wants=network-online.target

[Service]
%s
ExecStart=%s
WorkingDirectory=%s
EnvironmentFile=-/etc/assay/%s.env
# A run that is asked to end seals what it has.
TimeoutStopSec=10min
TimeoutStartSec=infinity
%s`, e.Name, kind, strings.Join(args, " "), strings.ReplaceAll(w.folder, "%", "%%"), e.Name, install)
	list := []unitFile{{name + ".service", service}}
	if !byTimer {
		return list, nil
	}
	times, err := e.Rule.Times.Calendar()
	if err != nil {
		return nil, err
	}
	var on strings.Builder
	for _, at := range times {
		fmt.Fprintf(&on, "OnCalendar=%s\n", at)
	}
	timer := fmt.Sprintf(`[Unit]
Description=assay runs of %s, when they are due

[Timer]
%sAccuracySec=1s
# What was due while the machine was off is decided after it starts.
Persistent=true

[Install]
WantedBy=timers.target
`, e.Name, on.String())
	return append(list, unitFile{name + ".timer", timer}), nil
}

// unitQuote writes an argument as systemd reads it back.
func unitQuote(arg string) string {
	arg = strings.NewReplacer("%", "%%", "$", "$$", `\`, `\\`, `"`, `\"`).Replace(arg)
	if strings.ContainsAny(arg, " \t'\";") {
		return `"` + arg + `"`
	}
	return arg
}
