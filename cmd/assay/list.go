package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/foreign"
	"assay/lint"
	"assay/metric"
	"assay/probe"
	"assay/report/faces"
	"assay/target"
	"assay/telemetry"
	"assay/telemetry/doctor"
	"assay/workload/dataset"
	"assay/workload/scenario"
	"assay/workload/trace"
)

// A listing is one table that people may ask for.
type listing struct {
	name string
	doc  string
	rows func() []listed
}

// A listed is one line of a listing.
type listed struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"` // what tells lines of one table apart: a unit, a severity, a direction
	Doc  string `json:"doc"`
}

// listings reads the tables that the program itself works by, so that nothing
// exists that is not listed and nothing is listed that does not exist.
var listings = []listing{
	{"targets", "APIs that a system under test may speak: spec.target.api", func() (rows []listed) {
		for _, t := range target.All {
			rows = append(rows, listed{t.Name, "", t.Doc})
		}
		return rows
	}},
	{"metrics", "metrics by definition id, with unit and which way is better", func() (rows []listed) {
		for _, m := range metric.All {
			rows = append(rows, listed{m.ID, strings.TrimSpace(string(m.Unit) + " " + string(m.Better)), m.Doc})
		}
		return rows
	}},
	{"checks", "pitfalls that assay lint looks for, with the worst each can find", func() (rows []listed) {
		for _, c := range lint.All {
			rows = append(rows, listed{c.ID, string(c.Severity), c.Doc})
		}
		return rows
	}},
	{"scenarios", "shapes of requests: spec.workload.prompt.scenario", func() (rows []listed) {
		for _, f := range scenario.Forms() {
			rows = append(rows, listed{f.Look, "", f.Doc})
		}
		for _, task := range scenario.AllTasks {
			rows = append(rows, listed{task, "defaults", strings.Join(scenario.Defaults(task), " ")})
		}
		return rows
	}},
	{"probes", "what assay probe measures, what is read beside a run, and what assay doctor asks of a host", func() (rows []listed) {
		for _, p := range probe.All {
			rows = append(rows, listed{p.Name, "measured", p.Doc})
		}
		for _, s := range telemetry.All {
			rows = append(rows, listed{s.ID, "beside a run", s.Doc})
		}
		for _, c := range doctor.All {
			rows = append(rows, listed{c.ID, "doctor", c.Asks})
		}
		return rows
	}},
	{"launchers", "how a system under test is started", func() []listed { return launchers }},
	{"formats", "what assay writes and what it reads", func() (rows []listed) {
		for _, f := range faces.All {
			rows = append(rows, listed{f.Name, "report", "a bundle's " + f.File})
		}
		for _, t := range foreign.All {
			rows = append(rows, listed{t.Name, "import", t.Doc})
		}
		for _, f := range trace.All {
			rows = append(rows, listed{f.Name, "trace", f.Doc})
		}
		for _, f := range dataset.All {
			rows = append(rows, listed{f.Name, "data set", f.Doc})
		}
		return rows
	}},
}

// launchers are the ways in which spec.target comes to be there.
var launchers = []listed{
	{"none", "spec.target.url", "an endpoint that is already there; launches share its state"},
	{"local", "spec.target.server", "a server as a process of this machine, started anew for each launch or once for the run"},
	{"command", "spec.target.api: command", "a program in place of a server, over the worker protocol"},
}

func listCommand(env Env) *cobra.Command {
	var asJSON bool
	var names []string
	var long strings.Builder
	long.WriteString("List prints what this version knows, from the tables that it works by.\n")
	for _, l := range listings {
		names = append(names, l.name)
		fmt.Fprintf(&long, "\n  %-10s %s", l.name, l.doc)
	}
	cmd := &cobra.Command{
		Use:       "list " + strings.Join(names, "|"),
		Short:     "List supported APIs, metrics, checks, scenarios, probes, launchers and formats",
		Long:      long.String(),
		Args:      exactArgs(1, "one of "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.IndexFunc(listings, func(l listing) bool { return l.name == args[0] })
			if i < 0 {
				return usageError(fmt.Errorf("assay list %s: want one of %s", args[0], strings.Join(names, ", ")))
			}
			rows := listings[i].rows()
			if asJSON {
				return printJSON(env.Stdout, rows)
			}
			var b bytes.Buffer
			t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			for _, row := range rows {
				fmt.Fprintf(t, "%s\t%s\t%s\n", row.Name, row.Kind, row.Doc)
			}
			t.Flush()
			_, err := env.Stdout.Write(b.Bytes())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the table as JSON")
	return cmd
}
