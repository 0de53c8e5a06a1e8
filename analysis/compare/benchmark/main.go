// Command benchmark tells simulated engines apart: real runs of assay, in blocks,
// against simulators whose truth is known. Engines that differ by three per cent
// must be told apart with enough blocks, two equal ones must be shown equivalent,
// and with too few blocks nothing is to be concluded. Each start of an engine is
// faster or slower than the last by a factor of its own, as real engines are, so
// the verdicts are those of chance: the table says how often each is to be
// expected. Run it with make bench-compare.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"assay/analysis/compare"
	"assay/stats"
)

// noise is how far starts of one engine differ.
const noise = 0.015

// document is a run of two simulated engines in blocks. Their costs differ by the
// factor that is filled in.
const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: NAME}
spec:
  workload:
    model: sim
    sequenceLengthMix: [{inputTokens: 64, outputTokens: 64, weight: 1}]
  target:
    url: http://127.0.0.1:8121
    server:
      command: [ASSAY, sim, --addr, "127.0.0.1:8121", --launch-noise, "NOISE", --base, 6ms, --per-decode, 50us, --per-prefill-token, 30us]
      ready: {interval: 50ms}
  candidates:
    - name: candidate
      target:
        url: http://127.0.0.1:8122
        server:
          command: [ASSAY, sim, --addr, "127.0.0.1:8122", --launch-noise, "NOISE", --base, BASE, --per-decode, DECODE, --per-prefill-token, PREFILL]
          ready: {interval: 50ms}
  load: {concurrency: [4], duration: DURATION, warmup: {duration: 500ms}, calibrate: false}
  trials: {minReplicates: BLOCKS}
`

// A trial is one run and what it must say.
type trial struct {
	name   string
	effect float64 // of the candidate's costs
	blocks int
	wanted compare.Verdict // empty where chance decides
}

func main() {
	assay := flag.String("assay", "bin/assay", "the program to run")
	blocks := flag.Int("blocks", 24, "blocks that are enough")
	duration := flag.Duration("duration", 2*time.Second, "measured time of each launch")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := benchmark(ctx, *assay, *blocks, *duration)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case !ok:
		fmt.Fprintln(os.Stderr, "a verdict is not the wanted one")
		os.Exit(3)
	}
}

func benchmark(ctx context.Context, assay string, blocks int, duration time.Duration) (ok bool, err error) {
	program, err := filepath.Abs(assay)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "assay-compare-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	ok = true
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "engines\tblocks\tmetric\tratio\tverdict\twanted\tchance of it\twhat would settle it")
	for _, one := range []trial{
		{"3 % slower", .03, 3, ""},
		{"3 % slower", .03, blocks, compare.Worse},
		{"equal", 0, blocks, compare.Equivalent},
	} {
		fmt.Fprintf(os.Stderr, "%s, %d blocks\n", one.name, one.blocks)
		c, err := one.run(ctx, program, dir, duration)
		if err != nil {
			return false, fmt.Errorf("%s, %d blocks: %w", one.name, one.blocks, err)
		}
		if !c.Controlled {
			return false, fmt.Errorf("%s: not controlled: %v", one.name, c.Others)
		}
		for _, row := range c.Rows {
			if !judged[compare.Key(row.Metric, row.Statistic, "")] {
				continue
			}
			ok = ok && (one.wanted == "" || row.Verdict == one.wanted)
			fmt.Fprintf(t, "%s\t%d\t%s\t%.4f [%.4f, %.4f]\t%s\t%s\t%s\t%s\n", one.name, one.blocks, row.Name,
				row.Ratio.Value, row.Ratio.Interval.Lo, row.Ratio.Interval.Hi, row.Verdict, one.wanted, one.chance(), row.Settle)
		}
	}
	return ok, t.Flush()
}

// judged are the figures that the engines' costs decide: what a token costs. The
// time to the first one also depends on where in an iteration a request arrives.
var judged = map[string]bool{"output_throughput.v1": true, "tpot.v1 p50": true}

// primaries is the number of primary metrics that such a run has, over which Holm
// corrects: TTFT, throughput and jitter.
const primaries = 3

// chance is how often the wanted verdict, or inconclusive where there is none, is
// to be expected of the engines' own noise.
func (one trial) chance() string {
	cv, level := noise*1.4142, 0.05/primaries // the ratio of two starts spreads more than each
	switch one.wanted {
	case compare.Equivalent:
		return fmt.Sprintf("%.0f %%", 100*stats.PairedEquivalencePower(cv, 0, compare.DefaultMargin, one.blocks, level))
	case "":
		return fmt.Sprintf("%.0f %% inconclusive", 100*(1-stats.PairedPower(cv, one.effect, one.blocks, level)))
	}
	return fmt.Sprintf("%.0f %%", 100*stats.PairedPower(cv, one.effect, one.blocks, level))
}

// run makes the run and compares its sides.
func (one trial) run(ctx context.Context, program, dir string, duration time.Duration) (compare.Comparison, error) {
	slower := func(d time.Duration) string { return (time.Duration(float64(d) * (1 + one.effect))).String() }
	name := strings.NewReplacer(" ", "-", "%", "percent").Replace(fmt.Sprintf("%s-%d", one.name, one.blocks))
	text := strings.NewReplacer("NAME", name, "ASSAY", program, "NOISE", fmt.Sprintf("%g%%", 100*noise),
		"BASE", slower(6*time.Millisecond), "DECODE", slower(50*time.Microsecond), "PREFILL", slower(30*time.Microsecond),
		"DURATION", fmt.Sprintf("%dms", duration.Milliseconds()), "BLOCKS", fmt.Sprint(one.blocks)).Replace(document)
	spec := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
		return compare.Comparison{}, err
	}
	out := filepath.Join(dir, name)
	if _, err := output(ctx, program, "run", spec, "--out", out); err != nil {
		return compare.Comparison{}, err
	}
	bundles, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(bundles) != 1 {
		return compare.Comparison{}, fmt.Errorf("%d bundles in %s: want one (%v)", len(bundles), out, err)
	}
	data, err := output(ctx, program, "compare", bundles[0], "--json")
	if err != nil {
		return compare.Comparison{}, err
	}
	var r compare.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return compare.Comparison{}, err
	}
	return r.Comparisons[0], nil
}

// output runs the program and returns what it answered.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // servers end with it
	var out, story bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &story
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), args[0], err, story.String())
	}
	return out.Bytes(), nil
}
