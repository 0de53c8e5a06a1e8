// Package versity starts a real S3 server of others for tests: versitygw, which keeps
// objects as files and checks signatures. It is no part of the product.
package versity

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The account and the bucket of every server.
const (
	User   = "benchmarks"
	Secret = "opensesame"
	Bucket = "team-bucket"
)

const module = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// program is the server's, which the first test that wants it builds; that takes minutes.
func program(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "assay-tests", strings.ReplaceAll(module, "/", "-"))
	path := filepath.Join(folder, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "install", module)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOBIN="+folder, "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no S3 server to test against: go install %s: %v\n%s", module, err, out)
	}
	return path
}

// Serve starts a server that ends with the test, and returns its endpoint.
func Serve(t testing.TB) string {
	t.Helper()
	return ServeAt(t, "127.0.0.1")
}

// ServeAt does so at an address of this machine, for clients that have another loopback.
func ServeAt(t testing.TB, host string) string {
	t.Helper()
	path := program(t)
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	address, root := l.Addr().String(), t.TempDir()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, Bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	var story bytes.Buffer
	cmd := exec.Command(path, "--access", User, "--secret", Secret, "--port", address, "posix", root)
	cmd.Stdout, cmd.Stderr = &story, &story
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // it says that it was killed
	})
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the S3 server does not listen")
	return ""
}
