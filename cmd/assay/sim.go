package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/sim"
)

const simLong = `Run a simulated inference engine with a known truth.

It speaks the OpenAI API (chat and text completions, responses, models, health,
vLLM's metrics, tokenize and detokenize) and Anthropic's messages, over HTTP/1.1
and, if asked, HTTP/2 and TLS, and runs until it is interrupted.

Without --ttft, --itl and --tokens it simulates continuous batching over a cost
model. With any of them it answers each request on a fixed schedule: the first
token --ttft after the request was read, the others --itl apart.

A fault is a way to misbehave on the wire: --fault NAME[:RATE] for a share of all
requests, the header "x-assay-fault: NAME" or the model MODEL@NAME for one.
--list-faults shows them.`

// simOptions are the flags of assay sim that are not fields of sim.Config.
type simOptions struct {
	addr        string
	fixed       sim.Fixed
	faults      []string
	answers     string
	launchNoise string
	jitter      string
	truth       string
	log         bool
	json        bool
	attached    bool
	printConfig bool
	listFaults  bool
	tls         bool
	caFile      string
}

func simCommand(env Env) *cobra.Command {
	var cfg sim.Config
	var opts simOptions
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Simulate an inference server with known latencies",
		Long:  simLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.listFaults {
				return listFaults(env.Stdout, opts.json)
			}
			if err := opts.apply(cmd.Flags(), &cfg); err != nil {
				return usageError(err)
			}
			if opts.printConfig {
				return printFlags(env.Stdout, cmd.Flags(), cfg.Fixed != nil)
			}
			return serveSim(cmd.Context(), env, cfg, opts)
		},
	}
	simFlags(cmd.Flags(), &cfg, &opts)
	return cmd
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("got argument %q, want none", args[0]))
	}
	return nil
}

func simFlags(f *pflag.FlagSet, cfg *sim.Config, opts *simOptions) {
	f.StringVar(&opts.addr, "addr", "127.0.0.1:8000", "address to listen on; port 0 picks a free one")
	f.StringVar(&cfg.Model, "model", "sim", "name of the served model")
	f.DurationVar(&opts.fixed.TTFT, "ttft", 50*time.Millisecond, "fixed schedule: request read to first token")
	f.DurationVar(&opts.fixed.ITL, "itl", 10*time.Millisecond, "fixed schedule: between tokens")
	f.IntVar(&opts.fixed.Tokens, "tokens", 100, "fixed schedule: tokens of an answer that is not cut shorter")
	f.DurationVar(&cfg.Engine.Cost.Base, "base", sim.DefaultCost.Base, "engine: time of an empty iteration")
	f.DurationVar(&cfg.Engine.Cost.PerPrefillToken, "per-prefill-token", sim.DefaultCost.PerPrefillToken, "engine: added for each prompt token of an iteration")
	f.DurationVar(&cfg.Engine.Cost.PerDecode, "per-decode", sim.DefaultCost.PerDecode, "engine: added for each sequence that decodes")
	f.DurationVar(&cfg.Engine.Cost.PerKVToken, "per-kv-token", sim.DefaultCost.PerKVToken, "engine: added for each KV-cache token attended to")
	f.IntVar(&cfg.Engine.MaxSequences, "max-seqs", 256, "engine: sequences in a batch")
	f.IntVar(&cfg.Engine.MaxBatchedTokens, "max-batched-tokens", 2048, "engine: token budget of an iteration; longer prompts are prefilled in chunks")
	f.IntVar(&cfg.Engine.MaxQueue, "max-queue", 10000, "engine: sequences that may wait; more are answered 503")
	f.IntVar(&cfg.Engine.KVBlocks, "kv-blocks", 16384, "engine: KV cache in blocks of 16 tokens")
	f.BoolVar(&cfg.Engine.NoPrefixCache, "no-prefix-cache", false, "engine: compute every prompt in full")
	f.IntVar(&cfg.MeanOutput, "mean-output", 256, "engine: mean length of an answer that is not cut shorter, in tokens")
	f.IntVar(&cfg.MaxModelLen, "max-model-len", 32768, "context limit in tokens")
	f.IntVar(&cfg.TokensPerChunk, "tokens-per-chunk", 1, "tokens in one event of a stream")
	f.Uint64Var(&cfg.Seed, "seed", 0, "seed of lengths, words, jitter and faults")
	f.StringVar(&opts.launchNoise, "launch-noise", "1%", "engine: relative deviation of the factor drawn once per start")
	f.Uint64Var(&cfg.LaunchSeed, "launch-seed", 0, "seed of that factor; when not given, taken from process id and time")
	f.StringVar(&opts.jitter, "jitter", "1%", "engine: relative deviation of each iteration's time")
	f.DurationVar(&cfg.StartDelay, "start-delay", 0, "answer 503 for this long first")
	f.DurationVar(&cfg.FirstDelay, "first-delay", 0, "engine: added to the first iteration, as if it compiled")
	f.Float64Var(&cfg.Cold.Factor, "cold-factor", 1, "engine: how much longer the first iteration takes; the surplus falls to nothing over --cold-iterations")
	f.IntVar(&cfg.Cold.Iterations, "cold-iterations", 500, "engine: see --cold-factor")
	f.StringVar(&opts.answers, "answers", "", "script of answers: a JSON object on each line, such as {\"prompt\": \"2 + 2\", \"text\": \"4\"}")
	f.StringArrayVar(&opts.faults, "fault", nil, "misbehave: NAME or NAME:RATE, may be repeated")
	f.DurationVar(&cfg.FaultDelay, "fault-delay", time.Second, "length of stalls and of pauses between dripped bytes")
	f.IntVar(&cfg.Pacers, "pacers", max(1, runtime.GOMAXPROCS(0)/2), "threads that send tokens; each may use a whole processor")
	f.BoolVar(&opts.tls, "tls", false, "secure connections with a certificate made at the start")
	f.StringVar(&opts.caFile, "ca-file", "", "with --tls: write the certificate to trust to this file; by default one in the temporary folder")
	f.BoolVar(&cfg.HTTP2, "http2", false, "speak HTTP/2 beside HTTP/1.1: offered with --tls, by prior knowledge without")
	f.StringVar(&opts.truth, "truth", "", "write what was due and sent to this file, as CSV")
	f.BoolVar(&opts.log, "log", false, "write a line for each request to stdout")
	f.BoolVar(&opts.json, "json", false, "write the address when ready and the totals at the end to stdout as JSON")
	f.BoolVar(&opts.attached, "attached", false, "end when standard input ends, with the program that holds its other end")
	f.BoolVar(&opts.printConfig, "print-config", false, "print every setting as JSON and exit")
	f.BoolVar(&opts.listFaults, "list-faults", false, "print the table of faults and exit")
}

