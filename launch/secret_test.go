package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func oneHost(dir string) (Environment, func(string) string) {
	return Environment{World: 2, LocalWorld: 2, Nodes: 1}, func(name string) string {
		return map[string]string{"XDG_RUNTIME_DIR": dir}[name]
	}
}

// TestSecretOfOneHost holds that ranks of one host share a secret that nobody had to
// say, and that it is gone when it is forgotten.
func TestSecretOfOneHost(t *testing.T) {
	here, env := oneHost(t.TempDir())
	late, err := FollowerSecret(here, env, "job 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the leader made it: %v, want that it is not there", err)
	}
	for range 2 { // the second is after a job that was killed
		own, forget, err := LeaderSecret(here, env, "job 1")
		if err != nil {
			t.Fatal(err)
		}
		a, err := own()
		if err != nil || len(a) < 40 {
			t.Fatalf("a secret of %d characters, %v", len(a), err)
		}
		if b, err := late(); a != b || err != nil {
			t.Errorf("leader and follower have different secrets (%v)", err)
		}
		defer forget()
	}
	other, err := FollowerSecret(here, env, "job 2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other(); err == nil {
		t.Error("another job has it too")
	}
}

func TestSecretForgotten(t *testing.T) {
	dir := t.TempDir()
	here, env := oneHost(dir)
	_, forget, err := LeaderSecret(here, env, "job")
	if err != nil {
		t.Fatal(err)
	}
	if err := forget(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "assay", "jobs", "*"))
	if hidden, _ := filepath.Glob(filepath.Join(dir, "assay", "jobs", ".*")); len(left)+len(hidden) > 0 {
		t.Errorf("left on disk: %v %v", left, hidden)
	}
}

// TestSecretFiles refuses files that another could have written or read.
func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good", secret+"\n", 0o600)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(path, want string) {
		t.Helper()
		read, err := FollowerSecret(Environment{Nodes: 2}, func(name string) string { return map[string]string{envSecretFile: path}[name] }, "job")
		if err != nil {
			t.Fatal(err)
		}
		got, err := read()
		if want == "" && (got != secret || err != nil) {
			t.Errorf("%s: %v", path, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	f(good, "")
	f(file("open", secret, 0o644), "others can open it")
	f(file("group", secret, 0o640), "others can open it")
	f(file("short", "hunter2", 0o600), "at least 16")
	f(file("empty", "", 0o600), "at least 16")
	f(link, "symbolic links")
	f(pipe, "no plain file")
	f(dir, "no plain file")
	f(filepath.Join(dir, "none"), "no such file")
	if os.Geteuid() == 0 {
		path := file("theirs", secret, 0o600)
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		f(path, "user 65534 owns it")
	}
}

// TestSecretIsAskedFor refuses what others could guess, and says what to set.
func TestSecretIsAskedFor(t *testing.T) {
	f := func(e Environment, variables, want string) {
		t.Helper()
		env := lookupIn(variables)
		_, _, lead := LeaderSecret(e, env, "job")
		_, follow := FollowerSecret(e, env, "job")
		for _, err := range []error{lead, follow} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v %s: %v, want %q", e, variables, err, want)
			}
		}
	}
	f(Environment{Nodes: 2}, "HOME=/root SLURM_JOB_ID=17", "set ASSAY_TOKEN, the same for every rank")
	f(Environment{Nodes: 2}, "ASSAY_TOKEN=job17", "ASSAY_TOKEN is a secret of 5 characters, want at least 16")
	f(Environment{Nodes: 1}, "", "set ASSAY_TOKEN")
	shared := t.TempDir()
	if err := os.MkdirAll(filepath.Join(shared, "assay", "jobs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(shared, "assay", "jobs"), 0o777); err != nil {
		t.Fatal(err)
	}
	f(Environment{Nodes: 1}, "XDG_RUNTIME_DIR="+shared, "nobody else can open")
	read, _, err := LeaderSecret(Environment{Nodes: 2}, lookupIn("ASSAY_TOKEN="+secret), "job")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(); got != secret || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMeetAt(t *testing.T) {
	f := func(e Environment, host string) {
		t.Helper()
		got, err := e.MeetAt("job")
		if err != nil || !strings.HasPrefix(got, host+":4") {
			t.Errorf("%+v meets at %s (%v), want %s", e, got, err, host)
		}
	}
	f(Environment{Nodes: 1, Master: "node7:29500"}, "127.0.0.1") // nobody comes from elsewhere
	f(Environment{Nodes: 1}, "127.0.0.1")
	f(Environment{Nodes: 2, Master: "node7:29500"}, "node7")
	f(Environment{Nodes: 2, Master: "node7"}, "node7")
	if _, err := (Environment{Nodes: 2, Launcher: "openmpi"}).MeetAt("job"); err == nil || !strings.Contains(err.Error(), "ASSAY_MEETING") {
		t.Errorf("MeetAt = %v, want what to set", err)
	}
}
