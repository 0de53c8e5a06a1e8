package scorer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/spec"
	"assay/unit"
)

// The test binary is also the scorers that it tests: scorer MODE.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "scorer" {
		if err := behave(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(7)
		}
		return
	}
	os.Exit(m.Run())
}

// lengthOf scores an answer by its length.
func lengthOf(item Item) string {
	return fmt.Sprintf(`{"id": %q, "scores": {"length": %d}, "signature": "lengths 1"}`, item.ID, len(item.Prediction))
}

// behave reads batches and answers each as mode says.
func behave(mode string, args []string) error {
	if mode == "sleeps" {
		time.Sleep(time.Hour)
	}
	in := bufio.NewReader(os.Stdin)
	for number := 0; ; number++ {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var batch wireBatch
		if err := json.Unmarshal(text, &batch); err != nil {
			return err
		}
		var replies []string
		for _, item := range batch.Batch {
			replies = append(replies, lengthOf(item))
		}
		reply := func(list []string) { fmt.Printf("{\"scores\": [%s]}\n", strings.Join(list, ", ")) }
		switch mode {
		case "good":
			reply(replies)
		case "reversed":
			for i, k := 0, len(replies)-1; i < k; i, k = i+1, k-1 {
				replies[i], replies[k] = replies[k], replies[i]
			}
			reply(replies)
		case "missing":
			reply(replies[1:])
		case "twice":
			reply(append(replies, replies[0]))
		case "stranger":
			reply(append(replies, `{"id": "nobody", "scores": {"length": 1}}`))
		case "nan":
			reply([]string{`{"id": "0", "scores": {"length": NaN}, "signature": "a NaN in text \" NaN"}`, `{"id": "1", "scores": {"length": -Infinity}}`, lengthOf(batch.Batch[2])})
		case "otherwise":
			reply([]string{`{"id": "0", "scores": {"width": 1}}`, `{"id": "1", "error": "cannot read it"}`, `{"id": "2", "scores": {"length": null}}`})
		case "refuses":
			fmt.Println(`{"error": "out of memory on the accelerator"}`)
		case "noise":
			fmt.Println("Loading model...")
		case "nothing":
			fmt.Println()
		case "dies":
			if number == 1 {
				return fmt.Errorf("no weights in %s", "/models/x")
			}
			reply(replies)
		case "leaves":
			return nil
		case "hangs":
			time.Sleep(time.Hour)
		case "floods":
			for {
				os.Stdout.Write(bytes.Repeat([]byte("x"), 1<<20))
			}
		case "chatters":
			for range 100000 {
				reply(replies)
			}
		case "stays": // ignores the end of its input, with a child that does too
			child := exec.Command(os.Args[0], "scorer", "sleeps")
			if err := child.Start(); err != nil {
				return err
			}
			if err := os.WriteFile(args[0], fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o644); err != nil {
				return err
			}
			reply(replies)
			time.Sleep(time.Hour)
		case "environment":
			fmt.Printf("{\"error\": %q}\n", strings.Join(os.Environ(), " "))
		}
	}
}

func own(mode string, args ...string) spec.Scorer {
	return spec.Scorer{Name: "own", Command: append([]string{os.Args[0], "scorer", mode}, args...), Scores: []string{"length"}, Batch: 3, Timeout: unit.Duration(time.Minute)}
}

var environment = Environment{Lookup: os.LookupEnv}

func items(texts ...string) []Item {
	var list []Item
	for i, text := range texts {
		list = append(list, Item{ID: strconv.Itoa(i), Prediction: text, References: []string{"a"}})
	}
	return list
}

// shown is a result in short.
func shown(results []Result) string {
	var list []string
	for _, r := range results {
		switch value, ok := r.Scores["length"]; {
		case ok:
			list = append(list, fmt.Sprint(value))
		case r.Unscored != "":
			list = append(list, "unscored")
		default:
			list = append(list, r.Missing["length"])
		}
	}
	return strings.Join(list, ", ")
}

