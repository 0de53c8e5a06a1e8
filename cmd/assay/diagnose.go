package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/bottleneck"
	"assay/analysis/breakdown"
	"assay/analysis/isolation"
	"assay/analysis/ledger"
	"assay/analysis/overlap"
	"assay/analysis/playbook"
	"assay/analysis/shift"
	"assay/judge"
	"assay/plan"
	"assay/report"
	"assay/unit"
)

// A diagnosis is what assay diagnose prints.
type diagnosis struct {
	Version   string                 `json:"version"`
	RunID     string                 `json:"runID"`
	Baseline  string                 `json:"baseline,omitempty"`
	Limits    []bottleneck.Diagnosis `json:"limits"`
	Moved     *playbook.Moved        `json:"moved,omitempty"` // the result that it is about
	Shifts    []shift.PointShift     `json:"shifts,omitempty"`
	Isolated  *isolation.Check       `json:"isolated,omitempty"` // whether the others came back when a rank was taken away
	Playbooks []playbook.Walk        `json:"playbooks"`

	// What the document asks a diagnosis for: the parts of the time, the probes of each
	// class, and playbooks that assay does not have.
	Overheads   []playbook.Overhead   `json:"overheads,omitempty"`
	Instruments []playbook.Instrument `json:"instruments,omitempty"`
	Unknown     []string              `json:"unknownPlaybooks,omitempty"`

	Beside string `json:"collectives,omitempty"` // the run whose collectives spoke of the links

	asked  bool          // the playbooks were named, so that all of them are shown
	Ledger ledger.Ledger `json:"ledger"`
}

