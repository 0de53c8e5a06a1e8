package live

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"assay/run/watch"
)

// ErrAborted is why a run ends that was aborted from the keyboard.
var ErrAborted = errors.New("aborted from the keyboard")

const (
	// every is how often the view looks: twice a second is as fast as figures can be
	// read.
	every = 500 * time.Millisecond

	// frames per second bound how soon a key shows, and how often the renderer wakes.
	frames = 5

	// patience is how long the first press of q waits for the second.
	patience = 3 * time.Second
)

// draw shows the run full-screen until Stop. An error means that the view ended by
// itself: the terminal has been given back.
func (w *Watch) draw() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	m := &model{take: w.Live.Snapshot, abort: w.opts.Abort, screen: screen{look: lookFor(w.opts.Environ), width: 80, height: 24}}
	options := []tea.ProgramOption{
		tea.WithOutput(w.opts.Out), tea.WithEnvironment(w.opts.Environ), tea.WithFPS(frames),
		tea.WithoutSignalHandler(), // signals are the command's, as without a view
		tea.WithInput(nil),
	}
	if terminal(w.opts.In) && w.opts.Abort != nil {
		options = append(options, tea.WithInput(w.opts.In))
		m.keys = true
	}
	return w.show(tea.NewProgram(m, options...), m)
}

// show runs the program until Stop.
func (w *Watch) show(program *tea.Program, m *model) error {
	over := make(chan struct{})
	quit := make(chan struct{})
	go func() { // ends with the program or with Stop
		defer close(quit)
		select {
		case <-w.end:
			program.Quit()
		case <-over:
		}
	}()
	_, err := program.Run()
	close(over)
	<-quit
	if err == nil && m.broken != nil {
		err = m.broken
	}
	return err
}

// A model is the state of the view.
type model struct {
	screen
	take     func() watch.Snapshot
	abort    func(error)
	keys     bool // somebody can press them
	snapshot watch.Snapshot
	page     page
	asked    time.Time // when q was pressed first
	aborting bool
	broken   error // what the view stumbled over
}

// A page is what the screen shows.
type page int

const (
	overview page = iota
	logPage
	helpPage
)

// looked is a snapshot that was taken, or why there is none.
type looked struct {
	snapshot watch.Snapshot
	failed   error
}

var _ tea.Model = (*model)(nil)

// Init takes the first look.
func (m *model) Init() tea.Cmd {
	return func() tea.Msg { return m.looks() }
}

// looks takes a snapshot; it runs beside Update.
func (m *model) looks() (l looked) {
	defer func() {
		if r := recover(); r != nil {
			l.failed = fmt.Errorf("panic: %v", r)
		}
	}()
	return looked{snapshot: m.take()}
}

// Update takes in a key, a size or a snapshot. A fault of ours ends the view.
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.broken = fmt.Errorf("panic: %v", r)
			next, cmd = m, tea.Quit
		}
	}()
	if m.broken != nil {
		return m, tea.Quit
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			m.width, m.height = msg.Width, msg.Height
		}
	case looked:
		if m.broken = msg.failed; m.broken != nil {
			return m, tea.Quit
		}
		m.snapshot = msg.snapshot
		if !m.asked.IsZero() && time.Since(m.asked) > patience {
			m.asked = time.Time{}
		}
		return m, tea.Tick(every, func(time.Time) tea.Msg { return m.looks() })
	case tea.KeyPressMsg:
		m.press(msg.String())
	}
	return m, nil
}

func (m *model) press(key string) {
	switch key {
	case "q", "Q", "ctrl+c":
		switch {
		case m.aborting:
		case !m.asked.IsZero() && time.Since(m.asked) <= patience:
			m.aborting = true
			m.abort(ErrAborted)
		default:
			m.asked = time.Now()
		}
		return
	case "?", "h":
		m.turn(helpPage)
	case "l":
		m.turn(logPage)
	case "esc", "enter":
		m.page = overview
	}
	m.asked = time.Time{}
}

// turn shows a page, or the overview when it is shown already.
func (m *model) turn(p page) {
	if m.page == p {
		p = overview
	}
	m.page = p
}

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView(m.guarded(m.frame))
	v.AltScreen, v.DisableBracketedPasteMode = true, true
	return v
}

// guarded draws; should that fail, the next Update ends the view.
func (m *model) guarded(draw func() string) (text string) {
	defer func() {
		if r := recover(); r != nil {
			m.broken = fmt.Errorf("panic: %v", r)
			text = "the live view failed; the run goes on"
		}
	}()
	return draw()
}

// frame is the whole screen: no line is longer than it, and the last is the foot.
func (m *model) frame() string {
	c := m.screen
	c.height = max(1, m.height-1)
	var lines []string
	switch m.page {
	case overview:
		lines = c.body(m.snapshot)
	case logPage:
		lines = c.log(m.snapshot.Log, c.height)
	case helpPage:
		lines = strings.Split(help, "\n")
	}
	for len(lines) < c.height {
		lines = append(lines, "")
	}
	lines = append(lines[:c.height], m.foot())
	for i, l := range lines {
		lines[i] = ansi.Truncate(c.finish(l), c.width, "")
	}
	return strings.Join(lines, "\n")
}

func (m *model) foot() string {
	switch {
	case m.aborting:
		return paint(reversed, " aborting: what was recorded is being sealed ")
	case !m.asked.IsZero():
		return paint(reversed, " Abort the run? Press q again within 3 s; what was recorded is sealed as aborted. ")
	case !m.keys:
		return paint(blueText, "no keyboard here: interrupt the program to abort the run")
	}
	return paint(blueText, "q twice: abort · l: log · ?: help")
}

// help explains the keys and the figures.
const help = `Keys
  q or ctrl-c   abort: press twice within 3 s; the bundle is sealed as aborted
  l             the whole log, and back
  ?             this page, and back

Figures are of the moment and without intervals; the report has both.
  offered    calls begun in a second, over the last ten seconds
  answered   answers without a fault in a second, over the last ten seconds
  in flight  calls begun whose answer has not been recorded yet
  latency    of the measured window so far, from when a call was due, within 1 %;
             before the window of the warm-up; – where there are too few answers
  objective  those of the spec (--slo), at the point under way
  finished   points that are over, by launch
  by second  median TTFT, answers and output tokens of the requests that ended in
             each second, from zero to the largest, newest on the right
  steady     the last third of the window's seconds against the third before, at
             most a minute; the report judges by every request
  client     by the limits of the check client-limit, in this launch so far
  left       what the plan expects of the points to come, and what starting took`
