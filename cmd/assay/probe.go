package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/analysis/hardware"
	"assay/bundle"
	"assay/spec"
	"assay/unit"
)

// probeFlags are the options of assay probe, as they go into the spec.
type probeFlags struct {
	launches   int
	replicates int
	duration   time.Duration
	threads    []int
	dir        string
	fileSize   string
	hosts      []string
	streams    int
	device     string
	python     string
}

func probeCommand(env Env) *cobra.Command {
	var flags probeFlags
	var out, key string
	var printSpec, asJSON bool
	var shown progressFlags
	cmd := &cobra.Command{
		Use:   "probe [NAME…]",
		Short: "Measure memory, caches, arithmetic, disk and network of this host",
		Long: `Probe measures parts of this host by themselves, seals everything in a bundle and
prints what they can do, with intervals: ` + strings.Join(spec.Vocabularies["probes"], ", ") + `.
Without a name it measures memory, cache, matmul and disk. The intervals come from
the launches, of which there are at least three.

Probes of an accelerator (transfer, peer_to_peer; memory, matmul and roofline with
--device cuda) are measured by torch: pass --python.

Exit codes: 0 done, 1 could not be done, 2 asked wrongly, 3 done, and an answer was
wrong.`,
		Example: `  assay probe
  assay probe matmul roofline --threads 1 --threads 8
  assay probe network --host node2 --streams 4`,
		Args: knownProbes,
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVarP(&out, "out", "o", "runs", "folder in which the bundle is made")
	cmd.Flags().StringVar(&key, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	cmd.Flags().BoolVar(&printSpec, "print-spec", false, "print the spec that the options ask for and run nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write what was found as JSON, as in hardware.json")
	shown.register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		source, err := flags.source(names)
		if err != nil {
			return err
		}
		if printSpec {
			_, err := env.Stdout.Write(source)
			return err
		}
		document, err := parseRun("the spec of these options", source)
		if err != nil {
			return err
		}
		quiet := env
		quiet.Stdout = io.Discard // what is printed here is the table
		dir, err := carryOut(cmd.Context(), quiet, job{source: source, run: document, out: out, keyFile: key, format: "text", progress: shown})
		if dir != "" {
			fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
		}
		if err != nil {
			return err
		}
		return printHardware(env, dir, asJSON)
	}
	return cmd
}

func (f *probeFlags) register(set *pflag.FlagSet) {
	set.IntVar(&f.launches, "launches", 3, "launches, which are what intervals rest on; at least 3")
	set.IntVar(&f.replicates, "replicates", 10, "timed replicates of each variant in a launch")
	set.DurationVar(&f.duration, "duration", 500*time.Millisecond, "how long each variant is measured in a launch")
	set.IntSliceVar(&f.threads, "threads", nil, "threads that work at once; may be given several times (default one, and one for each processor)")
	set.StringVar(&f.dir, "dir", "", "folder that the disk and dataloader probes write in (default the system's temporary folder)")
	set.StringVar(&f.fileSize, "file-size", "1GiB", "size of the disk probe's file")
	set.StringSliceVar(&f.hosts, "host", nil, "host or host:port that runs assay net --serve, for the network probe; may be given several times (default loopback)")
	set.IntVar(&f.streams, "streams", 1, "parallel streams of the network probe")
	set.StringVar(&f.device, "device", "cpu", "where memory, matmul and roofline are measured: cpu, cuda or auto")
	set.StringVar(&f.python, "python", "", "python that has torch, for probes of an accelerator")
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

// source is the document that the options ask for. JSON is YAML too.
func (f *probeFlags) source(names []string) ([]byte, error) {
	micro := map[string]any{
		"duration": unit.Duration(f.duration).String(), "replicates": f.replicates, "fileSize": f.fileSize, "streams": f.streams, "device": f.device,
	}
	for name, list := range map[string]any{"probes": names, "threads": f.threads, "hosts": f.hosts} {
		if text, err := json.Marshal(list); err == nil && string(text) != "null" && string(text) != "[]" {
			micro[name] = list
		}
	}
	for name, value := range map[string]string{"dir": f.dir, "python": f.python} {
		if value != "" {
			micro[name] = value
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion": spec.APIVersion, "kind": "BenchmarkRun", "metadata": map[string]any{"name": "probe"},
		"spec": map[string]any{
			"workload": map[string]any{"model": "none"}, "trials": map[string]any{"minReplicates": f.launches}, "probe": micro,
		},
	}, "", "  ")
	return append(text, '\n'), err
}

// printHardware prints what the probes of a bundle say.
func printHardware(env Env, dir string, asJSON bool) error {
	b, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	p, err := planOf(b)
	if err != nil {
		return err
	}
	r, err := hardware.Read(b, p)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(env.Stdout, r)
	} else {
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
	fmt.Fprintln(t, "PROBE\tVARIANT\tTHREADS\tVALUE\tP99\tN\tABOUT")
	for _, row := range r.Rows {
		p99 := ""
		if row.P99 != nil {
			p99 = unit.Format(*row.P99, row.Unit)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%d\t%s\n", row.Probe, row.Variant, row.Threads,
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
