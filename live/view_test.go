package live

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"assay/plan"
	"assay/run"
	"assay/run/watch"
)

// press types keys into a model.
func press(m *model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		if k == "ctrl+c" {
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		m.Update(msg)
	}
}

func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var aborted []error
		fresh := func() *model {
			return &model{screen: screen{look{}, 80, 24}, keys: true, snapshot: scene(), abort: func(err error) { aborted = append(aborted, err) }}
		}
		m := fresh()
		press(m, "q")
		if len(aborted) != 0 || !strings.Contains(m.frame(), "Press q again within 3 s") {
			t.Errorf("one press of q: %v\n%s", aborted, m.foot())
		}
		time.Sleep(patience + time.Millisecond)
		m.Update(looked{snapshot: scene()})
		if strings.Contains(m.frame(), "Press q again") {
			t.Error("the question stays for ever")
		}
		press(m, "q", "l", "q") // something else in between takes it back
		if len(aborted) != 0 {
			t.Errorf("aborted by q, l, q: %v", aborted)
		}
		press(m, "ctrl+c", "q", "q")
		if len(aborted) != 1 || !errors.Is(aborted[0], ErrAborted) || !strings.Contains(m.foot(), "being sealed") {
			t.Errorf("aborted %v, %s; want once", aborted, m.foot())
		}
	})
	m := &model{screen: screen{look{}, 80, 24}, snapshot: scene(), keys: true}
	f := func(key, want string) {
		t.Helper()
		press(m, key)
		if !strings.Contains(m.frame(), want) {
			t.Errorf("after %s: want %q in\n%s", key, want, m.frame())
		}
	}
	f("?", "press twice within 3 s")
	f("?", "in flight 1,012")
	f("l", "launch 1: rate=50")
	f("l", "in flight 1,012")
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	if n := strings.Count(m.frame(), "\n"); n != 29 || m.width != 100 {
		t.Errorf("after a resize %d lines of %d columns", n+1, m.width)
	}
}

// A buffer is written by the program and read by the test.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// eventually waits until there is text in b.
func (b *buffer) eventually(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(b.String(), text) {
			return
		}
	}
	t.Fatalf("never saw %q in %q", text, b.String())
}

// A program draws what it sees, and what changes.
func TestProgram(t *testing.T) {
	var out buffer
	w := &Watch{Live: &watch.Live{}, end: make(chan struct{}), opts: Options{Out: &out}}
	w.Live.Begin(plan.Plan{Name: "headless", Launches: []plan.Launch{{}}}, nil)
	m := &model{screen: screen{look{}, 80, 24}, take: w.Live.Snapshot}
	program := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(&out), tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm"}), tea.WithoutSignalHandler())
	ended := make(chan error)
	go func() { ended <- w.show(program, m) }()
	out.eventually(t, "headless")
	w.Live.Tell("something happened")
	out.eventually(t, "something happened")
	w.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the terminal was not given back")
	}
}

// A fault of the view is no fault of the run: the program ends, the terminal is
// given back, and the story goes on in lines.
func TestPanic(t *testing.T) {
	f := func(name string, take func() watch.Snapshot, keys ...string) {
		t.Helper()
		var out buffer
		w := &Watch{end: make(chan struct{}), opts: Options{Out: &out}}
		m := &model{screen: screen{look{}, 80, 24}, take: take}
		program := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(&out), tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm"}), tea.WithoutSignalHandler())
		ended := make(chan error, 1)
		go func() { ended <- w.show(program, m) }()
		for _, k := range keys {
			program.Send(tea.KeyPressMsg{Text: k, Code: []rune(k)[0]})
		}
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "panic") {
				t.Errorf("%s: error %v, want the panic", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the program goes on", name)
		}
		if s := out.String(); strings.Contains(s, "\x1b[?1049h") && !strings.Contains(s, "\x1b[?1049l") {
			t.Errorf("%s: the terminal was not given back: %q", name, s)
		}
	}
	f("looking", func() watch.Snapshot { panic("on purpose") })
	f("pressing", scene, "q", "q") // this model has nothing to abort

	m := &model{screen: screen{look{}, 80, 24}, snapshot: scene()}
	if text := m.guarded(func() string { panic("on purpose") }); m.broken == nil || !strings.Contains(text, "the run goes on") {
		t.Errorf("drawing: %v\n%s", m.broken, text)
	}
	if _, cmd := m.Update(looked{}); cmd == nil {
		t.Error("drawing: the view goes on")
	}
}

func TestModes(t *testing.T) {
	f := func(o Options, want Mode) {
		t.Helper()
		o.Out = &bytes.Buffer{}
		if got := o.mode(); got != want {
			t.Errorf("%+v is %s, want %s", o, got, want)
		}
	}
	f(Options{}, Plain)
	f(Options{Mode: Auto, Environ: []string{"TERM=xterm"}}, Plain)
	f(Options{Mode: None}, None)
	for _, o := range []Options{{Mode: "loud"}, {Interval: time.Millisecond}, {Mode: TTY}} {
		o.Out = &bytes.Buffer{}
		if _, err := Begin(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	w, err := Begin(Options{Mode: None, Out: &bytes.Buffer{}})
	if err != nil || w.Live != nil {
		t.Errorf("none counts all the same: %v, %v", w, err)
	}
	w.Progress(run.Progress{Message: "x"})
	w.Stop()
	w.Stop()
}

func TestLooks(t *testing.T) {
	f := func(ascii bool, environ ...string) {
		t.Helper()
		if got := lookFor(environ); got.ascii != ascii {
			t.Errorf("%v: ascii %v", environ, got.ascii)
		}
	}
	f(true)
	f(true, "LANG=C")
	f(false, "LANG=C.UTF-8")
	f(true, "LANG=de_DE.UTF-8", "LC_ALL=POSIX")
	f(false, "LC_CTYPE=en_US.utf8", "LANG=C")
}

func TestPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		w, err := Begin(Options{Out: &out})
		if err != nil {
			t.Fatal(err)
		}
		w.Live.Begin(plan.Plan{Launches: []plan.Launch{{}}}, nil)
		w.Progress(run.Progress{Launches: 1, Point: "rate=5", Side: "baseline"})
		time.Sleep(11 * time.Second)
		w.Stop()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 || !strings.HasSuffix(lines[0], "launch 1 of 1  baseline  rate=5") || !strings.HasSuffix(lines[2], "preparing  errors 0 of 0") {
			t.Errorf("in 11 s got %q; want a step and a line every 5 s", lines)
		}
	})
}
