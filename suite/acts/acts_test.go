package acts

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Acts follow from each other: one that is changed, removed or put in between is
// noticed, and one without a reason is not made.
func TestChain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "acts", "acts.jsonl")
	if list, err := Read(path); err != nil || len(list) != 0 {
		t.Fatalf("no file: %v, %v", list, err)
	}
	if err := Append(path, Act{Act: Accepted, Subject: "a", Why: " "}); err == nil || !strings.Contains(err.Error(), "--why") {
		t.Errorf("without a reason: %v", err)
	}
	for _, subject := range []string{"a", "b", "c"} {
		if err := Append(path, Act{At: time.Unix(1e9, 0), Act: Accepted, Subject: subject, Why: "it is good"}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Read(path)
	if err != nil || len(list) != 3 || list[0].Before != "" || list[2].Before == list[1].Before || list[2].Version != Version {
		t.Fatalf("%+v, %v", list, err)
	}
	whole, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for name, damaged := range map[string][]byte{
		"changed":  bytes.Replace(whole, []byte("it is good"), []byte("it is fine"), 1),
		"removed":  bytes.Join([][]byte{lines[0], lines[2]}, nil),
		"no first": bytes.Join([][]byte{lines[1], lines[2]}, nil),
		"repeated": bytes.Join([][]byte{lines[0], lines[0], lines[1]}, nil),
		"no JSON":  append(bytes.Clone(whole), "x\n"...),
	} {
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("%s: nobody notices", name)
		}
		if err := Append(path, Act{Act: Accepted, Subject: "d", Why: "x"}); err == nil {
			t.Errorf("%s: the file grows on", name)
		}
	}
}

// People who decide at once take turns: nobody's act spoils the file for the others.
func TestAppendAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "acts.jsonl")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := Append(path, Act{Act: Accepted, Subject: "a", Why: "it is good"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := Read(path); err != nil || len(list) != 20 {
		t.Errorf("%d acts, %v", len(list), err)
	}
}
