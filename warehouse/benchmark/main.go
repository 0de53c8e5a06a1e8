// Command benchmark says how good the search for changes is, on simulated histories whose
// truth is known: how soon a step is an open alert, whether that alert stays, and how often a
// stable series raises one. Beside it stand an oracle, which knows place and spread, the t
// test, which knows the place, and where they are given Apache Otava and an earlier assay,
// which look at the same values, run by run. Some of the histories go through a warehouse, as
// bundles that are kept one by one.
//
// Every history has a seed of its own, so that its values are the same on any number of cores.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"assay/warehouse"
)

// looked are the numbers of runs after a step at which the alert is looked for.
var looked = []int{1, 2, 3, 4, 5, 7, 10, 20}

// near is by how many runs an alert may miss the place.
const near = 2

// A benchmark is what is asked for, and the tables that come of it.
type benchmark struct {
	series, kept   int // of each row, and those that go through a warehouse
	otava, earlier peer
	out            strings.Builder
	broken         []string
}

func main() {
	var b benchmark
	flag.IntVar(&b.series, "series", 200, "series of each row of steps; four times as many where no level changes")
	flag.IntVar(&b.kept, "kept", 2, "series of each row of some that go through a warehouse, bundle by bundle; 0 leaves them out")
	python := flag.String("otava", "", "Python that has apache-otava; empty leaves it out")
	script := flag.String("script", "warehouse/benchmark/ask_otava.py", "the script that asks it")
	earlier := flag.String("earlier", "", "program built of ask_earlier.go; empty leaves it out")
	flag.IntVar(&b.otava.series, "otava-series", 40, "the first series of each row, which Otava is asked about")
	flag.IntVar(&b.earlier.series, "earlier-series", 4, "the first series of each row, which the earlier assay is asked about")
	write := flag.String("write", "", "file whose tables are written anew")
	flag.Parse()
	if *python != "" {
		b.otava.command = []string{*python, *script, "1"}
	}
	if *earlier != "" {
		b.earlier.command = []string{*earlier}
	}
	err := b.run()
	if err == nil && *write != "" {
		err = os.WriteFile(*write, []byte(b.before()+b.out.String()+afterTables), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(b.out.String())
	if len(b.broken) > 0 {
		fmt.Fprintln(os.Stderr, "a promise is broken: "+strings.Join(b.broken, "; "))
		os.Exit(3)
	}
}

func (b *benchmark) run() error {
	for _, part := range []func() error{b.steps, b.quiet, b.through} {
		if err := part(); err != nil {
			return err
		}
	}
	if len(b.broken) > 0 {
		fmt.Fprintf(&b.out, "\nMissed: %s.\n", strings.Join(b.broken, "; "))
	}
	return nil
}

func (b *benchmark) steps() error {
	fmt.Fprint(&b.out, "## Open after 1, 2, 3, 4, 5, 7, 10, 20 runs, per cent of the steps; how many were open once and are not later\n\n"+
		"| step ÷ spread | runs before | assay | earlier assay | Otava | t test at the place | oracle |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for i, w := range stepWorlds() {
		list := drawn(b.series, uint64(i), w.history)
		own, test, best := steps(list, each(list, atOnce)), steps(list, each(list, knowing(learning))), steps(list, each(list, knowing(oracle)))
		if err := agree(list); err != nil {
			return err
		}
		before, err := b.earlier.steps(list)
		if err != nil {
			return err
		}
		otava, err := b.otava.steps(list)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b.out, "| %s | %d | %s | %s | %s | %s | %s |\n", w.name, w.before, own.withVanished(), before, otava, test, best)
		if best.share(5) >= 98 && own.share(5) < 95 {
			b.broken = append(b.broken, fmt.Sprintf("steps of %s spreads after %d runs: %.0f %% are open after five, where the oracle has %.0f", w.name, w.before, own.share(5), best.share(5)))
		}
	}
	return nil
}

func (b *benchmark) quiet() error {
	fmt.Fprintf(&b.out, "\n## Alerts where no level changes for good, in 1,000 series-days (series with one open on day %d)\n\n"+
		"| world | assay | in days 1–%d, later | earlier assay | Otava | named |\n| --- | --- | --- | --- | --- | --- |\n", length, young)
	for i, w := range quietWorlds {
		list := drawn(4*b.series, uint64(1000+i), w.history)
		own := quiet(each(list, atOnce))
		if err := agree(list); err != nil {
			return err
		}
		before, err := b.earlier.quiet(list)
		if err != nil {
			return err
		}
		otava, err := b.otava.quiet(list)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b.out, "| %s | %s | %s | %s | %s | %s |\n", w.name, own, own.byAge(), before, otava, named(list, w.named))
		if w.stable && own.tooMany() {
			b.broken = append(b.broken, fmt.Sprintf("%s: %.2f alerts in 1,000 series-days", w.name, own.rate()))
		}
	}
	systems := drawn(b.series/2, 2000, together)
	seen := each(slices.Concat(systems...), atOnce)
	nights, results := 0, len(warehouse.WatchedMetrics)
	for i := range systems {
		rung := map[int]bool{}
		for _, of := range seen[i*results : (i+1)*results] {
			for _, day := range newAlerts(of) {
				rung[day] = true
			}
		}
		nights += len(rung)
	}
	fmt.Fprintf(&b.out, "\nThe %d watched results of one stable system, correlated by 0.5: %.2f alerts in 1,000 series-days, and at least one of the %d on %.1f of 1,000 nights.\n",
		results, quiet(seen).rate(), results, 1000*float64(nights)/float64(len(systems)*length))
	return nil
}

