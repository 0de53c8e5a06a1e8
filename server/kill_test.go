package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/judge"
	"assay/server/client"
	"assay/tests/whole"
	"assay/tokens"
	"assay/warehouse"
)

// childMode has the test binary be a server that another test kills.
const childMode = "ASSAY_SERVER_TEST_CHILD"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "run" {
		runChild()
	}
	if dir := os.Getenv(retainMode); dir != "" {
		fmt.Fprintln(os.Stderr, retainChild(dir))
		os.Exit(1)
	}
	if os.Getenv(childMode) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, serveChild(os.Getenv(childMode)))
	os.Exit(1)
}

// serveChild serves a folder until it is killed, and prints its address.
func serveChild(dir string) error {
	ctx := context.Background()
	s, err := New(ctx, Options{Dir: dir, Tokens: tokens.Open(filepath.Join(dir, "tokens.json")), Version: "test", Judge: judge.Options{Version: "test"}, PerSecond: 1e6})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go s.Tend(ctx)
	fmt.Println("http://" + l.Addr().String())
	return s.HTTP().Serve(l)
}

// startChild starts a server and waits until it listens.
func startChild(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return cmd, strings.TrimSpace(line)
}

func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must(t, cmd.Process.Kill())
	var died *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &died) {
		t.Fatalf("the server ended by itself: %v", err)
	}
}

// A server is killed at random moments while bundles are uploaded at the same time. What
// it accepted is there, nothing half can be seen, and after all kills every bundle gets
// there, without being sent from the beginning each time.
func TestKilled(t *testing.T) {
	moments := 5
	switch {
	case whole.Exhaustive():
		moments = 200
	case whole.All():
		moments = 15
	}
	dir := filepath.Join(t.TempDir(), "w")
	secret, token, err := tokens.New("test", tokens.Write, time.Now(), time.Hour)
	must(t, err)
	must(t, tokens.Open(filepath.Join(dir, "tokens.json")).Add(token))
	rng := rand.New(rand.NewPCG(5, 6))
	var accepted sync.Map
	var bundles []string
	digests := map[string]string{}
	for i := range 4 {
		dir := sealed(t, fmt.Sprintf("run-%d", i), "nightly", 1+float64(i)/100)
		r, err := bundle.Verify(dir)
		must(t, err)
		bundles, digests[dir] = append(bundles, dir), r.Digest
	}
	push := func(url, path string, pause time.Duration) error {
		c, err := client.New(url, secret)
		if err != nil {
			return err
		}
		c.Pause = pause
		kept, err := c.Push(t.Context(), path, digests[path])
		if err == nil {
			accepted.Store(kept.Digest, true)
		}
		return err
	}
	for moment := range moments {
		cmd, url := startChild(t, dir)
		var senders sync.WaitGroup
		for _, path := range bundles {
			senders.Go(func() { _ = push(url, path, time.Microsecond) }) // the server is killed: that is the test
		}
		time.Sleep(time.Duration(rng.Int64N(int64(400 * time.Millisecond))))
		end(t, cmd)
		senders.Wait()
		intactAfter(t, dir, &accepted)
		if moment%5 == 4 { // begin anew, so that there is always something to send
			dir = filepath.Join(t.TempDir(), "w")
			must(t, tokens.Open(filepath.Join(dir, "tokens.json")).Add(token))
			accepted.Clear()
		}
	}
	cmd, url := startChild(t, dir)
	defer end(t, cmd)
	for _, path := range bundles {
		if err := push(url, path, time.Second); err != nil {
			t.Errorf("after all kills: %v", err)
		}
	}
	intactAfter(t, dir, &accepted)
}

// intactAfter checks that everything that was accepted is there and verifies, and that so
// does everything that has a name.
func intactAfter(t *testing.T, dir string, accepted *sync.Map) {
	t.Helper()
	begun := time.Now()
	w, err := warehouse.OpenWriter(t.Context(), dir)
	must(t, err)
	defer w.Close()
	t.Logf("open after %v", time.Since(begun).Round(time.Millisecond))
	list, _, err := w.Runs(t.Context(), warehouse.RunFilter{})
	must(t, err)
	known := map[string]bool{}
	for _, run := range list {
		known[run.Digest] = true
		place, there := w.Held(run.Digest)
		if r, err := bundle.Verify(place); !there || err != nil || !r.Verified || r.Digest != run.Digest {
			t.Errorf("the catalogue has %s, which does not verify: %v", run.RunID, err)
		}
	}
	accepted.Range(func(digest, _ any) bool {
		if !known[digest.(string)] {
			t.Errorf("%s was accepted and is lost", digest)
		}
		return true
	})
}
