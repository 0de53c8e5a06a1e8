package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"assay/schedule"
	"assay/timetable"
	"assay/visible"
)

func scheduleStatusCommand(env Env) *cobra.Command {
	var state stateFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what schedules did, what is open, and when they run next",
		Long: `Status reads the states that assay schedule run keeps, also while it works: the runs under
way and the last ones, due times that were missed and why, alerts that are open, and
alerts that could not be sent.

Exit codes: 0 nothing is open, 2 usage error, 3 an alert is open or could not be sent.`,
		Args: exactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			states, err := timetable.States(state.place(env))
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(env.Stdout, states)
			} else {
				err = statusText(env.Stdout, states, state.place(env))
			}
			if err != nil {
				return err
			}
			for _, s := range states {
				if len(s.Alerts.Open)+len(s.Alerts.Outbox)+len(s.Alerts.Lost) > 0 {
					return silent(exitVerdict)
				}
			}
			return nil
		},
	}
	state.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the states as JSON")
	return cmd
}

func statusText(w io.Writer, states []timetable.State, dir string) error {
	if len(states) == 0 {
		_, err := fmt.Fprintf(w, "no schedules in %s: assay schedule run FILE makes one\n", dir)
		return err
	}
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04Z") }
	for _, s := range states {
		next := "next " + at(s.Next)
		switch {
		case s.Suspended:
			next = "suspended"
		case s.Next.IsZero():
			next = "not looked at yet"
		}
		fmt.Fprintf(w, "%s  %s  (%s)\n", visible.Line(s.Name), next, s.DecidedBy)
		for _, r := range s.Active {
			fmt.Fprintf(w, "  active   due %s\n", at(r.Due))
		}
		for _, r := range s.Ended {
			fmt.Fprintf(w, "  ended    due %s  %s  %s %s\n", at(r.Due), r.Status, visible.Line(r.RunID), visible.Line(r.Note))
		}
		for _, m := range s.Missed {
			why := map[schedule.Reason]string{schedule.Suspended: "suspended", schedule.TooLate: "too late", schedule.Overtaken: "overtaken by the next", schedule.Blocked: "blocked by another run"}[m.Reason]
			fmt.Fprintf(w, "  missed   %d %s, the last due %s\n", m.Count, why, at(m.Last))
		}
		for _, a := range s.Alerts.Open {
			fmt.Fprintf(w, "  open     since %s  %s: %s\n", at(a.Opened), a.Kind, a.Title)
		}
		for _, d := range s.Alerts.Outbox {
			fmt.Fprintf(w, "  unsent   %s by %s, %s: %s\n", d.Alert.ID, d.Route, fmt.Sprintf("tried %d times", d.Tries), visible.Line(d.Error))
		}
		for _, d := range s.Alerts.Lost {
			fmt.Fprintf(w, "  lost     %s by %s: %s\n", d.Alert.ID, d.Route, visible.Line(d.Error))
		}
	}
	return nil
}
