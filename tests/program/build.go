package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"assay/tests/whole"
)

// Path is the path of the program.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs the tests of a package, many at a time, and removes the program afterwards.
func Main(m *testing.M) int {
	whole.AtOnce(8)
	defer func() {
		if own != "" {
			os.RemoveAll(own)
		}
	}()
	return m.Run()
}

// own is the folder of this test binary's program; empty until it was built.
var own string

// build makes the program once for all packages whose tests run it: go build leaves the
// one in bin/tests alone while it is up to date, and linking it costs five seconds. Each
// test binary has its own name for it, in a folder which stays until the test binary ends
// (see Main), so that no other build can take it away.
var build = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	root, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(here), "..", "..")) // as the system names it
	if err != nil {
		return "", err
	}
	shared := filepath.Join(root, "bin", "tests")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(shared, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	cmd := exec.Command("go", "build", "-o", filepath.Join(shared, "assay"), "./cmd/assay")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build assay: %w\n%s", err, out)
	}
	if own, err = os.MkdirTemp(shared, "of-"); err != nil {
		return "", err
	}
	path := filepath.Join(own, "assay")
	if err := os.Link(filepath.Join(shared, "assay"), path); err != nil {
		return "", err
	}
	return path, watch(root)
})

// lock waits until no other test binary builds. It goes around package os, by which go
// test would see that the file is another each time, and run every test again.
func lock(path string) (unlock func(), err error) {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { syscall.Close(fd) }, nil
}

// sources lists, for each package of this module that the program is made of, its folder
// and its files.
const sources = `{{if and .Module .Module.Main}}{{$dir := .Dir}}{{$dir}}
{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .CgoFiles}}{{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}`

// watch has go test remember what the program is made of. It takes a result from its
// cache unless a file that the test looked at has changed, and cannot know what went into
// a program that the test started.
func watch(root string) error {
	cmd := exec.Command("go", "list", "-deps", "-f", sources, "./cmd/assay")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list what assay is made of: %w", err)
	}
	for path := range strings.FieldsFuncSeq(string(list), func(r rune) bool { return r == '\n' }) {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}