// through are rows of which some series go through a warehouse.
func (b *benchmark) through() error {
	if b.kept == 0 {
		return nil
	}
	fmt.Fprint(&b.out, "\n## Through a warehouse: bundles kept one by one, and the table of alerts read after each\n\n"+
		"| world | series | open after 1, 2, 3, 4, 5, 7, 10, 20 runs, per cent; open once and not later | looks at which table and function differ | alerts gone that nobody closed |\n| --- | --- | --- | --- | --- |\n")
	for i, w := range stepWorlds() {
		if w.before > 10 || w.from < 3 || w.from > 6 {
			continue
		}
		list := drawn(b.kept, uint64(i), w.history)
		var t through
		r := steps(list, each(list, t.see))
		b.keptRow(&t, fmt.Sprintf("%s spreads after %d runs", w.name, w.before), len(list), r.withVanished())
		if t.failed != nil {
			return t.failed
		}
	}
	stable := quietWorlds[1]
	list := drawn(b.kept, 1001, func(rng *rand.Rand) history { return stable.history(rng) })
	var t through
	r := quiet(each(list, t.see))
	b.keptRow(&t, stable.name, len(list), fmt.Sprintf("%s alerts in 1,000 series-days", r))
	return t.failed
}

// keptRow writes a row of series that went through a warehouse.
func (b *benchmark) keptRow(t *through, world string, series int, found string) {
	fmt.Fprintf(&b.out, "| %s | %d | %s | %d of %d | %d |\n", world, series, found, t.differ, t.looks, t.gone)
	if t.differ+t.gone > 0 {
		b.broken = append(b.broken, fmt.Sprintf("%s: the table differs at %d looks, and %d alerts are gone", world, t.differ, t.gone))
	}
}

// before is what stands before the tables.
func (b *benchmark) before() string {
	otava := "Otava was not asked: no Python with apache-otava was given (`OTAVA_PYTHON`)."
	if len(b.otava.command) > 0 {
		otava = fmt.Sprintf("Apache Otava 0.8.0 was asked with its defaults (E-divisive, Student's t at 0.001, windows of 50), about the first %d series of each row.", b.otava.series)
	}
	earlier := "The earlier assay was not asked (`EARLIER_ASSAY`)."
	if len(b.earlier.command) > 0 {
		earlier = fmt.Sprintf("The earlier assay is that of commit 5833e246, before alerts were remembered, asked about the first %d series of each row: its search takes seconds for each.", b.earlier.series)
	}
	return fmt.Sprintf(beforeTables, b.series, cmp.Or(b.kept, 0), otava, earlier)
}

const beforeTables = `# How soon changes are found, and how often nothing is taken for one

Made by ` + "`make bench-change-points CHANGE_SERIES=%d CHANGE_KEPT=%d`" + `: so many series in each row, four times as many where no level
changes. Histories of one run a day whose truth is known, looked at after every run by the function that ` + "`assay keep`" + `
writes alerts with; the last table goes through ` + "`keep`" + ` and the alerts it wrote. A step is found where an alert is open
within two runs of its place; it has vanished where it was open once and is not after a later run. The oracle knows place
and spread; the t test knows the place and learns the spread from both sides, as everybody must who has no other runs. Both
ask for the same P as assay does with so many runs, each time anew, where assay remembers what it saw once.
%s
%s

`

const afterTables = `
Aimed at: after five runs an alert for 95 % of the steps wherever the oracle has 98, and at most one false alarm in 1,000 stable
series-days, counted over 60 days from the first run on, two standard errors of the simulation allowed for. Most of what is allowed is spent on series of 10 to 20 runs: there
the spread is hardly known, and a step of four spreads after five runs can only be seen by allowing more false alarms. Who
begins many series at once should expect them in the first weeks. Correlated days cannot be told from others before 15
runs, so that young series of that kind raise more alerts than 1. Modes and drifts are no false alarms: the alert says
what they are, once, and is open until somebody decides. The numbers that say how much is allowed
(stats/level_departure.go) were chosen with simulations of the same kinds of worlds, with other seeds.
`
