package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/alert"
	"assay/analysis/gate"
	"assay/timetable"
	"assay/visible"
	"assay/warehouse"
)

func scheduleConfirmCommand(env Env) *cobra.Command {
	var state stateFlag
	var place warehouseFlag
	var keyFile string
	cmd := &cobra.Command{
		Use:   "confirm FILE [ALERT…]",
		Short: "Measure what got worse again, in blocks, and keep or close its alerts",
		Long: `Confirm measures the last good system and the new one of an alert again, in one run in
interleaved blocks, and judges the two: what regressed there keeps its alert, with what the
pair says; what did not is closed as not seen; and what the blocks cannot tell stays open.
Without ALERT it takes all open ones of the schedule about a metric that regressed or a
series that changed. ALERT is an id such as assay schedule status prints, or a series.

A gate's metrics are held to the policy of the schedule, and a change of a series to half
of what it was. Where the documents of both runs start the same system, the good one is gone:
the new one is then measured afresh, which can close an alert and confirms none.

spec.gate.confirm: true has every run of the schedule do this before an alert is sent.

Exit codes: 0 nothing is left open, 1 could not go on, 2 usage error, 3 an alert is confirmed
or stays open.`,
		Example: `  assay schedule confirm nightly.yaml
  assay schedule confirm nightly.yaml "nightly-chat/regressed/e2e.v2 p50 at concurrency=4"`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := readSchedules(env, args[:1])
			if err != nil {
				return err
			}
			m, err := newScheduledMeasurer(env, place.place(env), keyFile)
			if err != nil {
				return err
			}
			defer env.hold()()
			bad := false
			o := timetable.Options{Dir: state.place(env), Measurer: m, Say: func(line string) { fmt.Fprintln(env.Stderr, visible.Line(line)) }}
			err = timetable.Amend(cmd.Context(), entries[0], o, func(book *alert.Book) (err error) {
				bad, err = m.confirmAsked(cmd.Context(), entries[0], filepath.Join(o.Dir, "runs", entries[0].Name), book, args[1:])
				return err
			})
			if err == nil && bad {
				return silent(exitVerdict)
			}
			return err
		},
	}
	state.add(cmd)
	place.add(cmd)
	cmd.Flags().StringVar(&keyFile, "key", "", "private key to sign the bundle of the second measurement with")
	return cmd
}

// confirmAsked confirms the alerts of a schedule that somebody names, or all of them, and
// reports whether one is left.
func (m *scheduledMeasurer) confirmAsked(ctx context.Context, e timetable.Entry, folder string, book *alert.Book, names []string) (bad bool, err error) {
	list, err := m.suspects(ctx, e, *book, names)
	if err != nil {
		return false, err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(m.env.Stdout, "%s: no alert about a metric or a series is open\n", e.Name)
		return false, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false, err
	}
	if folder, err = os.MkdirTemp(folder, "confirm-"); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	for _, look := range m.confirm(ctx, e, folder, list) {
		p, now := look.problem, time.Now()
		id := p.ID(e.Name)
		outcome := "stays open"
		switch look.verdict {
		case gate.NotWorse:
			outcome = "closed"
			book.Close(id, look.why, now, e.Routes)
			err = errors.Join(err, m.dismiss(ctx, look))
		case gate.Regressed:
			outcome = "confirmed"
			p.Text = look.why + "\n\n" + p.Text
			book.Note(alert.Notice{Schedule: e.Name, Digest: strings.Split(look.bad, "@")[0], Problems: []alert.Problem{p}, Now: now}, e.Routes)
			book.Explain(id, p.Text)
		default:
			book.Explain(id, look.why+"\n\n"+p.Text)
		}
		bad = bad || look.verdict != gate.NotWorse
		fmt.Fprintf(m.env.Stdout, "%s: %s: %s\n", visible.Line(id), outcome, visible.Line(look.why))
	}
	return bad, err
}

// suspects are the open alerts of a schedule about metrics, and the pending changes of its
// series, also those of which nobody was told.
func (m *scheduledMeasurer) suspects(ctx context.Context, e timetable.Entry, book alert.Book, names []string) (list []suspect, err error) {
	unknown := slices.Clone(names)
	asked := func(ids ...string) bool {
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return slices.Contains(ids, name) })
		return len(names) == 0 || slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(names, id) })
	}
	err = m.inWarehouse(ctx, func(w *warehouse.Warehouse) error {
		for _, a := range book.Open {
			p := alert.Problem{Kind: a.Kind, Of: strings.TrimPrefix(a.ID, e.Name+"/"+string(a.Kind)+"/"), Title: a.Title, Text: a.Text}
			if a.Kind == alert.Changed || !confirmable(p) || !asked(a.ID) {
				continue
			}
			s, err := m.suspectOf(ctx, w, e, p, a.Digest)
			if err != nil {
				return fmt.Errorf("%s: %w", a.ID, err)
			}
			list = append(list, s)
		}
		pending, err := w.Alerts(ctx)
		if err != nil {
			return err
		}
		for _, a := range pending {
			p := changedProblem(a)
			if a.Of.Name != e.Name || !a.Pending() || !asked(p.ID(e.Name), a.SeriesID) {
				continue
			}
			s, err := m.suspectOf(ctx, w, e, p, a.Run)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	if err == nil && len(unknown) > 0 {
		err = usageError(fmt.Errorf("%s: no open alert of %s about a metric or a series (assay schedule status lists them)", strings.Join(unknown, ", "), e.Name))
	}
	return list, err
}
