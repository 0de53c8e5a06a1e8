package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain has this test binary attend, as the program does on a host.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "attend" {
		a := Attendant{Getenv: os.Getenv, Self: os.Args[0], Prepare: func(_ context.Context, brief []byte) (Workers, error) {
			if string(brief) == "impossible" {
				return nil, errors.New("no Python with torch")
			}
			return Workers{"say": {"sh", "-c", "echo a worker"}}, nil
		}}
		if err := a.Attend(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// here is a transport whose hosts are all this one. Hide is a path that they do not have.
type here struct{ hide string }

func (x here) command(_ Host, args ...string) *exec.Cmd {
	args = append([]string{}, args...)
	for i, arg := range args {
		if arg == x.hide {
			args[i] = "/no/such/program"
		}
	}
	return exec.Command(args[0], args[1:]...)
}

func (here) explain(h Host, said string, err error) error {
	return fmt.Errorf("host %s: %w: %s", h.Name, err, said)
}

// crewOf gathers hosts of two slots each.
func crewOf(t *testing.T, tr transport, brief string, names ...string) (*Crew, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var hosts []Host
	for _, name := range names {
		hosts = append(hosts, Host{Name: name, Slots: 2})
	}
	c, err := gather(t.Context(), tr, hosts, CrewOptions{Program: self, Brief: []byte(brief)})
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

// exits are the ends of a world's ranks.
func exits(w World) map[int]Exit {
	all := map[int]Exit{}
	for exit := range w.Ended() {
		all[exit.Rank] = exit
	}
	return all
}

func TestCrew(t *testing.T) {
	t.Parallel()
	c, err := crewOf(t, here{}, "", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var mu sync.Mutex
	logs := map[int]*output{}
	log := func(rank int) io.Writer {
		mu.Lock()
		defer mu.Unlock()
		logs[rank] = &output{}
		return logs[rank]
	}
	script := `echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE; cat given -; echo out >$FOLDER/file-$RANK; echo no >$FOLDER/left-$RANK; exit $RANK`
	w, err := c.Start(t.Context(), Job{
		Ranks: 3, Command: []string{"sh", "-c", script}, Env: []string{"FOLDER=" + dir}, Log: log,
		Out: dir, Leave: "left-*", Files: map[string][]byte{"given": []byte("a gift\n")},
		Input: func(rank int) []byte { return fmt.Appendf(nil, "for %d alone\n", rank) },
	})
	if err != nil {
		t.Fatal(err)
	}
	all := exits(w)
	for rank, want := range []string{"0/3 0/2\na gift\nfor 0 alone\n", "1/3 1/2\na gift\nfor 1 alone\n", "2/3 0/1\na gift\nfor 2 alone\n"} {
		if got := logs[rank].String(); got != want || all[rank].Code != rank {
			t.Errorf("rank %d said %q and ended with %+v, want %q and code %d", rank, got, all[rank], want, rank)
		}
		if data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("file-%d", rank))); string(data) != "out\n" {
			t.Errorf("the file of rank %d came back as %q, %v", rank, data, err)
		}
	}
	if w.Host(2) != "b" || w.Host(0) != "a" {
		t.Errorf("ranks 0 and 2 are on %q and %q, want a and b", w.Host(0), w.Host(2))
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("%d files came back, want 3: %v", len(entries), entries)
	}
	if err := c.Trouble(); err != nil {
		t.Errorf("trouble: %v, want none", err)
	}
	// The same hosts start the next world, by a worker of their own.
	if w, err = c.Start(t.Context(), Job{Ranks: 1, Worker: "say", Log: log}); err != nil {
		t.Fatal(err)
	}
	if all := exits(w); all[0].Code != 0 || logs[0].String() != "a worker\n" {
		t.Errorf("the worker ended with %+v and said %q", all[0], logs[0])
	}
}

// TestCrewCopies has hosts without the program get a copy, and lose it again.
func TestCrewCopies(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	c, err := crewOf(t, here{hide: self}, "", "a")
	if err != nil {
		t.Fatal(err)
	}
	if facts := c.Facts(); !facts[0].Copied || facts[0].System == "" {
		t.Errorf("facts %+v, want that a copy was made", facts)
	}
	if found, _ := filepath.Glob(tmp + "/assay-*/assay"); len(found) != 1 {
		t.Errorf("copies %v, want one", found)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if found, _ := os.ReadDir(tmp); len(found) != 0 {
		t.Errorf("left behind: %v", found)
	}
}

func TestCrewLosesHost(t *testing.T) {
	t.Parallel()
	c, err := crewOf(t, here{}, "", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Start(t.Context(), Job{Ranks: 4, Command: []string{"sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.members[1].hello.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if exit := <-w.Ended(); exit.Rank < 2 || exit.Asked || !strings.Contains(exit.Signal, "lost with host b") {
			t.Errorf("ended %+v, want a rank of b and that it was lost with it", exit)
		}
	}
	var i *Interference
	if err := c.Trouble(); !errors.As(err, &i) || i.Host != "b" {
		t.Errorf("trouble %v, want that of b", err)
	}
	w.Stop(time.Second)
	if all := exits(w); len(all) != 2 || !all[0].Asked {
		t.Errorf("ended %+v, want the ranks of a, which were asked to", all)
	}
	if _, err := c.Start(t.Context(), Job{Ranks: 4, Command: []string{"true"}}); !errors.As(err, &i) {
		t.Errorf("another world: %v, want that b is lost", err)
	}
}

func TestCrewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := crewOf(t, here{}, "impossible", "a"); err == nil || err.Error() != "host a: no Python with torch" {
		t.Errorf("a host without torch: %v", err)
	}
	c, err := crewOf(t, here{}, "", "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(t.Context(), Job{Ranks: 3, Command: []string{"true"}}); err == nil || !strings.Contains(err.Error(), "more slots") {
		t.Errorf("three ranks on two slots: %v", err)
	}
	w, err := c.Start(t.Context(), Job{Ranks: 1, Command: []string{"/no/such/program"}})
	if err != nil {
		t.Fatal(err)
	}
	if all := exits(w); !strings.Contains(all[0].Signal, "no such file") {
		t.Errorf("ended %+v, want why it could not start", all)
	}
}

// TestCrewWithoutLeader closes the line while ranks run: they end.
func TestCrewWithoutLeader(t *testing.T) {
	t.Parallel()
	c, err := crewOf(t, here{}, "", "a")
	if err != nil {
		t.Fatal(err)
	}
	pids := &output{}
	w, err := c.Start(t.Context(), Job{Ranks: 1, Command: []string{"sh", "-c", "echo $$; exec sleep 600"}, Log: func(int) io.Writer { return pids }})
	if err != nil {
		t.Fatal(err)
	}
	for pids.String() == "" {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	exits(w)
	var pid int
	fmt.Sscan(pids.String(), &pid)
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the rank is still there: %v", err)
	}
}

// TestAttendantNoticesSilence has a leader that is there and says nothing more.
func TestAttendantNoticesSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, leader := io.Pipe()
		defer leader.Close()
		began := time.Now()
		err := Attendant{Getenv: func(string) string { return "" }}.Attend(t.Context(), in, io.Discard)
		if took := time.Since(began); err == nil || took != leaderSilence {
			t.Errorf("Attend = %v after %v, want that it gives up after %v", err, took, leaderSilence)
		}
	})
}

func TestFits(t *testing.T) {
	t.Parallel()
	f := func(want, system, machine, room string) {
		t.Helper()
		there := installed{dir: "/tmp/x", facts: HostFacts{Name: "a", System: system, Machine: machine}}
		err := there.fits(program{path: "/bin/assay", bytes: 80 << 20}, room)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("fits on %s %s with %s KiB = %v, want %q", system, machine, room, err, want)
		}
	}
	own := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	other := map[string]string{"amd64": "aarch64", "arm64": "x86_64"}
	f("", "Linux", own[runtime.GOARCH], "200000")
	f("", "Linux", own[runtime.GOARCH], "") // a df that nobody understands
	f("is Linux on "+other[runtime.GOARCH], "Linux", other[runtime.GOARCH], "200000")
	f("is FreeBSD on", "FreeBSD", own[runtime.GOARCH], "200000")
	f("has 9 MB left in /tmp/x, and a copy of this program needs 100 MB", "Linux", own[runtime.GOARCH], "10000")
}

