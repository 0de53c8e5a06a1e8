package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/analysis/hardware"
	"assay/plan"
	"assay/probe"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// netFlags are the options of assay net.
type netFlags struct {
	serve      string
	interfaces bool
	watch      bool
	duration   time.Duration
	interval   time.Duration
	streams    int
	asJSON     bool
}

func netCommand(env Env) *cobra.Command {
	var flags netFlags
	cmd := &cobra.Command{
		Use:   "net [HOST[:PORT]]",
		Short: "Measure the network to a host, and watch interfaces",
		Long: `Net measures TCP between two hosts: throughput both ways, round trips, what was
sent again, MTU. The other host runs assay net --serve; without a HOST this one
answers itself over loopback.

--interfaces prints what each interface of this host carries, and how it is
attached: link speed, MTU, PCIe lanes, NUMA node, RDMA devices, NVLink and the way
between GPUs and network cards. With --watch it goes on until it is interrupted.

A serving host prints a secret and answers only those who know it; give it to the
other side in ` + probe.EnvSecret + `. With that variable set, the serving host takes its secret
from there and prints none.`,
		Example: `  assay net --serve :7077          # on node2: prints a secret
  ` + probe.EnvSecret + `=SECRET assay net node2 --streams 4
  assay net --interfaces --watch`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && (flags.serve != "" || flags.interfaces) {
				return usageError(fmt.Errorf("got %q: want one host, or --serve, or --interfaces", strings.Join(args, " ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.watch && !flags.interfaces:
				return usageError(fmt.Errorf("--watch: want it with --interfaces"))
			case flags.duration < flags.interval || flags.interval <= 0:
				return usageError(fmt.Errorf("--interval %v of --duration %v: want at least one interval", flags.interval, flags.duration))
			case flags.streams < 1:
				return usageError(fmt.Errorf("--streams %d: want at least 1", flags.streams))
			case flags.serve != "":
				return serveNet(cmd.Context(), env, flags.serve)
			case flags.interfaces:
				return showInterfaces(cmd.Context(), env, flags)
			}
			host := ""
			if len(args) == 1 {
				host = args[0]
			}
			return measureNet(cmd.Context(), env, host, flags)
		},
	}
	cmd.Flags().StringVar(&flags.serve, "serve", "", "answer others at this address, such as :7077, until interrupted")
	cmd.Flags().BoolVar(&flags.interfaces, "interfaces", false, "print what the interfaces of this host carry")
	cmd.Flags().BoolVar(&flags.watch, "watch", false, "with --interfaces: again every --interval, until interrupted")
	cmd.Flags().DurationVar(&flags.duration, "duration", 5*time.Second, "how long each direction, and round trips, are measured")
	cmd.Flags().DurationVar(&flags.interval, "interval", 500*time.Millisecond, "time of one rate")
	cmd.Flags().IntVar(&flags.streams, "streams", 1, "parallel connections")
	cmd.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON")
	return cmd
}

func serveNet(ctx context.Context, env Env, at string) error {
	defer env.hold()()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", at)
	if err != nil {
		return usageError(fmt.Errorf("--serve %q: %w: want an address of this host, such as :%s", at, err, probe.DefaultPort))
	}
	fmt.Fprintf(env.Stderr, "serving network probes at %s; interrupt to end\n", listener.Addr())
	secret, told := lookupIn(env)(probe.EnvSecret)
	if !told {
		secret = rand.Text()
		fmt.Fprintf(env.Stderr, "on the other host: %s=%s assay net HOST\n", probe.EnvSecret, secret)
	}
	if err := probe.Serve(ctx, listener, secret); err != nil {
		return fmt.Errorf("serve network probes: %w", errors.Join(err, listener.Close()))
	}
	return nil
}

// A netReport is what assay net says; fields are added, never changed.
type netReport struct {
	Host     string         `json:"host"`
	Link     probe.Link     `json:"link"`
	Streams  int            `json:"streams"`
	Send     netRate        `json:"send"`
	Receive  netRate        `json:"receive"`
	Trip     netTrip        `json:"roundTrip"`
	Wrong    int64          `json:"wrong"`
	Trials   []record.Trial `json:"-"`
	Messages []string       `json:"notes,omitempty"`
}

// A netRate is one direction.
type netRate struct {
	stats.Estimate
	Intervals   []float64 `json:"intervals"`             // bytes per second, one after another
	Retransmits *int64    `json:"retransmits,omitempty"` // null where the other side sent
}

type netTrip struct {
	stats.Estimate
	P99    *float64 `json:"p99,omitempty"`
	Lowest float64  `json:"lowest"`
}

func measureNet(ctx context.Context, env Env, host string, flags netFlags) error {
	defer env.hold()()
	r := netReport{Host: host, Streams: flags.streams}
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	secret, _ := lookupIn(env)(probe.EnvSecret)
	err = probe.Measure(ctx, probe.Setting{
		Secret: secret,
		Micro: plan.Micro{
			Probe: "network", Host: host, Streams: flags.streams, Duration: unit.Duration(flags.duration),
			Replicates: int(flags.duration / flags.interval),
		},
		Epoch: clock.Epoch,
		Trial: func(t record.Trial) {
			if t.Phase == record.Measure {
				r.Trials = append(r.Trials, t)
			}
		},
		Note: func(text string) { r.Messages = append(r.Messages, text) },
		Path: func(l probe.Link) { r.Link = l },
	})
	if err != nil {
		return err
	}
	if err := r.sum(); err != nil {
		return err
	}
	if flags.asJSON {
		err = printJSON(env.Stdout, r)
	} else {
		err = r.write(env.Stdout)
	}
	if err == nil && r.Wrong > 0 {
		return silent(exitVerdict)
	}
	return err
}

// netConfidence is that of every interval here.
const netConfidence = .95

// sum makes rates of the trials.
func (r *netReport) sum() (err error) {
	var trips []float64
	for _, t := range r.Trials {
		r.Wrong += t.Wrong
		seconds := float64(t.End-t.Start) / 1e9
		switch t.Variant {
		case "send":
			r.Send.add(float64(t.Bytes)/seconds, t.Retransmits)
		case "receive":
			r.Receive.add(float64(t.Bytes)/seconds, nil)
		default:
			trips = append(trips, seconds/float64(t.Operations))
		}
	}
	for _, d := range []*netRate{&r.Send, &r.Receive} {
		if d.Estimate, err = hardware.Within(d.Intervals, netConfidence); err != nil {
			return err
		}
	}
	if r.Trip.Estimate, err = hardware.Within(trips, netConfidence); err != nil {
		return err
	}
	slices.Sort(trips)
	r.Trip.Lowest = trips[0]
	if len(trips) >= stats.MinSamples(.99, netConfidence) {
		p99 := stats.OfRank(trips, .99)
		r.Trip.P99 = &p99
	}
	return nil
}

func (d *netRate) add(rate float64, resent *int64) {
	d.Intervals = append(d.Intervals, rate)
	if resent == nil {
		return
	}
	if d.Retransmits == nil {
		d.Retransmits = new(int64)
	}
	*d.Retransmits += *resent
}

func (r *netReport) write(w io.Writer) error {
	fmt.Fprintln(w, r.Link)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range []struct {
		name string
		of   netRate
	}{{"send", r.Send}, {"receive", r.Receive}} {
		resent := "the other side knows what it sent again"
		if d.of.Retransmits != nil {
			resent = fmt.Sprintf("%d segments sent again", *d.of.Retransmits)
		}
		fmt.Fprintf(t, "%s\t%s\t= %.4g Gbit/s\t%d intervals\t%s\n", d.name,
			unit.FormatInterval(d.of.Value, d.of.Interval.Lo, d.of.Interval.Hi, unit.BytePerSecond), d.of.Value*8/1e9, d.of.N, resent)
	}
	p99 := ""
	if r.Trip.P99 != nil {
		p99 = "p99 " + unit.Format(*r.Trip.P99, unit.Second)
	}
	fmt.Fprintf(t, "round trip\t%s\tlowest %s\t%d trips\t%s\n",
		unit.FormatInterval(r.Trip.Value, r.Trip.Interval.Lo, r.Trip.Interval.Hi, unit.Second), unit.Format(r.Trip.Lowest, unit.Second), r.Trip.N, p99)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range []struct {
		name string
		of   netRate
	}{{"send", r.Send}, {"receive", r.Receive}} {
		var list []string
		for _, v := range d.of.Intervals {
			list = append(list, unit.Format(v, unit.BytePerSecond))
		}
		fmt.Fprintf(w, "%s by interval: %s\n", d.name, strings.Join(list, ", "))
	}
	if r.Wrong > 0 {
		fmt.Fprintf(w, "WRONG: %d transfers did not arrive as they were sent\n", r.Wrong)
	}
	return nil
}
