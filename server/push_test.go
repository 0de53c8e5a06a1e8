package server

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/bundle"
	"assay/server/client"
)

// Twenty clients push the same bundle at the same time, half of them with another token. All
// end well, one of them or one for each token brought it, and it is there once.
func TestPushedAtOnce(t *testing.T) {
	s := open(t, nil)
	dir := sealed(t, "run-1", "nightly", 1)
	r, err := bundle.Verify(dir)
	must(t, err)
	var mu sync.Mutex
	brought := 0
	var pushers sync.WaitGroup
	for i := range 20 {
		token := []string{s.write, s.admin}[i%2]
		pushers.Go(func() {
			c, err := client.New(s.url, token)
			if err != nil {
				t.Error(err)
				return
			}
			c.Pause = 10 * time.Millisecond
			kept, err := c.Push(t.Context(), dir, r.Digest)
			if err != nil || kept.Digest != r.Digest || kept.RunID != "run-1" || kept.Status != "completed" {
				t.Errorf("pusher %d: %+v, %v", i, kept, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if kept.New {
				brought++
			}
		})
	}
	pushers.Wait()
	if brought != 1 {
		t.Errorf("%d pushers say that the bundle is new, want one", brought)
	}
	if list := decode[runList](t, s.ask("GET", "/api/v1/runs", s.read, "").body); list.All != 1 {
		t.Errorf("%d runs are there, want one", list.All)
	}
	left, err := os.ReadDir(filepath.Join(s.dir, "uploads"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%d uploads are left", len(left))
	}
}

// Who finishes what another is adding to waits for that, gets its turn, and gives up with its
// request.
func TestUploadIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &uploads{}
		first, err := u.hold("one")
		must(t, err)
		if _, err := u.hold("one"); statusOf(err) != http.StatusConflict {
			t.Errorf("%v, want a conflict", err)
		}
		got := make(chan func())
		go func() {
			release, err := u.holdNext(t.Context(), "one")
			must(t, err)
			got <- release
		}()
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("two hold one upload")
		default:
		}
		first()
		release := <-got
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := u.holdNext(ctx, "one"); statusOf(err) != http.StatusConflict {
			t.Errorf("after a second: %v, want a conflict", err)
		}
		release()
		if again, err := u.holdNext(ctx, "one"); err != nil {
			t.Errorf("free again: %v", err)
		} else {
			again()
		}
		if len(u.busy) != 0 {
			t.Errorf("%d uploads are held", len(u.busy))
		}
	})
}
