package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"assay/alert"
	"assay/timetable"
	"assay/visible"
)

const scheduleLong = `Schedule makes the runs of BenchmarkSchedule documents when they are due, on this machine and
without Kubernetes. Each run is an assay run of its own; its bundle is kept in the
warehouse, held against the accepted baseline where the document names a gate, and its
series are looked through for changes. What went wrong is sent by the routes in the
document's alerts: once, and again when it is over.

A due time has its run or is counted as missed, whatever happens to this program; see
docs/guides/schedule.md.`

// scheduleCommand gathers the verbs about schedules.
func scheduleCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Make runs at fixed times, and tell people what went wrong",
		Long:  scheduleLong,
		Args:  exactArgs(0, "one of run, units, status, confirm and alert"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(scheduleRunCommand(env), scheduleUnitsCommand(env), scheduleStatusCommand(env), scheduleConfirmCommand(env), scheduleAlertCommand(env))
	return cmd
}

// A stateFlag says where the states of schedules lie.
type stateFlag struct{ dir string }

func (s *stateFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.dir, "state", "", "folder of the states; by default assay/schedule in the user's state folder")
}

func (s stateFlag) place(env Env) string {
	if s.dir != "" {
		return s.dir
	}
	lookup := lookupIn(env)
	state, _ := lookup("XDG_STATE_HOME")
	if home, _ := lookup("HOME"); state == "" && home != "" {
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "assay", "schedule")
}

func scheduleRunCommand(env Env) *cobra.Command {
	var state stateFlag
	var place warehouseFlag
	var keyFile string
	var once, now bool
	cmd := &cobra.Command{
		Use:   "run FILE…",
		Short: "Make the runs of schedules when they are due",
		Long: `Run works in the foreground until it is asked to end; the run under way then seals what it
has. Runs of one machine disturb each other: those of different schedules take turns, and
one that cannot start before its starting deadline is missed, which is an alert.

--once does what is due, and what becomes due meanwhile, and ends: the timer of assay
schedule units calls it.
--now makes one run of each schedule whatever the time is.

What was decided lies in a file for each schedule (--state), written before it is done:
after a kill the next call finds the run that was under way, seals and keeps what it had
measured, and says so. One process at a time works in such a folder.

Exit codes: 0 done, 1 could not go on, 2 usage error. What became of a run is no exit code:
assay schedule status says it.`,
		Example: `  assay schedule run nightly.yaml canary.yaml --warehouse /data/assay
  assay schedule run nightly.yaml --now`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if once && now {
				return usageError(errors.New("--once and --now: want one of them"))
			}
			entries, err := readSchedules(env, args)
			if err != nil {
				return err
			}
			m, err := newScheduledMeasurer(env, place.place(env), keyFile)
			if err != nil {
				return err
			}
			defer env.hold()() // the run under way seals what it has
			return timetable.Run(cmd.Context(), entries, timetable.Options{
				Dir: state.place(env), Measurer: m, Once: once, Now: now,
				Say: func(line string) {
					fmt.Fprintf(env.Stdout, "%s  %s\n", time.Now().UTC().Format(time.RFC3339), visible.Line(line))
				},
			})
		},
	}
	state.add(cmd)
	place.add(cmd)
	cmd.Flags().StringVar(&keyFile, "key", "", "private key to sign the bundles with (see assay keygen)")
	cmd.Flags().BoolVar(&once, "once", false, "do what is due, also what becomes due meanwhile, and end")
	cmd.Flags().BoolVar(&now, "now", false, "make one run of each schedule now, and end")
	return cmd
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError(fmt.Errorf("missing argument: a BenchmarkSchedule document (usage: %s)", cmd.UseLine()))
	}
	return nil
}

// readSchedules reads documents; the faults of all of them are found at once.
func readSchedules(env Env, files []string) (entries []timetable.Entry, err error) {
	for _, file := range files {
		e, fault := timetable.Read(file, lookupIn(env), os.ReadFile)
		err = errors.Join(err, fault)
		entries = append(entries, e)
	}
	if err != nil {
		return nil, usageError(err)
	}
	return entries, nil
}

func scheduleAlertCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "alert FILE…",
		Short: "Send a trial alert on every route of schedules",
		Long: `Alert sends one alert of the kind trial on every route that the documents name, and says
what became of it. Nothing is remembered, and nothing is tried again.

Exit codes: 0 every route took it, 1 one did not, 2 usage error.`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := readSchedules(env, args)
			if err != nil {
				return err
			}
			for _, e := range entries {
				err = errors.Join(err, tryRoutes(cmd.Context(), env, e))
			}
			return err
		},
	}
	return cmd
}

func tryRoutes(ctx context.Context, env Env, e timetable.Entry) (failed error) {
	if len(e.Routes) == 0 {
		return usageError(fmt.Errorf("%s names no routes: want them in spec.alerts", e.File))
	}
	for _, r := range e.Routes {
		var book alert.Book
		one := []alert.Route{r}
		book.Note(alert.Notice{Schedule: e.Name, Now: time.Now(), Problems: []alert.Problem{{
			Kind: alert.Trial, Title: "somebody tries this route", Text: "Nothing is wrong: assay schedule alert was called.",
		}}}, one)
		if _, err := book.DeliverOne(ctx, one, time.Now()); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		fmt.Fprintf(env.Stdout, "%s: route %s took it\n", e.Name, r.Name)
	}
	return failed
}
