package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"assay/analysis/compare"
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
	pairs, stopped int
	apart          int // pairs of which a primary row is better or worse
	rows, false    int // of all pairs, and those of them that are better or worse
}

// tallies are those of every state and target.
type tallies map[[2]string]*tally

func (all tallies) of(state, target string) *tally {
	key := [2]string{state, target}
	if all[key] == nil {
		all[key] = &tally{fates: map[fate]int{}, worst: map[string]float64{}}
	}
	return all[key]
}

// A pairing is two runs of one load, one after the other.
type pairing struct {
	state  state
	load   load
	target target
}

// pairings are n pairs: every state with every load and every target, as far as n goes.
func pairings(n int, targets []target) (list []pairing) {
	for i := range n {
		turn := i / len(states)
		list = append(list, pairing{states[i%len(states)], honestLoads[turn%len(honestLoads)], targets[turn%len(targets)]})
	}
	return list
}

// honest makes honest runs on hosts that do other things too, and counts how often what
// is right is refused and what is wrong is quoted. Two runs of the same load come one after
// the other, and are gated and compared: a system beside itself.
func honest(ctx context.Context, o options) (err error) {
	places, err := lanes(o.lanes)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, kernel %s, load average %s; runs at a time: %d\n", time.Now().UTC().Format(time.RFC3339), processor(),
		words("/proc/sys/kernel/osrelease", 1), words("/proc/loadavg", 3), len(places))
	targets := []target{inC, simulated, simulatedEngine}
	if o.engine != "" {
		o.target = engine(o.engine, o.model)
		if o.running, err = startServer(ctx, o, places[0]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.running.stop(), o.running.remove()) }()
		targets = []target{o.target}
	}
	dir, err := os.MkdirTemp(o.keep, "honest-")
	if err != nil {
		return err
	}
	if o.keep == "" {
		defer os.RemoveAll(dir)
	}
	o.keep = dir
	all, err := o.honestPairs(ctx, places, pairings(o.runs/2, targets))
	all.print(os.Stdout)
	return err
}

// honestPairs makes the pairs, as many at a time as there are places.
func (o options) honestPairs(ctx context.Context, places []place, list []pairing) (tallies, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	until := time.Now().Add(cmp.Or(o.atMost, 24*time.Hour))
	var mu sync.Mutex
	var errs []error
	all := tallies{}
	one := func(p place) bool { // whether there may be more
		mu.Lock()
		if len(list) == 0 || ctx.Err() != nil || time.Now().After(until) {
			mu.Unlock()
			return false
		}
		of := list[0]
		list = list[1:]
		mu.Unlock()
		o := o
		o.target = of.target
		var said strings.Builder
		made, err := o.honestPair(ctx, p, of, &said)
		mu.Lock()
		defer mu.Unlock()
		fmt.Print(said.String())
		made.addTo(all.of(of.state.name, of.target.name))
		made.addTo(all.of(of.state.name, ""))
		if err != nil && ctx.Err() == nil {
			errs = append(errs, err)
			cancel()
		}
		return err == nil
	}
	var working sync.WaitGroup
	for _, p := range places {
		working.Go(func() {
			for one(p) {
			}
		})
	}
	working.Wait()
	return all, errors.Join(errs...)
}

// A pair is what became of two runs and of what was made of both.
type pair struct {
	runs        []judged
	stopped     bool
	apart       bool
	rows, false int
}

