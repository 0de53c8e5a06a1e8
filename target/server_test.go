package target

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func startSleeper(t *testing.T, command ...string) (*Server, error) {
	t.Helper()
	ready := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(ready.Close)
	return StartServer(t.Context(), ServerConfig{
		Command: command, ReadyURL: ready.URL,
		ReadyTimeout: 10 * time.Second, ReadyInterval: 10 * time.Millisecond, StopTimeout: time.Second,
	}, &bytes.Buffer{})
}

// Servers outlive the threads that asked for them: those that read and pace are
// locked and end with their work, and any of them may have started the server.
// Several at once, since the program's first thread never ends.
func TestServerOutlivesThreads(t *testing.T) {
	servers := make([]*Server, 4)
	var callers, locked sync.WaitGroup
	locked.Add(len(servers))
	for i := range servers {
		callers.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends here
			locked.Done()
			locked.Wait()
			var err error
			if servers[i], err = startSleeper(t, "sleep", "60"); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	time.Sleep(100 * time.Millisecond)
	for i, s := range servers {
		if s == nil {
			continue
		}
		select {
		case <-s.Exited():
			t.Errorf("server %d: %v", i, s.Err())
		default:
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// A server that ignores the request to end is killed, with its children.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	s, err := startSleeper(t, "sh", "-c", "trap '' TERM; sleep 60 & sleep 60; sleep 60")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	begin := time.Now()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("stopping took %v, want little more than the second it was given", took)
	}
}

func TestServerThatIsNoProgram(t *testing.T) {
	if _, err := startSleeper(t, "does-not-exist"); err == nil || !strings.Contains(err.Error(), "does-not-exist") {
		t.Errorf("error %v does not name the program", err)
	}
}

// The stages of a start are told in order, with the time of the last look that
// did not find them.
func TestServerStages(t *testing.T) {
	asked := 0
	ready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer ready.Close()
	var got []Stage
	begin := time.Now()
	s, err := StartServer(t.Context(), ServerConfig{
		Command: []string{"sleep", "60"}, ReadyURL: ready.URL,
		ReadyTimeout: 10 * time.Second, ReadyInterval: 20 * time.Millisecond, StopTimeout: time.Second,
		Reached: func(stage Stage) { got = append(got, stage) },
	}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if len(got) != 3 || got[0].Name != Started || got[1].Name != Listening || got[2].Name != Ready {
		t.Fatalf("stages %+v, want started, listening and ready", got)
	}
	for _, stage := range got {
		if stage.At.Before(begin) {
			t.Errorf("%s was reached at %v, before %v", stage.Name, stage.At, begin)
		}
		begin = stage.At
	}
	if !got[1].Missed.IsZero() {
		t.Errorf("an open port was missed at %v", got[1].Missed)
	}
	if late := got[2].At.Sub(got[2].Missed); got[2].Missed.IsZero() || late < 20*time.Millisecond {
		t.Errorf("ready was missed %v before, want at least the pause between looks", late)
	}
}
