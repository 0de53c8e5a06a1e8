package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"

	"assay/bundle"
	"assay/record"
)

func bundleEvents(b *bundle.Bundle, launch int) iter.Seq2[record.Event, error] {
	return bundle.Rows[record.Event](b, launch, bundle.Events)
}

// A tally is what became of the runs of one state of the host.
type tally struct {
	runs, quotable int
	fates          map[fate]int
	worst          map[string]float64
	own            []bound
	gates, stopped int
	codes          map[int]int
}

// honest makes honest runs on hosts that do other things too, and counts how often what
// is right is refused and what is wrong is quoted. Two runs of the same load come one after
// the other, and are gated: a system held against itself.
func honest(ctx context.Context, o options) error {
	p, err := placeFor(0) // wherever there is room, as users have it
	if err != nil {
		return err
	}
	p.head(o)
	dir, err := os.MkdirTemp(o.keep, "honest-")
	if err != nil {
		return err
	}
	if o.keep == "" {
		defer os.RemoveAll(dir)
	}
	o.keep = dir
	tallies := map[string]*tally{}
	for i := range o.runs / 2 {
		s, l := states()[i%len(states())], honestLoads[i/len(states())%len(honestLoads)]
		t := tallies[s.name]
		if t == nil {
			t = &tally{fates: map[fate]int{}, worst: map[string]float64{}, codes: map[int]int{}}
			tallies[s.name] = t
		}
		if err := o.honestPair(ctx, p, s, l, t); err != nil {
			return err
		}
	}
	printHonest(tallies)
	return nil
}

// honestPair makes two runs of one load and gates the second with the first.
func (o options) honestPair(ctx context.Context, p place, s state, l load, t *tally) (err error) {
	release, err := s.occupy(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	var dirs []string
	for range 2 {
		m, _, err := o.shaped(l).measure(ctx, p, l)
		if err != nil {
			return err
		}
		j, err := m.honestly()
		if err != nil {
			return err
		}
		dirs = append(dirs, m.bundle.Dir)
		t.add(j)
		fmt.Printf("%-16s %-36v ", s.name, l)
		for _, key := range honestResults {
			fmt.Printf(" %s %.1f %% %s;", key.metric.Name, 100*j.errors[key.metric.Name], j.fates[key.metric.Name])
		}
		fmt.Printf(" own error %v\n", j.own)
		for _, reason := range j.reasons {
			fmt.Printf("    %s\n", reason)
		}
	}
	cmd := exec.CommandContext(ctx, o.assay, "gate", dirs[0], dirs[1], "--policy", o.policy, "--reason", "a system with itself")
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return fmt.Errorf("assay gate: %w", err)
	}
	code := cmd.ProcessState.ExitCode()
	t.gates++
	t.codes[code]++
	if code != 0 && code != 5 {
		t.stopped++
		fmt.Printf("    gate ended with %d:\n%s\n", code, said)
	}
	return nil
}

func (t *tally) add(j judged) {
	t.runs++
	t.own = append(t.own, j.own)
	any := false
	for name, f := range j.fates {
		t.fates[f]++
		any = any || f == quoted
		if f == quoted || f == wrong {
			t.worst[name] = max(t.worst[name], j.errors[name])
		}
	}
	if any {
		t.quotable++
	}
}

func printHonest(tallies map[string]*tally) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nhost\truns\tquotable\tresults quoted\tquoted, >10 % off\trefused though right\trefused, wrong\ttoo few requests\tworst quoted TTFT / TPOT / E2E / tok/s\town error of TTFT p50 holds, × truth\tgates\tstopped")
	for _, s := range states() {
		t := tallies[s.name]
		if t == nil {
			continue
		}
		held := 0
		var widths []float64
		for _, b := range t.own {
			if b.holds() {
				held++
			}
			if !math.IsNaN(b.printed) && b.truth > 0 {
				widths = append(widths, b.printed/b.truth)
			}
		}
		slices.Sort(widths)
		width := unknown
		if len(widths) > 0 {
			width = widths[len(widths)/2]
		}
		worst := ""
		for i, key := range honestResults {
			if i > 0 {
				worst += " / "
			}
			worst += percent(t.worst[key.metric.Name])
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d of %d, %.1f\t%d\t%d\n", s.name, t.runs, t.quotable, t.fates[quoted], t.fates[wrong], t.fates[falseRefusal],
			t.fates[justRefusal], t.fates[tooFew], worst, held, len(t.own), width, t.gates, t.stopped)
	}
	w.Flush()
}
