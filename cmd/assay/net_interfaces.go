package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"assay/telemetry"
	"assay/unit"
)

// A carried is an interface with what it carries now.
type carried struct {
	telemetry.Interface
	In         float64 `json:"in"`  // bytes per second over the last interval
	Out        float64 `json:"out"` // bytes per second
	InPackets  float64 `json:"inPackets"`
	OutPackets float64 `json:"outPackets"`
	AverageIn  float64 `json:"averageIn"` // bytes per second since watching began
	AverageOut float64 `json:"averageOut"`
	PeakIn     float64 `json:"peakIn"` // the highest of the intervals
	PeakOut    float64 `json:"peakOut"`
}

// A crossing is what assay net --interfaces --json writes, once or for each interval.
type crossing struct {
	Seconds    float64        `json:"seconds"` // since watching began
	Interfaces []carried      `json:"interfaces"`
	Facts      map[string]any `json:"facts,omitempty"` // RDMA, NVLink and topology; in the first only
}

// showInterfaces prints what interfaces carry, over one interval or one after another.
func showInterfaces(ctx context.Context, env Env, flags netFlags) error {
	host := telemetry.Local(ctx)
	defer host.Close()
	before, err := telemetry.Interfaces(ctx, host)
	if err != nil {
		return err
	}
	began := time.Now()
	last := began
	first := before
	peaks := map[string]carried{}
	facts := telemetry.NetworkFacts(ctx, host)
	ticker := time.NewTicker(flags.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // being interrupted is how watching ends
		case <-ticker.C:
		}
		now, err := telemetry.Interfaces(ctx, host)
		if err != nil {
			return err
		}
		at := time.Now()
		c := crossing{Seconds: at.Sub(began).Seconds(), Facts: facts}
		for _, f := range now {
			one := carry(f, before, at.Sub(last).Seconds())
			whole := carry(f, first, at.Sub(began).Seconds())
			one.AverageIn, one.AverageOut = whole.In, whole.Out
			peak := peaks[f.Name]
			one.PeakIn, one.PeakOut = max(peak.PeakIn, one.In), max(peak.PeakOut, one.Out)
			peaks[f.Name] = one
			c.Interfaces = append(c.Interfaces, one)
		}
		if err := c.print(env.Stdout, flags); err != nil || !flags.watch {
			return err
		}
		before, last, facts = now, at, nil
	}
}

// carry is what an interface carried in so many seconds since before.
func carry(f telemetry.Interface, before []telemetry.Interface, seconds float64) carried {
	one := carried{Interface: f}
	at := slices.IndexFunc(before, func(b telemetry.Interface) bool { return b.Name == f.Name })
	if at < 0 || seconds <= 0 {
		return one // it has only just come
	}
	rate := func(now, then float64) float64 { return max(0, now-then) / seconds }
	one.In, one.Out = rate(f.Received, before[at].Received), rate(f.Sent, before[at].Sent)
	one.InPackets, one.OutPackets = rate(f.PacketsIn, before[at].PacketsIn), rate(f.PacketsOut, before[at].PacketsOut)
	return one
}

func (c crossing) print(w io.Writer, flags netFlags) error {
	if flags.asJSON {
		return printJSON(w, c)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "after %.1f s\n", c.Seconds)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "INTERFACE\tSTATE\tLINK\tMTU\tPCIe\tNUMA\tIN\tOUT\tPACKETS\tPEAK IN\tOUT\tTOTAL IN\tOUT\tDROPPED\tERRORS")
	rate := func(v float64) string { return unit.Format(v, unit.BytePerSecond) }
	for _, f := range c.Interfaces {
		link := "-"
		if f.Speed != nil {
			link = fmt.Sprintf("%g Gbit/s", *f.Speed*8/1e9)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%.0f/s\t%s\t%s\t%s\t%s\t%.0f\t%.0f\n", f.Name, f.State, link, f.MTU, lanes(f), known(f.Node),
			rate(f.In), rate(f.Out), f.InPackets+f.OutPackets, rate(f.PeakIn), rate(f.PeakOut),
			unit.Format(f.Received, unit.Byte), unit.Format(f.Sent, unit.Byte), f.Dropped, f.Errors)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Facts)) {
		fmt.Fprintf(&b, "%s: %v\n", name, c.Facts[name])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func lanes(f carried) string {
	if f.Lanes == nil {
		return "-"
	}
	if f.LanesMost != nil && *f.LanesMost > *f.Lanes {
		return fmt.Sprintf("x%d of x%d", *f.Lanes, *f.LanesMost)
	}
	return fmt.Sprintf("x%d", *f.Lanes)
}

func known(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}
