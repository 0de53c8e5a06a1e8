package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"assay/live"
)

// progressFlags are how a command shows the run that it carries out.
type progressFlags struct {
	mode     string
	interval time.Duration
}

func (p *progressFlags) register(f *pflag.FlagSet) {
	f.StringVar(&p.mode, "progress", string(live.Auto), "how the run is shown while it goes on: auto, tty (full-screen), plain (lines), json (lines for programs) or none")
	f.DurationVar(&p.interval, "progress-interval", 5*time.Second, "time between two lines of plain or json progress")
}

// begin shows a run on standard error; abort ends it when the person at the
// terminal asks for that. With count the run is counted although nothing is shown.
func (p progressFlags) begin(env Env, abort context.CancelCauseFunc, count bool) (*live.Watch, error) {
	return live.Begin(live.Options{Count: count,
		Mode: live.Mode(p.mode), Interval: p.interval,
		Out: unfiltered(env.Stderr), In: env.Stdin, Environ: env.Environ(), Abort: abort,
	})
}