// A scorer that behaves gives every answer its score; one that does not costs scores, never
// gives wrong ones, and says why.
func TestCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode, want, ended, why string
	}{
		{"good", "1, 2, 3, 4, 5", "", ""},
		{"reversed", "1, 2, 3, 4, 5", "", ""},
		{"missing", "unscored, 2, 3, unscored, 5", "", "gave no reply for it"},
		{"otherwise", "the scorer gave no score called length, unscored, length is not a number, unscored, unscored", "no id of the batch", "the scorer says: cannot read it"},
		{"twice", "unscored, unscored, unscored, unscored, unscored", `after 0 of 5 answers: it scored "0" twice`, ""},
		{"stranger", "unscored, unscored, unscored, unscored, unscored", `it scored "nobody", which is no id of the batch`, ""},
		{"refuses", "unscored, unscored, unscored, unscored, unscored", "", "the scorer says: out of memory on the accelerator"},
		{"noise", "unscored, unscored, unscored, unscored, unscored", `its reply "Loading model..." is not {"scores": […]}`, ""},
		{"nothing", "unscored, unscored, unscored, unscored, unscored", "its reply is empty", ""},
		{"dies", "1, 2, 3, unscored, unscored", "after 3 of 5 answers: it ended with exit status 7, saying: no weights in /models/x", ""},
		{"leaves", "unscored, unscored, unscored, unscored, unscored", "it ended", ""},
		{"floods", "unscored, unscored, unscored, unscored, unscored", "a line of its output is longer than 16 MiB", ""},
		{"chatters", "1, 2, 3, unscored, unscored", `it scored "0", which is no id of the batch`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			results, ended := Run(t.Context(), own(tt.mode), environment, items("x", "xx", "xxx", "xxxx", "xxxxx"))
			if got := shown(results); got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
			if (ended == nil) != (tt.ended == "") || ended != nil && !strings.Contains(ended.Error(), tt.ended) {
				t.Errorf("ended with %v; want %q", ended, tt.ended)
			}
			if why := fmt.Sprint(results); !strings.Contains(why, tt.why) {
				t.Errorf("got %s; want the reason %q", why, tt.why)
			}
		})
	}
}

// Python's NaN is no score, also beside a text that holds the word.
func TestNotANumber(t *testing.T) {
	t.Parallel()
	results, ended := Run(t.Context(), own("nan"), environment, items("x", "xx", "xxx"))
	if got := shown(results); got != "length is not a number, length is not a number, 3" || ended != nil {
		t.Errorf("got %s, %v", got, ended)
	}
	if got := results[0].Signature; got != `a NaN in text " NaN` {
		t.Errorf("signature %q", got)
	}
}

// A scorer that hangs is ended when its time is up, and so is one whose caller has left.
func TestHanging(t *testing.T) {
	t.Parallel()
	s := own("hangs")
	s.Timeout = unit.Duration(50 * time.Millisecond)
	results, ended := Run(t.Context(), s, environment, items("x"))
	if ended == nil || !strings.Contains(ended.Error(), "no reply to a batch of 1 within 50ms") || shown(results) != "unscored" {
		t.Errorf("got %s, %v", shown(results), ended)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("enough"))
	if _, ended := Run(ctx, own("hangs"), environment, items("x")); ended == nil {
		t.Error("a caller that had left was served")
	}
}

// A scorer that ignores the end of its input is killed with everything that it started.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	results, ended := Run(t.Context(), own("stays", file), environment, items("x"))
	if got := shown(results); got != "1" || ended != nil {
		t.Fatalf("got %s, %v", got, ended)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(text)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		for !gone(pid) { // ends when the kernel has done what it was asked, or with the test's own limit
			time.Sleep(time.Millisecond)
		}
	}
}

// gone reports whether a process has ended, though nobody may have reaped it yet.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

// A scorer sees the variables that it was given and no others.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := own("environment")
	s.Env = []string{"WANTED"}
	env := Environment{Lookup: func(name string) (string, bool) {
		value, ok := map[string]string{"PATH": "/bin", "WANTED": "yes", "OPENAI_API_KEY": "sk-secret"}[name]
		return value, ok
	}}
	results, _ := Run(t.Context(), s, env, items("x"))
	if got := results[0].Unscored; got != "the scorer says: PATH=/bin WANTED=yes" {
		t.Errorf("got %s", got)
	}
	s.Env = []string{"ABSENT"}
	if _, err := Run(t.Context(), s, env, items("x")); err == nil || !strings.Contains(err.Error(), "environment variable ABSENT is not set") {
		t.Errorf("got %v", err)
	}
}

// A program that is not there is one reason for all answers.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	results, ended := Run(t.Context(), spec.Scorer{Name: "own", Command: []string{"/no/such/program"}, Scores: []string{"length"}}, environment, items("x"))
	if ended == nil || shown(results) != "unscored" || !strings.Contains(results[0].Unscored, "no such file") {
		t.Errorf("got %v, %v", results, ended)
	}
}
