package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/trace"
	"assay/unit"
)

func traceCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace FILE…",
		Short: "Show where the time of a profiler trace went",
		Long: `Trace reads what a profiler recorded and says how long the device computed,
communicated, copied and did nothing, how much of the communication hid behind the
computation, which kernels took most, and how fast collectives were.

It reads traces of torch's profiler (Kineto's JSON, and the bare lists of older
versions, compressed by gzip or not) and of Nsight Systems: tables of nsys stats
--report cuda_gpu_trace or cuda_gpu_kern_sum as CSV or JSON, and nsys export --type
jsonlines.

Exit codes: 0 done, 2 usage error: a file cannot be read, or is not a trace.`,
		Example: `  assay trace trace-rank-00000.json.gz
  nsys stats --report cuda_gpu_trace --format csv report.nsys-rep > t.csv && assay trace t.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(errors.New("got no file, want the traces to read"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var list []trace.Trace
			for _, name := range args {
				t, err := trace.Read(name)
				if err != nil {
					return usageError(err)
				}
				list = append(list, t)
			}
			if asJSON {
				return printJSON(env.Stdout, list)
			}
			for _, t := range list {
				if err := printTrace(env.Stdout, t); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return cmd
}

func printTrace(w io.Writer, t trace.Trace) error {
	var out bytes.Buffer
	fmt.Fprint(&out, t.File)
	if t.Rank != nil {
		fmt.Fprintf(&out, ", rank %d", *t.Rank)
	}
	fmt.Fprintf(&out, ": %d kernels in %s\n", t.Kernels, unit.Format(t.Span, unit.Second))
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(name string, seconds float64) {
		share := ""
		if t.Span > 0 {
			share = fmt.Sprintf("%.1f %%", 100*seconds/t.Span)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", name, unit.Format(seconds, unit.Second), share)
	}
	row("computing", t.Compute)
	row("communicating", t.Comm)
	row("  hidden behind computing", t.Overlapped)
	row("  exposed", t.Exposed)
	row("copying", t.Copy)
	row("neither computing nor communicating", t.Idle)
	row("host waiting for the device", t.Sync)
	if len(t.Collectives) > 0 {
		fmt.Fprintln(table, "\ncollective\tsize\tranks\tcount\ttime\tbus bandwidth")
	}
	for _, c := range t.Collectives {
		rate := "–"
		if c.BusBW != nil {
			rate = unit.Format(*c.BusBW, unit.BytePerSecond)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\n", c.Name, unit.Format(float64(c.Bytes), unit.Byte), c.Ranks, c.Count, unit.Format(c.Seconds, unit.Second), rate)
	}
	fmt.Fprintln(table, "\nkernel\tclass\tcount\ttime")
	for _, k := range t.Top {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", kernelName(k.Name), k.Class, k.Count, unit.Format(k.Seconds, unit.Second))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, n := range t.Notes {
		fmt.Fprintln(&out, "note:", n)
	}
	_, err := out.WriteTo(w)
	return err
}

// kernelName keeps names of templates from filling the screen.
func kernelName(name string) string {
	const most = 72
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}
