package launch

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/child"
)

type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(data)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// shell starts ranks that run a script; what they print is kept by rank.
func shell(t *testing.T, ranks int, script string, change func(*Job)) (World, []*output) {
	t.Helper()
	logs := make([]*output, ranks)
	for i := range logs {
		logs[i] = &output{}
	}
	job := Job{
		Ranks: ranks, Command: []string{"sh", "-c", script}, Master: "10.0.0.1:29500", Dir: t.TempDir(),
		Log: func(rank int) io.Writer { return logs[rank] },
	}
	if change != nil {
		change(&job)
	}
	w, err := Local{}.Start(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Stop(0) })
	return w, logs
}

// Ranks run where they are placed, from their first instruction on.
func TestPlaces(t *testing.T) {
	text, err := exec.Command("sh", "-c", "grep Cpus_allowed_list /proc/self/status").Output()
	if err != nil {
		t.Skip("this kernel does not say where a process may run: want Linux")
	}
	allowed, _, _ := strings.Cut(strings.Fields(string(text))[1], ",")
	first, last, several := strings.Cut(allowed, "-")
	if !several {
		t.Skip("this process has one processor: want two")
	}
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(last)
	w, logs := shell(t, 3, "grep Cpus_allowed_list /proc/self/status", func(j *Job) {
		j.Places = []child.Place{{CPUs: []int{a}}, {CPUs: []int{b}}}
	})
	ends(w)
	for rank, want := range []int{a, b, a} {
		if got := strings.Fields(logs[rank].String()); len(got) != 2 || got[1] != strconv.Itoa(want) {
			t.Errorf("rank %d runs on %q, want %d", rank, got, want)
		}
	}
	after, err := exec.Command("sh", "-c", "grep Cpus_allowed_list /proc/self/status").Output()
	if err != nil || string(after) != string(text) {
		t.Errorf("what is started later runs on %s, want %s (%v)", after, text, err)
	}
}

func ends(w World) map[int]Exit {
	all := map[int]Exit{}
	for e := range w.Ended() {
		all[e.Rank] = e
	}
	return all
}

// waitFor polls until the ranks have printed a word.
func waitFor(t *testing.T, o *output, word string) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); !strings.Contains(o.String(), word); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("printed %q, want %q", o, word)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Setenv("RANK", "77") // of a launcher around this process
	w, logs := shell(t, 3, `echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR:$MASTER_PORT $EXTRA; echo oops >&2`, func(j *Job) { j.Env = []string{"EXTRA=more"} })
	for rank, e := range ends(w) {
		if e.Code != 0 || e.Signal != "" || e.Asked {
			t.Errorf("rank %d ended as %+v", rank, e)
		}
	}
	for rank, log := range logs {
		n := strconv.Itoa(rank)
		if got, want := log.String(), n+"/3 "+n+"/3 10.0.0.1:29500 more\noops\n"; got != want {
			t.Errorf("rank %d printed %q, want %q", rank, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	w, _ := shell(t, 3, `case $RANK in 0) exit 0;; 1) exit 5;; 2) kill -KILL $$;; esac`, nil)
	all := ends(w)
	if all[0].Code != 0 || all[1].Code != 5 || all[2].Code != -1 || all[2].Signal != "killed" {
		t.Errorf("ends are %+v", all)
	}
}

// TestStop holds that every rank and all it started end: the polite, the deaf and
// the stopped.
func TestStop(t *testing.T) {
	w, logs := shell(t, 3, `
		sleep 1000 & echo child $!.
		case $RANK in
		0) trap 'echo polite; exit 0' TERM; echo ready; while :; do sleep 0.05; done;;
		1) trap '' TERM; echo ready; while :; do sleep 0.05; done;;
		2) trap 'echo heard; exit 0' TERM; echo ready; kill -STOP $$; while :; do sleep 0.05; done;;
		esac`, nil)
	var children []int
	for _, log := range logs {
		waitFor(t, log, "ready")
		_, rest, _ := strings.Cut(log.String(), "child ")
		text, _, _ := strings.Cut(rest, ".")
		child, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		children = append(children, child)
	}
	w.Stop(time.Second)
	w.Stop(time.Second) // again is nothing
	all := ends(w)
	for rank, e := range all {
		if !e.Asked {
			t.Errorf("rank %d was not asked to end", rank)
		}
	}
	if all[0].Code != 0 || all[1].Signal != "killed" || all[2].Code != 0 {
		t.Errorf("ends are %+v, want a polite one, a killed one and one that went on to end", all)
	}
	for rank, child := range children {
		if alive(child) {
			t.Errorf("what rank %d started lives", rank)
		}
	}
}

// alive says whether a process runs; one that nobody has reaped does not.
func alive(pid int) bool {
	for range 100 {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(data), ") Z ") {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

// TestLeftovers holds that what a rank leaves behind ends with it, also when it
// holds the rank's output.
func TestLeftovers(t *testing.T) {
	begin := time.Now()
	w, logs := shell(t, 1, `sleep 1000 & echo $!`, nil)
	if e := ends(w)[0]; e.Code != 0 {
		t.Errorf("ended as %+v", e)
	}
	if took := time.Since(begin); took > pipeWithin {
		t.Errorf("the end was told after %v", took)
	}
	child, err := strconv.Atoi(strings.TrimSpace(logs[0].String()))
	if err != nil || alive(child) {
		t.Errorf("process %d lives (%v)", child, err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w, err := Local{}.Start(ctx, Job{Ranks: 2, Command: []string{"sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if all := ends(w); len(all) != 2 || !all[0].Asked || all[0].Signal != "terminated" {
		t.Errorf("ends are %+v, want two that were asked to", all)
	}
}

func TestNoCommand(t *testing.T) {
	_, err := Local{}.Start(t.Context(), Job{Ranks: 2, Command: []string{"/nowhere/at/all"}})
	if err == nil || !strings.Contains(err.Error(), "launch rank 0") {
		t.Errorf("Start = %v, want an error of rank 0", err)
	}
}

// TestOrphans holds that ranks end when the process that started them is killed.
func TestOrphans(t *testing.T) {
	if os.Getenv("TEST_PARENT") != "" {
		w, err := Local{}.Start(context.Background(), Job{Ranks: 1, Command: []string{"sleep", "1000"}})
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := w.PID(0)
		_, _ = os.Stdout.WriteString("child " + strconv.Itoa(pid) + ".\n")
		<-w.Ended()
		return
	}
	var log output
	parent := exec.Command(os.Args[0], "-test.run=^TestOrphans$")
	parent.Env = append(os.Environ(), "TEST_PARENT=1")
	parent.Stdout = &log
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, &log, ".\n")
	_ = parent.Process.Kill()
	_ = parent.Wait()
	_, rest, _ := strings.Cut(log.String(), "child ")
	text, _, _ := strings.Cut(rest, ".")
	child, err := strconv.Atoi(text)
	if err != nil || alive(child) {
		_ = syscall.Kill(child, syscall.SIGKILL)
		t.Errorf("process %d lives on (%v)", child, err)
	}
}

func TestWrapAndNamespace(t *testing.T) {
	job := Job{Ranks: 2, Command: []string{"work"}, Namespaces: []string{"a", "b"}, Wrap: []string{"unshare", "-T"}, Wrapped: 1}
	for rank, want := range []string{"ip netns exec a work", "ip netns exec b unshare -T work"} {
		if got := strings.Join(command(job, rank).Args, " "); got != want {
			t.Errorf("rank %d runs %q, want %q", rank, got, want)
		}
	}
}
