package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/fleet"
	"assay/analysis/objective"
	"assay/unit"
)

func fleetCommand(env Env) *cobra.Command {
	var ask fleet.Ask
	var asJSON bool
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "fleet BUNDLE --load REQUESTS_PER_SECOND",
		Short: "Work out how many replicas a load needs",
		Long: `Fleet finds the knee of a sweep: the highest load of one replica that keeps every
objective of spec.slo by the end of its interval. It divides the load by the lower
end of the throughput there, and shows what dividing by the highest throughput
would have promised.

Exit codes: 0 done, 2 usage error, 3 no measured load meets the objectives, 4 the
bundle was changed after sealing.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case !(ask.Load > 0):
				return usageError(fmt.Errorf("--load: got %v, want the requests per second that the fleet must carry", ask.Load))
			case ask.Headroom < 0 || ask.Headroom >= 1:
				return usageError(fmt.Errorf("--headroom: got %v, want a share from 0 to below 1", ask.Headroom))
			case ask.FanOut < 0:
				return usageError(fmt.Errorf("--fan-out: got %d, want a number of calls", ask.FanOut))
			}
			j, err := trust.decide(env, args[0])
			if err != nil {
				return err
			}
			size, err := fleet.Sizing(j.Estimates, j.Plan, ask, j.Against)
			if errors.Is(err, fleet.ErrNoKnee) && !asJSON {
				return errors.Join(printLevels(env.Stdout, size), &exitError{exitVerdict, err})
			}
			if errors.Is(err, fleet.ErrNoKnee) {
				return errors.Join(printJSON(env.Stdout, size), &exitError{exitVerdict, err})
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, size)
			}
			return printFleet(env.Stdout, size)
		},
	}
	trust.add(cmd)
	f := cmd.Flags()
	f.Float64Var(&ask.Load, "load", 0, "requests per second that the fleet must carry")
	f.Float64Var(&ask.Headroom, "headroom", 0, "share of each replica that is kept free")
	f.IntVar(&ask.FanOut, "fan-out", 0, "calls that one action of a user makes")
	f.StringVar(&ask.Scenario, "scenario", "", "the scenario that the fleet will answer, of a sweep over several")
	f.IntVar(&ask.BatchSize, "batch-size", 0, "the documents of each request, of a sweep over several")
	f.BoolVar(&asJSON, "json", false, "print the size as JSON")
	return cmd
}

func printFleet(w io.Writer, s fleet.Size) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d replicas for %.4g requests/s: each carries %.4g/s at %s, the knee", s.Replicas, s.Load, s.PerReplica, s.Knee)
	if s.Headroom > 0 {
		fmt.Fprintf(&out, ", with %.3g %% kept free", 100*s.Headroom)
	}
	fmt.Fprintln(&out)
	if s.Naive < s.Replicas {
		fmt.Fprintf(&out, "dividing by the highest throughput would have promised %d\n", s.Naive)
	}
	if s.Unbounded {
		fmt.Fprintln(&out, "no higher load was measured: the knee lies above it, and fewer replicas may do")
	}
	if s.FanOutCalls > 0 {
		fmt.Fprintf(&out, "an action of %d calls meets one slower than p%g with a chance of %.3g %%, if calls are independent\n", s.FanOutCalls, 100*s.Quantile, 100*s.FanOut)
	}
	fmt.Fprintln(&out)
	if _, err := w.Write(out.Bytes()); err != nil {
		return err
	}
	return printLevels(w, s)
}

func printLevels(w io.Writer, s fleet.Size) error {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "load\tanswered\tgoodput\tobjectives")
	for _, l := range s.Levels {
		good := "–"
		if l.Goodput != nil {
			good = unit.FormatInterval(l.Goodput.Value, l.Goodput.Interval.Lo, l.Goodput.Interval.Hi, unit.RequestPerSecond)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", l.Point, unit.FormatInterval(l.Requests.Value, l.Requests.Interval.Lo, l.Requests.Interval.Hi, unit.RequestPerSecond), good, l.State)
	}
	t.Flush() // long lines below must not move the columns above
	for _, l := range s.Levels {
		for _, v := range l.Verdicts {
			if v.State != objective.Kept {
				fmt.Fprintf(&out, "%s: %s is %s: %s\n", l.Point, v.Name, v.State, v.Reason)
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}
