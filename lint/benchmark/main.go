// Command benchmark checks by simulation what assay promises of its statistics:
// that an interval which says 95 % covers the truth in 95 of 100 samples, or that
// the method refuses, or that what spoils it is named; that gates and verdicts about
// quality are wrong as seldom as they say. Every table is made from samples whose truth
// is known. Run it with make bench-calibration, or with make bench-quality for the
// verdicts about quality; --write puts the tables, and the list of what is not as
// promised, into docs/evidence/calibration.md and docs/evidence/quality.md.
//
// To add a section write one file with a func(trials int, seed int64) (Table,
// error) and list it in sections, or in qualitySections.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Exit codes, as those of assay.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitVerdict = 3 // a promise is broken
)

// A section makes one table from so many simulated experiments for each of its
// figures. The same trials and seed give the same table on any machine.
type section struct {
	name string
	run  func(trials int, seed int64) (Table, error)
}

// sections lists what is checked, in the order of the tables.
var sections = []section{
	{"coverage", coverageTable},
	{"launches", launchTable},
	{"shares", shareTable},
	{"sittings", sittingTable},
	{"pairs", pairTable},
	{"other-days", otherDaysTable},
	{"pooled", pooledTable},
	{"gate", gateTable},
	{"gate-worlds", gateWorldTable},
	{"turns", turnTable},
	{"steady", steadyTable},
}

// qualitySections is the same for the page about quality.
var qualitySections = []section{{"quality", qualityTable}, {"agreements", agreementTable}, {"scores", scoreTable}}

func main() { os.Exit(benchmark(os.Args[1:], os.Stdout, os.Stderr)) }

func benchmark(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	flags.SetOutput(stderr)
	trials := flags.Int("trials", 2000, "simulated experiments for each figure")
	seed := flags.Int64("seed", 1, "seed of all random numbers")
	quality := flags.Bool("quality", false, "check the verdicts about quality instead of intervals and gates")
	only := flags.String("only", "", "comma-separated names of sections; empty means all")
	asJSON := flags.Bool("json", false, "write the tables as JSON")
	write := flags.String("write", "", "replace the tables in this Markdown file, between its two marker comments")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	page, of := "calibration", sections
	if *quality {
		page, of = "quality", qualitySections
	}
	chosen, err := choose(of, *only)
	if err == nil && *trials < 1 {
		err = fmt.Errorf("--trials %d: want one at least", *trials)
	}
	if err == nil && *write != "" && *only != "" {
		err = fmt.Errorf("--write with --only %s: the file holds every table, so write all", *only)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	var tables []Table
	for _, s := range chosen {
		start := time.Now()
		table, err := s.run(*trials, *seed)
		if err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", s.name, err)
			return exitFailed
		}
		fmt.Fprintf(stderr, "%s: %v\n", s.name, time.Since(start).Round(time.Millisecond))
		tables = append(tables, table)
	}
	if err := show(tables, *asJSON, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	if *write != "" {
		if err := replaceIn(*write, page, markdown(page, tables, *trials, *seed)); err != nil {
			fmt.Fprintln(stderr, err)
			return exitFailed
		}
	}
	if broken := brokenRows(tables); len(broken) > 0 {
		fmt.Fprintf(stderr, "broken promises:\n  %s\n", strings.Join(broken, "\n  "))
		return exitVerdict
	}
	return exitOK
}

func choose(sections []section, only string) ([]section, error) {
	if only == "" {
		return sections, nil
	}
	var chosen []section
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	for name := range strings.SplitSeq(only, ",") {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, fmt.Errorf("--only %q: want some of %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, sections[at])
	}
	return chosen, nil
}

func show(tables []Table, asJSON bool, w io.Writer) error {
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(tables)
	}
	for _, t := range tables {
		if err := t.text(w); err != nil {
			return err
		}
	}
	return nil
}
