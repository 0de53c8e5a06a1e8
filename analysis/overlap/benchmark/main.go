// Command benchmark holds the analysis of training steps against the truth: two
// ranks in network namespaces whose link has a known rate, whose computation is
// known sleeps, and one of which is late, slow, behind a slow link, or in a time
// namespace of its own. Run it with make bench-overlap, as root; it fails when
// exposed communication is more than a tenth off or a verdict is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// options are what to hold against what.
type options struct {
	assay, python string
	steps         int
	only          string
	keep          string
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.assay, "assay", "bin/assay", "the program to hold against the truth")
	flag.StringVar(&o.python, "python", "/usr/bin/python3", "a Python that has torch")
	flag.IntVar(&o.steps, "steps", 15, "measured steps of each case")
	flag.StringVar(&o.only, "only", "", "the letters of the cases to run; empty for all")
	flag.StringVar(&o.keep, "keep", "", "folder to keep the bundles in; empty throws them away")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		log.Fatal("bench-overlap: ", err)
	}
}

func (o options) run(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	dir, err := os.MkdirTemp("", "assay-overlap-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.keep == "" {
		o.keep = dir
	}
	link, err := join(ctx)
	if err != nil {
		return err
	}
	defer link.part()
	out := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, "case\twhat\texposed ms\ttruth ms\toff\tverdict\twanted\t")
	var failed []string
	for _, c := range cases {
		if o.only != "" && !strings.Contains(o.only, c.letter) {
			continue
		}
		got, err := o.measure(ctx, link, c, dir)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.letter, err)
		}
		off := "–"
		ok := got.verdict(c)
		truth := "–"
		if c.symmetric {
			want := c.truth(got.Buckets)
			error := got.Exposed/want - 1
			truth, off = fmt.Sprintf("%.1f", want*1e3), fmt.Sprintf("%+.1f %%", error*100)
			ok = ok && math.Abs(error) <= 0.10
		}
		mark := ""
		if !ok {
			mark, failed = "WRONG", append(failed, c.letter)
		}
		fmt.Fprintf(out, "%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\n", c.letter, c.what, got.Exposed*1e3, truth, off, got.said(), c.wanted(), mark)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("wrong: case %s", strings.Join(failed, ", "))
	}
	return nil
}

// measure runs one case and reads what the analysis says of it.
func (o options) measure(ctx context.Context, l *link, c testCase, dir string) (measured, error) {
	if err := l.shape(ctx, c.rates); err != nil {
		return measured{}, err
	}
	python, err := o.interpreter(dir, c)
	if err != nil {
		return measured{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	runs := filepath.Join(o.keep, "case-"+c.letter)
	args := []string{
		"train", "--python", python, "--device", "cpu", "--ranks", "2", "--family", "mlp", "--layers", fmt.Sprint(layers), "--hidden", fmt.Sprint(width),
		"--emulate-forward", forward.String(), "--emulate-backward", backward.String(), "--bucket", c.bucket, "--steps", fmt.Sprint(o.steps), "--sequence", "1", "--batch", "4",
		"--no-reference", "--namespaces", strings.Join(namespaces[:], ","), "--interface", device, "--progress", "none", "--format", "json", "-o", runs,
	}
	cmd := exec.CommandContext(ctx, o.assay, append(args, c.args...)...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		return measured{}, fmt.Errorf("%w\n%s", err, said)
	}
	return read(runs)
}

// interpreter is the Python of a case. Where rank 1 is to have a clock of its own,
// it is a script that starts that rank in a time namespace.
func (o options) interpreter(dir string, c testCase) (string, error) {
	if !c.skewed {
		return o.python, nil
	}
	path := filepath.Join(dir, "skewed-python")
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$RANK\" = 1 ]; then exec unshare --time --fork --kill-child --monotonic %d -- %s \"$@\"; fi\nexec %s \"$@\"\n", skewSeconds, o.python, o.python)
	return path, os.WriteFile(path, []byte(script), 0o755)
}