// apply completes cfg from the options.
func (o *simOptions) apply(f *pflag.FlagSet, cfg *sim.Config) error {
	if f.Changed("ttft") || f.Changed("itl") || f.Changed("tokens") {
		cfg.Fixed = &o.fixed
	}
	var errs []error
	share := func(name, text string) float64 {
		v, err := parseShare(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", name, err))
		}
		return v
	}
	cfg.LaunchNoise = share("launch-noise", o.launchNoise)
	cfg.Jitter = share("jitter", o.jitter)
	if err := o.readScript(cfg); err != nil {
		errs = append(errs, err)
	}
	for _, text := range o.faults {
		fault, err := sim.ParseFault(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--fault: %w; assay sim --list-faults explains them", err))
		}
		cfg.Faults = append(cfg.Faults, fault)
	}
	if !f.Changed("launch-seed") {
		cfg.LaunchSeed = uint64(os.Getpid())<<32 ^ uint64(time.Now().UnixNano())
	}
	for _, name := range neverZero {
		if value := f.Lookup(name).Value.String(); value == "0" || value == "0s" {
			errs = append(errs, fmt.Errorf("--%s: got 0, want more", name))
		}
	}
	if cfg.Engine.Cost == (sim.Cost{}) {
		errs = append(errs, errors.New("--base, --per-prefill-token, --per-decode, --per-kv-token: got 0 for all, want one above 0"))
	}
	if o.caFile != "" && !o.tls {
		errs = append(errs, errors.New("--ca-file: want --tls with it"))
	}
	if o.log && o.json {
		errs = append(errs, errors.New("got both --log and --json, want one: both write to stdout"))
	}
	return errors.Join(errs...)
}

