// Command truth holds real runs against a server that shares no line with assay: a
// program in C (native/server.c) that logs when it received each request and wrote each
// event. assay run measures it with the client on some cores and the server on another;
// the sealed bundle is joined with the log, request by request and event by event, and
// what the client got wrong is printed, with the error that the run itself printed. A
// plain client in C (native/client.c) and vllm-bench's client in Rust do the same work
// beside it.
//
//	truth fidelity     closed loops: TTFT, turnaround, stamps, gaps; make bench-fidelity
//	truth pacer        open loops: how late requests leave; make bench-pacer
//	truth own-error    how often the printed own error bounds the true one; make bench-own-error
//	truth honest       honest runs on quiet and busy hosts: what is refused, quoted and gated; make bench-honest
//	truth generators   requests and events per second of one and of several load generators; make bench-generators
//
// It runs assay as its users do and reads what a bundle says. It is no part of the product,
// and its figures mean something on a quiet machine only.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are what to measure, with what and where.
type options struct {
	assay, server string
	client, peer  string // empty leaves them out

	clientCores int // 0 pins nothing, and the server sleeps when it can

	users    []int
	parts    []int // load generators
	servers  int   // that share one port, each on a core of its own
	rates    []float64
	launches int
	duration time.Duration
	warmup   time.Duration
	runs     int
	answer   schedule
	policy   string        // GatePolicy, a file
	keep     string        // folder for the bundles; empty throws them away
	address  string        // that the server listens on; empty means loopback
	load     string        // more fields of the spec's load; empty means none
	lanes    int           // runs of honest at a time; 0 has the machine to itself
	atMost   time.Duration // that honest begins new pairs; 0 makes all
	engine   string        // command of a real one, for honest; empty leaves it out
	model    string        // that it serves

	target  target       // the zero value is the server in C
	running *truthServer // that stays; nil has one started for each run
}

// A schedule is what the server does with a request.
type schedule struct {
	ttft, gap time.Duration
	tokens    int
	jitter    float64
	seed      uint64 // of the jitter
}

// length is how long one answer takes.
func (s schedule) length() time.Duration { return s.ttft + time.Duration(s.tokens-1)*s.gap }

// benchmarks are what the command measures, by name.
var benchmarks = map[string]func(context.Context, options) error{
	"fidelity": fidelity, "pacer": pacer, "own-error": ownError, "generators": generators, "honest": honest,
}

func main() {
	log.SetFlags(0)
	o, run, err := read(os.Args[1:])
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, o)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// read understands the command line.
func read(args []string) (o options, run func(context.Context, options) error, err error) {
	if len(args) == 0 || benchmarks[args[0]] == nil {
		return o, nil, fmt.Errorf("want fidelity, pacer, own-error, generators or honest, got %q", args)
	}
	f := flag.NewFlagSet("truth "+args[0], flag.ContinueOnError)
	f.StringVar(&o.assay, "assay", "bin/assay", "the program that is measured")
	f.StringVar(&o.server, "server", "bin/truth-server", "the truth server")
	f.StringVar(&o.client, "client", "", "the plain client in C, to run beside assay")
	f.StringVar(&o.peer, "vllm-bench", "", "vllm-bench, to run beside assay")
	f.IntVar(&o.clientCores, "client-cores", 4, "cores of the client; the server has one more. 0 pins neither")
	f.Func("users", "closed loops, such as 100,1000", list(&o.users, strconv.Atoi))
	f.Func("rates", "open loops in requests per second, such as 1000,5000", list(&o.rates, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }))
	f.Func("generators", "numbers of load generators, such as 1,2,4", list(&o.parts, strconv.Atoi))
	f.IntVar(&o.servers, "servers", 1, "of generators, truth servers behind one port, each on a core of its own")
	f.IntVar(&o.launches, "launches", 3, "launches of each run")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "how long each launch is measured")
	f.DurationVar(&o.warmup, "warmup", 3*time.Second, "warm-up of each launch")
	f.IntVar(&o.runs, "runs", 40, "runs of own-error and honest")
	f.DurationVar(&o.answer.ttft, "ttft", 50*time.Millisecond, "when the server sends its first event")
	f.DurationVar(&o.answer.gap, "gap", 10*time.Millisecond, "time between two events")
	f.IntVar(&o.answer.tokens, "tokens", 100, "events of an answer")
	f.Float64Var(&o.answer.jitter, "jitter", 0, "sigma of the lognormal distribution of TTFT and gaps; 0 keeps them equal")
	f.Uint64Var(&o.answer.seed, "seed", 1, "seed of the jitter")
	f.StringVar(&o.policy, "policy", "examples/gate/pull-request.yaml", "of honest: what a system is gated with itself by")
	f.IntVar(&o.lanes, "lanes", 0, "of honest, runs at a time, each with two cores of its own; 0 makes one after the other on the whole machine")
	f.DurationVar(&o.atMost, "at-most", 0, "of honest, begin no pair after this long; 0 makes all")
	f.StringVar(&o.engine, "engine", "", "of honest, command that serves a real model, such as 'python3 tests/truth/engine/stamped_serve.py --continuous-batching'; it is measured beside the others")
	f.StringVar(&o.model, "model", "", "folder of the model that the engine serves")
	f.StringVar(&o.keep, "keep", "", "folder for bundles and logs; without it they are thrown away")
	f.StringVar(&o.load, "load", "", "more fields of the spec's load, such as 'readerWait: sleep'")
	return o, benchmarks[args[0]], f.Parse(args[1:])
}

// list reads numbers with commas between them.
func list[T any](to *[]T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		*to = nil
		for one := range strings.SplitSeq(text, ",") {
			v, err := parse(one)
			if err != nil {
				return err
			}
			*to = append(*to, v)
		}
		return nil
	}
}