func diagnoseCommand(env Env) *cobra.Command {
	var asJSON bool
	var books []string
	var trust trustFlags
	var how diagnoseFlags
	cmd := &cobra.Command{
		Use:   "diagnose BUNDLE [BASELINE]",
		Short: "Find out what limits a run, and what changed",
		Long: `Diagnose splits the time of a run into its parts, says which class of resource
limits it and how sure that is, walks the playbooks against the evidence, and adds up
what the run cost. Against a baseline it says which part of the time changed.
Of a tail, such as a p99, it compares the parts of the requests beyond it on both sides.

--isolated RANK says that this rank of the baseline was taken away, with its node where
it has one, before BUNDLE was measured: then each of the others should do the work that
it would have done before without waiting, or that it does in a healthy baseline. Exit 3
says that it does not.

An idle accelerator is never taken for a cause: it says that something waited.
What the bundle cannot tell is named as missing.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError(fmt.Errorf("got %d arguments, want a bundle, and a baseline where there is one", len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := chooseBooks(books)
			if err != nil {
				return usageError(err)
			}
			if how.isolated >= 0 && len(args) < 2 {
				return usageError(errors.New("--isolated: want the run before as well: assay diagnose BUNDLE BASELINE --isolated RANK"))
			}
			d, err := diagnose(env, trust, args, chosen, how)
			if err != nil {
				return err
			}
			d.asked = len(books) > 0
			show := printDiagnosis
			if asJSON {
				show = func(w io.Writer, d diagnosis) error { return printJSON(w, d) }
			}
			if err := show(env.Stdout, d); err != nil {
				return err
			}
			if d.Isolated != nil && d.Isolated.Verdict == isolation.NotRestored {
				return silent(exitVerdict)
			}
			return nil
		},
	}
	trust.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnosis as JSON")
	cmd.Flags().IntVar(&how.isolated, "isolated", -1, "the rank of BASELINE that was taken away before BUNDLE was measured")
	cmd.Flags().StringVar(&how.collectives, "collectives", "", "a bundle of assay comm over the same links: its all-gathers and the stability of its exchanges are a second sign of a run that waits for communication")
	cmd.Flags().StringVar(&how.metric, "metric", "", "what moved, such as ttft:p99 or ttft:p99@concurrency=8; by default what the newest pending alert of the run is about, else the latency that changed most")
	how.place.add(cmd)
	cmd.Flags().StringArrayVar(&books, "playbook", nil, "walk this playbook only (repeatable)")
	return cmd
}

// diagnoseFlags are what else a person knows.
type diagnoseFlags struct {
	isolated    int    // rank of the baseline that was taken away; negative means none
	collectives string // folder of a bundle of collectives over the same links
	metric      string // that moved; empty means that an alert or the largest change says it
	place       warehouseFlag
}

// chooseBooks finds the playbooks of a command line; none means those of the document.
func chooseBooks(names []string) ([]playbook.Playbook, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var list []playbook.Playbook
	for _, name := range names {
		p, err := playbook.Find(name)
		if err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

func diagnose(env Env, trust trustFlags, dirs []string, books []playbook.Playbook, how diagnoseFlags) (diagnosis, error) {
	var sides []playbook.Evidence
	var windows float64
	var limits []bottleneck.Diagnosis
	var beside string
	for i, dir := range dirs {
		j, err := trust.decide(env, dir)
		if err != nil {
			return diagnosis{}, err
		}
		e, err := evidenceOf(j)
		if err != nil {
			return diagnosis{}, fmt.Errorf("%s: %w", dir, err)
		}
		sides = append(sides, e)
		if i == 0 {
			if limits, beside, err = how.limits(env, trust, j); err != nil {
				return diagnosis{}, err
			}
			if windows, err = ledger.Windows(j.Bundle); err != nil {
				return diagnosis{}, err
			}
		}
	}
	e := sides[0]
	d := diagnosis{Version: "1.0", RunID: e.Manifest.RunID, Limits: limits, Beside: beside, Ledger: ledger.Of(e.Plan, e.Manifest.Launches, e.Estimates, windows)}
	if len(sides) == 2 {
		e.Baseline, d.Baseline = &sides[1], sides[1].Manifest.RunID
		var err error
		if e.Moved, err = how.movedOf(env, e, dirs[0]); err != nil {
			return d, err
		}
		d.Moved = e.Moved
		if d.Shifts, err = shifts(e, sides[1]); err != nil {
			return d, err
		}
		if d.Moved != nil {
			tails, err := tailShifts(dirs, e)
			if err != nil {
				return d, err
			}
			d.Shifts = append(tails, d.Shifts...)
		}
		if how.isolated >= 0 {
			if d.Isolated, err = isolatedFrom(e, sides[1], how.isolated); err != nil {
				return d, usageError(fmt.Errorf("--isolated: %w", err))
			}
			e.Isolated = d.Isolated
		}
	}
	if len(books) == 0 {
		books, d.Unknown = playbook.Asked(e.Plan)
	}
	d.Overheads, d.Instruments = playbook.Overheads(e), playbook.Instruments(e)
	for _, p := range books {
		d.Playbooks = append(d.Playbooks, p.Walk(e))
	}
	return d, nil
}

// limits says what limits the points of j, with what is known of its links.
func (f diagnoseFlags) limits(env Env, trust trustFlags, j *judge.Judgement) ([]bottleneck.Diagnosis, string, error) {
	if f.collectives == "" {
		return j.Limits(), "", nil
	}
	other, err := trust.decide(env, f.collectives)
	if err != nil {
		return nil, "", fmt.Errorf("--collectives: %w", err)
	}
	if _, measured := other.Collectives.Signs(); !measured {
		return nil, "", usageError(fmt.Errorf("--collectives: %s has neither all-gathers that can be compared nor the stability of an exchange: make one by assay comm --ops all_gather,all_reduce --stability 200", f.collectives))
	}
	return j.LimitsBeside(other.Collectives), other.Bundle.Manifest.RunID, nil
}

func evidenceOf(j *judge.Judgement) (playbook.Evidence, error) {
	b := j.Bundle
	e := playbook.Evidence{
		Plan: j.Plan, Manifest: b.Manifest, Estimates: j.Estimates, Client: j.Client, Training: j.Training, Collectives: j.Collectives,
		Split: map[int]breakdown.Breakdown{},
	}
	var err error
	if e.Requests, err = playbook.ReadRequests(b); err != nil {
		return e, err
	}
	if e.Generators, err = playbook.ReadGenerators(b); err != nil {
		return e, err
	}
	for _, point := range j.Plan.Points {
		if split, ok := breakdown.Serving(e.Estimates, point.Index); ok {
			e.Split[point.Index] = split
		}
	}
	for _, p := range j.Training.Points {
		if split, ok := breakdown.Training(p); ok {
			e.Split[p.Point] = split
		}
	}
	return e, nil
}

// isolatedFrom checks the largest worlds of two runs: with a rank, and without it.
func isolatedFrom(after, before playbook.Evidence, rank int) (*isolation.Check, error) {
	var runs [2]isolation.Run
	for i, e := range []playbook.Evidence{before, after} {
		if len(e.Training.Points) == 0 {
			return nil, fmt.Errorf("%s has no training steps", e.Manifest.RunID)
		}
		largest := slices.MaxFunc(e.Training.Points, func(a, b overlap.Point) int { return cmp.Compare(a.Ranks, b.Ranks) })
		runs[i] = isolation.Run{Name: e.Manifest.RunID, Point: largest, Estimates: e.Estimates}
	}
	c, err := isolation.Of(runs[0], runs[1], rank, after.Estimates.Confidence)
	return &c, err
}

// shifts decomposes the change of every point that both runs have by name: answers and
// training jobs, and the steps of those.
func shifts(e, before playbook.Evidence) ([]shift.PointShift, error) {
	list, err := shift.Points(shift.Side{Plan: before.Plan, Estimates: before.Estimates}, shift.Side{Plan: e.Plan, Estimates: e.Estimates}, e.Estimates.Confidence)
	if err != nil {
		return nil, err
	}
	for _, point := range e.Plan.Points {
		i := slices.IndexFunc(before.Plan.Points, func(p plan.Point) bool { return p.Name == point.Name })
		after, ok := e.Split[point.Index]
		if i < 0 || !ok || point.Steps == nil {
			continue
		}
		was, is := breakdown.Alike(before.Split[before.Plan.Points[i].Index], after)
		s, err := shift.Between(was, is, e.Estimates.Confidence)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", point.Name, err)
		}
		list = append(list, shift.PointShift{Point: point.Name, Shift: s})
	}
	return list, nil
}

func printDiagnosis(w io.Writer, d diagnosis) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n", d.RunID)
	if d.Beside != "" {
		fmt.Fprintf(&out, "links by %s\n", d.Beside)
	}
	for _, l := range d.Limits {
		fmt.Fprintf(&out, "\n%s: %s\n", l.Point, l.Sentence())
		for _, line := range l.Because {
			fmt.Fprintf(&out, "  %s\n", line)
		}
		if l.Verdict != "" {
			fmt.Fprintf(&out, "  %s\n", l.Verdict)
		}
		for _, line := range l.Evidence {
			fmt.Fprintf(&out, "    by: %s\n", line)
		}
		fmt.Fprintf(&out, "  look first at %s\n", l.Inspect)
		if len(l.Alternatives) > 0 {
			fmt.Fprintf(&out, "  not excluded: %s\n", strings.Join(l.Alternatives, ", "))
		}
		for _, m := range l.Missing {
			fmt.Fprintf(&out, "  missing: %s\n", m)
		}
	}
	printInstruments(&out, d)
	if d.Moved != nil {
		fmt.Fprintf(&out, "\nwhat moved: %s (%s)\n", d.Moved, d.Moved.Why)
	}
	for _, s := range d.Shifts {
		printShift(&out, s, d.Baseline)
	}
	if c := d.Isolated; c != nil {
		fmt.Fprintf(&out, "\nwithout rank %d: %s\n", c.Rank, c.Verdict)
		for _, line := range c.How {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	for _, p := range d.Playbooks {
		fmt.Fprintf(&out, "\nplaybook %s\n  %s %s: %s\n", p.Playbook, p.Symptom.Question, p.Symptom.Reply, p.Symptom.Figure)
		if p.Symptom.Reply != playbook.Yes && !d.asked {
			continue // --playbook shows it all the same
		}
		for _, a := range p.Answers {
			fmt.Fprintf(&out, "    %-7s  %s %s\n             looked at %s\n", a.Reply, a.Question, a.Figure, a.Looked)
			if a.Reply == playbook.Yes {
				fmt.Fprintf(&out, "             to confirm: %s\n", a.Confirm)
			}
		}
		fmt.Fprintf(&out, "  %s\n", p.Conclusion)
	}
	for _, name := range d.Unknown {
		fmt.Fprintf(&out, "\nplaybook %s\n  the document names it, and assay has none of this name\n", name)
	}
	printLedger(&out, d.Ledger)
	_, err := w.Write(out.Bytes())
	return err
}

func printShift(out *bytes.Buffer, s shift.PointShift, baseline string) {
	fmt.Fprintf(out, "\n%s: %s against %s\n", s.Point, s.Of, baseline)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range append(slices.Clone(s.Parts), s.Whole) {
		printChange(t, p, p.Name)
	}
	t.Flush()
	for _, p := range s.Kinds {
		printChange(t, p, p.Name+" in all")
	}
	t.Flush()
	fmt.Fprintf(out, "  %s\n", report.ShiftSentence(s.Shift))
	if s.Largest != "" {
		fmt.Fprintf(out, "  most of it is %s\n", s.Largest)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(out, "  missing: %s\n", m)
	}
}

func printChange(w io.Writer, p shift.Part, name string) {
	mark := ""
	if !p.Clear {
		mark = "not clear of zero"
	}
	fmt.Fprintf(w, "  %s\t%s\t→ %s\t%s\t%s\n", name, unit.Format(p.Before, unit.Second), unit.Format(p.After, unit.Second),
		unit.FormatInterval(p.Change.Value, p.Change.Interval.Lo, p.Change.Interval.Hi, unit.Second), mark)
}

func printLedger(out *bytes.Buffer, l ledger.Ledger) {
	fmt.Fprintln(out, "\nledger")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range l.Entries {
		fmt.Fprintf(t, "  %s\t%.4g s\t%.4g accelerator hours\t%s\t%s\t%s\n", e.What, e.Seconds, e.GPUHours,
			optional(e.USD, "$%.4g"), optional(e.KWh, "%.4g kWh"), optional(e.GramsCO2, "%.4g g CO₂e"))
	}
	t.Flush()
	if l.PowerSource != "" {
		fmt.Fprintf(out, "  power: %s each, %s\n", unit.Format(l.Power, unit.Watt), l.PowerSource)
	}
	for _, m := range l.Missing {
		fmt.Fprintf(out, "  missing: %s\n", m)
	}
}

func optional(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}