// readScript reads --answers.
func (o *simOptions) readScript(cfg *sim.Config) error {
	if o.answers == "" {
		return nil
	}
	file, err := os.Open(o.answers)
	if err != nil {
		return fmt.Errorf("--answers: %w", err)
	}
	defer file.Close()
	if cfg.Script, err = sim.ReadScript(file); err != nil {
		return fmt.Errorf("--answers %s: %w", o.answers, err)
	}
	return nil
}

// neverZero lists the flags for which sim.Config would read zero as "not set".
var neverZero = []string{
	"tokens", "max-seqs", "max-batched-tokens", "max-queue", "kv-blocks",
	"mean-output", "max-model-len", "tokens-per-chunk", "fault-delay", "pacers",
	"cold-factor", "cold-iterations",
}

// parseShare reads "2%" or "0.02".
func parseShare(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("got %q, want a share such as 2%% or 0.02", text)
	}
	if percent {
		v /= 100
	}
	return v, nil
}

// serveSim runs a server until ctx ends.
func serveSim(ctx context.Context, env Env, cfg sim.Config, opts simOptions) (err error) {
	defer env.hold()()
	if opts.attached {
		attached, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx = attached
		go func() { // ends with standard input, or with the program
			defer cancel()
			_, _ = io.Copy(io.Discard, env.Stdin)
		}()
	}
	if opts.log {
		cfg.AccessLog = env.Stdout
	}
	if opts.truth != "" {
		file, createErr := os.Create(opts.truth)
		if createErr != nil {
			return fmt.Errorf("--truth: %w", createErr)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		cfg.Truth = file
	}
	// A sending thread keeps its processor while it spins. Without one more,
	// a server bound to a single core would have none left to read requests.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), cfg.Pacers+1))
	scheme := "http://"
	if opts.tls {
		scheme = "https://"
		removeCA, err := secure(&cfg, &opts)
		if err != nil {
			return err
		}
		defer removeCA()
	}
	server, err := sim.New(cfg)
	if err != nil {
		return usageError(err)
	}
	listener, err := net.Listen("tcp", opts.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("--addr %s: %w", opts.addr, err), server.Close())
	}
	url := scheme + listener.Addr().String()
	fmt.Fprintln(env.Stderr, "listening on", url)
	if opts.tls {
		fmt.Fprintln(env.Stderr, "certificate to trust:", opts.caFile)
	}
	answer := json.NewEncoder(io.Discard)
	if opts.json {
		answer = json.NewEncoder(env.Stdout)
	}
	ready := simReady{url, cfg.Model, os.Getpid(), server.Stats().LaunchFactor, opts.caFile}
	if err := answer.Encode(ready); err != nil {
		return errors.Join(err, listener.Close(), server.Close())
	}
	served := make(chan error, 1) // room for the one result, so the goroutine always ends
	go func() { served <- server.Serve(listener) }()
	select {
	case <-ctx.Done():
		err = server.Close()
		<-served
	case err = <-served:
		err = errors.Join(err, server.Close())
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, answer.Encode(server.Stats()))
}

// printFlags writes every setting by its flag's name, so that the output says
// how to start the same server again. In engine mode the fixed schedule is left
// out: giving any part of it would switch the mode.
func printFlags(w io.Writer, f *pflag.FlagSet, fixed bool) error {
	settings := map[string]any{}
	f.VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "help", "print-config", "list-faults":
			return
		case "ttft", "itl", "tokens":
			if !fixed {
				return
			}
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			settings[flag.Name] = list.GetSlice()
			return
		}
		settings[flag.Name] = flag.Value.String()
	})
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(settings)
}

// A simReady is the first line of sim --json; the totals of sim.Stats are the last.
type simReady struct {
	URL          string  `json:"url"`
	Model        string  `json:"model"`
	PID          int     `json:"pid"`
	LaunchFactor float64 `json:"launch_factor"`
	CAFile       string  `json:"ca_file,omitempty"`
}

// A simFault is one line of sim --list-faults --json.
type simFault struct {
	Name string `json:"name"`
	Case int    `json:"case"`
	Doc  string `json:"doc"`
}

func listFaults(w io.Writer, asJSON bool) error {
	if asJSON {
		var all []simFault
		for _, f := range sim.Faults {
			all = append(all, simFault{f.Name, f.Case, f.Doc})
		}
		return json.NewEncoder(w).Encode(all)
	}
	for _, f := range sim.Faults {
		if _, err := fmt.Fprintf(w, "%-24s %s\n", f.Name, f.Doc); err != nil {
			return err
		}
	}
	return nil
}
