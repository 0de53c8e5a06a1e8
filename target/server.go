package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"assay/child"
	"assay/secret"
)

// A ServerConfig says how to start the system under test.
type ServerConfig struct {
	Command  []string
	Env      []string // "NAME=value", added to ours
	Dir      string
	Place    child.Place // where it may run
	ReadyURL string      // answers 200 when the server is ready
	TLS      *tls.Config

	ReadyTimeout, ReadyInterval, StopTimeout time.Duration

	// await waits for another sign of readiness than an answer of ReadyURL.
	await func(ctx context.Context, exited <-chan struct{}) error

	// Reached is called with how far the start has got and when. Nil means nobody listens.
	Reached func(Stage)

	// heartbeat is how long a program that sends heartbeats may be silent. Zero
	// means heartbeatLimit.
	heartbeat time.Duration
}

// A Stage is one step of a server's start.
type Stage struct {
	Name string // Started, Listening or Ready
	At   time.Time

	// Missed is when we last looked and had not found it, so that it happened
	// between then and At. Zero where the first look found it.
	Missed time.Time
}

// The stages of a start, in order.
const (
	Started   = "started"   // the process is about to begin
	Listening = "listening" // its port takes connections
	Ready     = "ready"     // its readiness page answers 200
)

// A Server is a system under test that assay started.
type Server struct {
	cmd    *exec.Cmd
	cfg    ServerConfig
	exited chan struct{} // closed when the process has ended
	err    error         // how it ended; set before exited is closed
}

// StartServer starts the server, writes what it prints to log and returns when
// it is ready. A server that does not become ready is stopped again.
func StartServer(ctx context.Context, cfg ServerConfig, log io.Writer) (*Server, error) {
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(), cfg.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = child.Bound()
	cmd.WaitDelay = cfg.StopTimeout
	s := &Server{cmd: cmd, cfg: cfg, exited: make(chan struct{})}
	started := make(chan error, 1)
	begun := make(chan time.Time, 1)
	go func() { // ends with the process; Stop waits for it
		// The kernel ends the server when the thread that started it ends, not
		// when the process does. This thread lives as long as the server.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		begun <- time.Now()
		err := cfg.Place.Start(cmd)
		started <- err
		if err == nil {
			s.err = cmd.Wait()
			close(s.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start target.server.command %q: %w", cfg.Command[0], err)
	}
	s.reached(Stage{Name: Started, At: <-begun})
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) reached(stage Stage) {
	if s.cfg.Reached != nil {
		s.cfg.Reached(stage)
	}
}

// portInterval is how often we look whether the port is open. A refused
// connection costs both sides some ten microseconds.
const portInterval = 5 * time.Millisecond

// ready waits until the port is open and then until the server answers.
func (s *Server) ready(ctx context.Context) error {
	if s.cfg.await != nil {
		return s.cfg.await(ctx, s.exited)
	}
	page, err := url.Parse(s.cfg.ReadyURL)
	if err != nil {
		return fmt.Errorf("target.server.ready: %w", err)
	}
	deadline := time.NewTimer(s.cfg.ReadyTimeout)
	defer deadline.Stop()
	patience := max(s.cfg.ReadyInterval, time.Second)
	dialer := net.Dialer{Timeout: patience}
	err = s.await(ctx, deadline, Listening, min(portInterval, s.cfg.ReadyInterval), func() error {
		conn, err := dialer.DialContext(ctx, "tcp", hostPort(page))
		if err == nil {
			conn.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	// A transport of its own: no proxy of the environment, no connection kept.
	client := &http.Client{CheckRedirect: secret.SameHost, Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: s.cfg.TLS}}
	return s.await(ctx, deadline, Ready, s.cfg.ReadyInterval, func() error {
		resp, err := client.Get(s.cfg.ReadyURL)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %s", resp.Status)
		}
		return nil
	})
}

// await looks now and then until look succeeds, and says when it did.
func (s *Server) await(ctx context.Context, deadline *time.Timer, stage string, every time.Duration, look func() error) error {
	var missed time.Time
	for {
		began := time.Now()
		last := look()
		if last == nil {
			s.reached(Stage{Name: stage, At: time.Now(), Missed: missed})
			return nil
		}
		missed = began
		select {
		case <-time.After(every):
		case <-s.exited:
			return fmt.Errorf("the server ended before it was ready (%v): see its log in the bundle", s.err)
		case <-deadline.C:
			return fmt.Errorf("the server was not ready within %v: last answer of %s: %w", s.cfg.ReadyTimeout, s.cfg.ReadyURL, last)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Exited is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Err says how the process ended. It may be called once Exited is closed.
func (s *Server) Err() error {
	if s.err == nil {
		return errors.New("the server ended by itself with exit code 0")
	}
	return fmt.Errorf("the server ended by itself: %w", s.err)
}

// Stop asks the server to end, and kills its whole process group when it has not
// done so within the stop timeout. It returns when the process is gone.
func (s *Server) Stop() error {
	group := -s.cmd.Process.Pid
	if err := syscall.Kill(group, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop server: %w", err)
	}
	select {
	case <-s.exited:
	case <-time.After(s.cfg.StopTimeout):
	}
	// Children that outlived their parent are ended as well.
	if err := syscall.Kill(group, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill server: %w", err)
	}
	<-s.exited
	return nil
}