// TestCrewSets starts worlds on one set of hosts after the other.
func TestCrewSets(t *testing.T) {
	t.Parallel()
	c, err := crewOf(t, here{}, "", "a", "b", "c", "d")
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Ranks: 4, Command: []string{"true"}, Sets: 2}
	for set, want := range []string{1: "a a b b", 2: "c c d d"} {
		if set == 0 {
			continue
		}
		job.Set = set
		w, err := c.Start(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		exits(w)
		if got := strings.Join([]string{w.Host(0), w.Host(1), w.Host(2), w.Host(3)}, " "); got != want {
			t.Errorf("set %d is on %s, want %s", set, got, want)
		}
	}
	job.Ranks = 5
	if _, err := c.Start(t.Context(), job); err == nil || !strings.Contains(err.Error(), "a world of 5 ranks on 2 hosts that take 4") {
		t.Errorf("a world that a set has no room for: %v", err)
	}
	job.Sets = 3
	if _, err := c.Start(t.Context(), job); err == nil || !strings.Contains(err.Error(), "4 hosts in 3 sets") {
		t.Errorf("three sets of four hosts: %v", err)
	}
	// A host of the other set that is gone is no trouble of this one.
	if err := syscall.Kill(c.members[3].hello.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for c.Trouble() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	w, err := c.Start(t.Context(), Job{Ranks: 1, Command: []string{"true"}, Set: 1, Sets: 2})
	if err != nil {
		t.Fatal(err)
	}
	exits(w)
	if _, err := c.Start(t.Context(), Job{Ranks: 1, Command: []string{"true"}, Set: 2, Sets: 2}); err == nil {
		t.Error("a set that has lost a host was used")
	}
}