// honestPair makes two runs of one load, gates the second with the first and compares them.
func (o options) honestPair(ctx context.Context, p place, one pairing, said *strings.Builder) (made pair, err error) {
	release, err := one.state.occupy(ctx, p)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, release()) }()
	var dirs []string
	for range 2 {
		m, done, err := o.shaped(one.load).measure(ctx, p, one.load)
		if err != nil {
			return made, err
		}
		defer done()
		j, err := m.honestly()
		if err != nil {
			return made, err
		}
		dirs = append(dirs, m.bundle.Dir)
		made.runs = append(made.runs, j)
		fmt.Fprintf(said, "%-16s %-17s %-36v ", one.state.name, one.target.name, one.load)
		for _, key := range honestResults {
			fmt.Fprintf(said, " %s %.1f %% %s;", key.metric.Name, 100*j.errors[key.metric.Name], j.fates[key.metric.Name])
		}
		fmt.Fprintf(said, " own error %v\n", j.own)
		for _, reason := range j.reasons {
			fmt.Fprintf(said, "    %s\n", reason)
		}
	}
	cmd := p.command(ctx, o.assay, "gate", dirs[0], dirs[1], "--policy", o.policy, "--reason", "a system with itself")
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return made, fmt.Errorf("assay gate: %w", err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 5 {
		made.stopped = true
		fmt.Fprintf(said, "    gate ended with %d:\n%s\n", code, text)
	}
	return made, o.compared(ctx, p, dirs, &made, said)
}

// compared counts the rows of a comparison that say better or worse.
func (o options) compared(ctx context.Context, p place, dirs []string, made *pair, said *strings.Builder) error {
	text, err := p.command(ctx, o.assay, "compare", dirs[0], dirs[1], "--json").Output()
	if err != nil {
		return fmt.Errorf("assay compare: %w", err)
	}
	var report compare.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("assay compare: %w", err)
	}
	for _, c := range report.Comparisons {
		for _, row := range c.Rows {
			made.rows++
			if row.Verdict != compare.Better && row.Verdict != compare.Worse {
				continue
			}
			made.false++
			made.apart = made.apart || row.Primary
			fmt.Fprintf(said, "    %s %s is %s\n", row.Name, row.Statistic, row.Verdict)
		}
	}
	return nil
}

func (p pair) addTo(t *tally) {
	for _, j := range p.runs {
		t.add(j)
	}
	if len(p.runs) < 2 {
		return // an error has ended it
	}
	t.pairs++
	t.rows += p.rows
	t.false += p.false
	if p.stopped {
		t.stopped++
	}
	if p.apart {
		t.apart++
	}
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

// ownHeld is how often the printed error held, and how wide it was at the median.
func (t *tally) ownHeld() (held, of int, width float64) {
	var widths []float64
	for _, b := range t.own {
		if math.IsNaN(b.printed) {
			continue
		}
		of++
		if b.holds() {
			held++
		}
		if b.truth > 0 {
			widths = append(widths, b.printed/b.truth)
		}
	}
	slices.Sort(widths)
	if width = unknown; len(widths) > 0 {
		width = widths[len(widths)/2]
	}
	return held, of, width
}

// print writes a row for each host, and below it one for each target.
func (all tallies) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nhost, target\truns\tquotable\tresults quoted\tquoted, >10 % off\trefused though right\trefused, wrong\ttoo few requests\t"+
		"worst quoted TTFT / TPOT / E2E / tok/s\town error of TTFT p50 holds, × truth\tpairs\tgates stopped\tfalse better or worse\tin all rows")
	for _, s := range states {
		names := slices.SortedFunc(maps.Keys(all), func(a, b [2]string) int { return strings.Compare(a[1], b[1]) })
		for _, key := range names {
			if key[0] != s.name {
				continue
			}
			t := all[key]
			name := s.name
			if key[1] != "" {
				name = "  " + key[1]
			}
			worst := make([]string, len(honestResults))
			for i, result := range honestResults {
				worst[i] = percent(t.worst[result.metric.Name])
			}
			held, of, width := t.ownHeld()
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d of %d, %.1f\t%d\t%d\t%d\t%d of %d\n", name, t.runs, t.quotable, t.fates[quoted], t.fates[wrong],
				t.fates[falseRefusal], t.fates[justRefusal], t.fates[tooFew], strings.Join(worst, " / "), held, of, width, t.pairs, t.stopped, t.apart, t.false, t.rows)
		}
	}
	w.Flush()
}
