package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/analysis/hardware"
	"assay/bundle"
	"assay/judge"
	"assay/spec"
	"assay/unit"
)

func probeCommand(env Env) *cobra.Command {
	micro := spec.Probe{}
	fields := fieldFlags{spec: spec.RunSpec{Probe: &spec.Probe{}}}
	var out outFlags
	var fileSize string
	var duration time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "probe [NAME…]",
		Short: "Measure memory, caches, arithmetic, disk and network of this host",
		Long: `Probe measures parts of this host by themselves, seals everything in a bundle and
prints what they can do, with intervals: ` + strings.Join(spec.Vocabularies["probes"], ", ") + `.
Without a name it measures memory, cache, matmul and disk. The intervals come from
the launches, of which there are at least three.

With --hosts, or --launcher slurm, each of those hosts is measured by a copy of this
program, all into one bundle: speed, memory, matmul and disk of every one, and the
network between every two. What follows the table names the node that is slower than
the others, by which part, and what is different about it.

Probes of an accelerator (transfer, peer_to_peer; memory, matmul and roofline with
--device cuda) are measured by torch: --python names a Python that has it.

Exit codes: 0 done, 1 could not be done, 2 usage error, 3 done, and an answer was
wrong.`,
		Example: `  assay probe
  assay probe matmul roofline --threads 1,8
  assay probe network --host node2 --streams 4
  assay probe --hosts node1,node2,node3,node4`,
		Args: knownProbes,
	}
	flags := cmd.Flags()
	flags.DurationVar(&duration, "duration", 500*time.Millisecond, "how long each variant is measured in a launch")
	flags.IntVar(&micro.Replicates, "replicates", 10, "timed replicates of each variant in a launch")
	flags.IntSliceVar(&micro.Threads, "threads", nil, "threads that work at once, in turn (default one, and one for each processor)")
	flags.StringVar(&micro.Dir, "dir", "", "folder that the disk and dataloader probes write in (default the system's temporary folder)")
	flags.StringVar(&fileSize, "file-size", "1GiB", "size of the disk probe's file and of the checkpoint")
	flags.BoolVar(&micro.AllDevices, "all-devices", false, "measure the probes of an accelerator on every one of this host")
	flags.StringSliceVar(&micro.Hosts, "host", nil, "hosts that run assay net --serve, for the network probe (default loopback)")
	flags.IntVar(&micro.Streams, "streams", 1, "parallel streams of the network probe")
	flags.StringVar(&micro.Device, "device", "cpu", "where memory, products, attention, KV cache and checkpoints are measured: cpu, cuda or auto")
	flags.StringVar(&micro.Python, "python", "", "the Python that has torch, for probes of an accelerator (default the first that is found)")
	flags.BoolVar(&asJSON, "json", false, "write what was found as JSON, as in hardware.json")
	out.register(flags, "probe")
	fields.register(flags, nodeFields)
	cmd.RunE = func(cmd *cobra.Command, names []string) (err error) {
		micro.Probes, micro.Duration = names, unit.Duration(duration)
		if micro.FileSize, err = unit.ParseBytes(fileSize); err != nil {
			return usageError(fmt.Errorf("--file-size: %w", err))
		}
		run := spec.Run{}
		run.Spec.Intent.WorkloadType = spec.Training
		run.Spec.Workload.Model = "none"
		run.Spec.Probe = &micro
		if err := onNodes(&run.Spec, fields.spec.Probe.Launch); err != nil {
			return err
		}
		own := env
		asked := cmd.Flags().Changed("format") || out.printSpec
		if !asked {
			own.Stdout = io.Discard // the table takes the report's place
		}
		if err := out.carryOut(cmd, own, run, fields.paths...); err != nil || asked {
			return err
		}
		return printHardware(env, out.dir, asJSON)
	}
	return cmd
}

// knownProbes wants names of probes.
func knownProbes(_ *cobra.Command, names []string) error {
	for _, name := range names {
		if !slices.Contains(spec.Vocabularies["probes"], name) {
			return usageError(fmt.Errorf("no probe %q: want one of %s", name, strings.Join(spec.Vocabularies["probes"], ", ")))
		}
	}
	return nil
}

// printHardware prints what the probes of a bundle say.
func printHardware(env Env, dir string, asJSON bool) error {
	b, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	p, err := judge.Plan(b)
	if err != nil {
		return err
	}
	r, err := hardware.Read(b, p)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = printJSON(env.Stdout, r)
	case p.OnHosts():
		err = printNodes(env, dir)
	default:
		err = writeHardware(env.Stdout, r)
	}
	if slices.ContainsFunc(r.Rows, func(row hardware.Row) bool { return row.Wrong > 0 }) && err == nil {
		return silent(exitVerdict)
	}
	return err
}

// writeHardware prints a report as tables.
func writeHardware(w io.Writer, r hardware.Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROBE\tVARIANT\tTHREADS\tSIZE\tVALUE\tP99\tN\tABOUT")
	for _, row := range r.Rows {
		p99 := ""
		if row.P99 != nil {
			p99 = unit.Format(*row.P99, row.Unit)
		}
		threads, size := "", ""
		if row.Threads > 0 {
			threads = fmt.Sprint(row.Threads)
		}
		if row.Size > 0 {
			size = unit.Bytes(row.Size).String()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", row.Probe, row.Variant, threads, size,
			unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit), p99, row.N, row.Scope)
	}
	if len(r.Levels) > 0 {
		fmt.Fprintln(t, "\nLEVEL\tUP TO\tSTATED\tLATENCY")
		for _, l := range r.Levels {
			stated := ""
			if l.Stated != nil {
				stated = unit.Bytes(*l.Stated).String()
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", l.Name, unit.Bytes(l.Size), stated, unit.Format(l.Latency, unit.Second))
		}
	}
	if f := r.Roofline; f != nil {
		fmt.Fprintf(t, "\nroofline of %s: %s, %s, ridge at %.3g FLOP/B\n", f.Device, unit.Format(f.Peak, unit.FLOPPerSecond), unit.Format(f.Memory, unit.BytePerSecond), f.Ridge)
		for _, p := range f.Points {
			fmt.Fprintf(t, "%s\t%s\tof %s\t%.0f %%\n", p.Name, unit.Format(p.Reached, unit.FLOPPerSecond), unit.Format(p.Roof, unit.FLOPPerSecond), 100*p.Reached/p.Roof)
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(t)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(t, "%s %s: %s; %s; %s\n", f.Check, f.Severity, f.Message, f.Why, f.Fix)
	}
	return t.Flush()
}
