// Package live shows a run to people while it goes on: full-screen in a terminal,
// one line every few seconds elsewhere, and lines of JSON for programs. It draws what watch.Live has counted, twice a
// second; it touches no request, no clock of the measurement and no bundle, and a
// fault of its own ends the view and not the run.
//
// It is not a report: its figures are of the moment, without intervals, and are
// kept nowhere. To show something new, count it in watch.Live, add it to
// watch.Snapshot and give it a line in panels.go and, if a log should have it, in
// plain.go.
package live

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"assay/metric"
	"assay/run"
	"assay/run/watch"
)

// A Mode is how a run is shown.
type Mode string

// The modes of --progress.
const (
	Auto  Mode = "auto"  // TTY in a terminal, Plain elsewhere
	TTY   Mode = "tty"   // full-screen
	Plain Mode = "plain" // lines
	JSON  Mode = "json"  // lines for programs
	None  Mode = "none"  // nothing
)

// Modes lists every mode.
var Modes = []Mode{Auto, TTY, Plain, JSON, None}

// Options says how and where a run is shown.
type Options struct {
	Mode     Mode          // empty means Auto
	Interval time.Duration // between two lines of Plain; zero means 5 s

	Out     io.Writer // where it is shown; required
	In      io.Reader // where keys come from; nil, or anything but a terminal, means none
	Environ []string  // as os.Environ

	// Count has the run counted although nothing is shown: others publish it.
	Count bool

	// Abort cancels the run when the person at the terminal has asked for it twice.
	// Nil means that the keys cannot do that.
	Abort func(cause error)
}

// leastInterval keeps a log readable.
const leastInterval = 100 * time.Millisecond

// Validate says what is wrong with o.
func (o Options) Validate() error {
	if o.Mode != "" && !slices.Contains(Modes, o.Mode) {
		return fmt.Errorf("--progress: got %q, want auto, tty, plain, json or none", o.Mode)
	}
	if o.Interval != 0 && o.Interval < leastInterval {
		return fmt.Errorf("--progress-interval: got %v, want at least %v", o.Interval, leastInterval)
	}
	if o.Mode == TTY && !terminal(o.Out) {
		return fmt.Errorf("--progress tty: standard error is not a terminal; want auto or plain")
	}
	return nil
}

// A Watch is a run being shown.
type Watch struct {
	// Live is what the run is to count in; nil when nothing is shown.
	Live *watch.Live

	opts Options
	end  chan struct{} // closed by Stop
	once sync.Once
	work sync.WaitGroup

	mu    sync.Mutex
	lines bool // progress is written as lines
}

// Begin shows a run from now until Stop.
func Begin(o Options) (*Watch, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Interval == 0 {
		o.Interval = 5 * time.Second
	}
	w := &Watch{opts: o, end: make(chan struct{})}
	mode := o.mode()
	if mode != None || o.Count {
		w.Live = &watch.Live{Gauge: metric.ServerLevel}
	}
	if mode == None {
		return w, nil
	}
	w.lines = mode == Plain
	if mode == JSON {
		w.work.Go(w.tell)
		return w, nil
	}
	w.work.Go(func() {
		if mode == TTY {
			err := w.draw()
			if err == nil {
				return // by Stop
			}
			w.mu.Lock()
			w.lines = true
			w.mu.Unlock()
			fmt.Fprintf(o.Out, "the live view ended by itself (%v); the run goes on, reported line by line\n", err)
		}
		w.follow()
	})
	return w, nil
}

// Stop ends the view and gives the terminal back. It may be called more than once.
func (w *Watch) Stop() {
	w.once.Do(func() { close(w.end) })
	w.work.Wait()
}

// Progress writes a step of the run where lines are wanted. It is the Progress of
// run.Options.
func (w *Watch) Progress(p run.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lines {
		fmt.Fprintln(w.opts.Out, step(p, time.Now()))
	}
}

// mode settles what Auto means.
func (o Options) mode() Mode {
	if o.Mode != Auto && o.Mode != "" {
		return o.Mode
	}
	// Programs that collect logs set CI; Emacs and old serial lines have dumb
	// terminals.
	if !terminal(o.Out) || set(o.Environ, "CI") || value(o.Environ, "TERM") == "dumb" || value(o.Environ, "TERM") == "" {
		return Plain
	}
	if !foreground(o.Out) {
		return Plain
	}
	return TTY
}

// terminal reports whether f is one.
func terminal(f any) bool {
	file, ok := f.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(file.Fd())
}

func value(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			return v
		}
	}
	return ""
}

func set(environ []string, name string) bool {
	v := value(environ, name)
	return v != "" && v != "false" && v != "0"
}
