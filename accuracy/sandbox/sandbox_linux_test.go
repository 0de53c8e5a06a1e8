//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if status, entered := Enter(os.Args); entered {
		os.Exit(status)
	}
	if what := os.Getenv(lackVariable); what != "" {
		if err := lacking(what); err != nil {
			fmt.Println(err)
		}
		return
	}
	if os.Getenv(withoutLandlock) != "" {
		if err := forbid(unix.SYS_LANDLOCK_CREATE_RULESET, 0); err != nil {
			panic(err)
		}
	}
	if err := os.Setenv("ASSAY_SECRET", "hunter2"); err != nil { // programs look for it
		panic(err)
	}
	status := m.Run()
	if s, err := shared(); err == nil {
		s.Close()
	}
	os.Exit(status)
}

// shared is the Sandbox of all tests that do not need one of their own.
var shared = sync.OnceValues(func() (*Sandbox, error) { return Open(context.Background(), Options{}) })

// opened skips the test on a host that is refused, and says why.
func opened(t testing.TB) *Sandbox {
	t.Helper()
	s, err := shared()
	var refusal *Refusal
	if errors.As(err, &refusal) {
		t.Skipf("this host is refused as a sandbox: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}
