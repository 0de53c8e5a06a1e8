package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/whole"
)

// newVersionedScene is a schedule whose document names a version of its engine: v1 has its first
// token after 20 ms, and v2 after what a file says. While there is a file called disturbed,
// the first three engines that start are slow, whatever their version.
func newVersionedScene(t *testing.T, v2 string) *scheduleScene {
	t.Helper()
	s := newSlowedScene(t)
	text := read(t, s.file)
	script := filepath.Join(s.dir, "engine.sh")
	sim := strings.Replace(read(t, script), fmt.Sprintf("$(cat '%s')", s.ttftFile()), "$ttft", 1)
	sim = fmt.Sprintf("cd '%s'; ttft=$(cat \"$1\")\nif [ -e disturbed ]; then echo x >> disturbed; [ $(wc -l < disturbed) -gt 3 ] || ttft=120ms; fi\n", s.dir) + sim
	for name, content := range map[string]string{script: sim, filepath.Join(s.dir, "v1"): "20ms", filepath.Join(s.dir, "v2"): v2} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	policy := filepath.Join(s.dir, "policy.yaml") // the versions differ in the command that starts them
	if err := os.WriteFile(policy, []byte(strings.Replace(read(t, policy), "grade: exploratory", "grade: exploratory, controlled: false", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.write(strings.NewReplacer(fmt.Sprintf("%q]", script), fmt.Sprintf("%q, v1]", script), "{policy: policy.yaml}", "{policy: policy.yaml, confirm: true}").Replace(text))
	first := s.night("")
	if _, errs, code := call(t, "mark", first, "--as", "accepted", "--why", "the first", "--warehouse", s.place()); code != exitOK {
		t.Fatal(errs)
	}
	s.write(strings.Replace(read(t, s.file), ", v1]", ", v2]", 1))
	return s
}

// note is what was noted about the last run.
func (s *scheduleScene) note() string {
	ended := s.state().Ended
	return ended[len(ended)-1].Note
}

func (s *scheduleScene) openText(id string) string {
	for _, a := range s.state().Alerts.Open {
		if strings.HasPrefix(a.ID, id) {
			return a.Text
		}
	}
	return ""
}

const e2eAlert = "minutely/regressed/e2e.v2 p50"

// A new version is slower. It is slower in blocks with the old one too, so that an alert is sent;
// somebody who asks again by hand reads the same.
func TestScheduleConfirmsRegression(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := newVersionedScene(t, "120ms")
	s.night("")
	sent := s.hook.about("open " + e2eAlert)
	if len(sent) == 0 {
		t.Skipf("the machine is too busy for a gate: %s; the receiver got %q", s.note(), s.hook.got)
	}
	text := s.openText(e2eAlert)
	if len(sent) != 1 || !strings.HasPrefix(text, "confirmed in blocks: ") {
		t.Errorf("the receiver got %q; the alert says\n%s", sent, text)
	}
	out, err := s.command("schedule", "confirm", s.file, e2eAlert+" at concurrency=8").CombinedOutput()
	if err == nil || !strings.Contains(string(out), ": confirmed: confirmed in blocks: ") && !strings.Contains(string(out), "stays open") {
		t.Errorf("by hand: %v\n%s", err, out)
	}
	if out, err := s.command("schedule", "confirm", s.file, "minutely/regressed/nothing").CombinedOutput(); err == nil || !strings.Contains(string(out), "no open alert of minutely") {
		t.Errorf("no such alert: %v\n%s", err, out)
	}
}

// A night was disturbed, and the new version is as fast as the old one: nobody is woken. An alert
// that was sent without confirming is closed by hand.
func TestScheduleConfirmsDisturbance(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := newVersionedScene(t, "20ms")
	disturb := func() {
		if err := os.WriteFile(filepath.Join(s.dir, "disturbed"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s.run("--now")
	}
	disturb()
	if note := s.note(); !strings.Contains(note, "e2e.v2 p50 at concurrency=8: not seen in blocks") {
		t.Skipf("the machine is too busy for a gate: %s; the receiver got %q", note, s.hook.got)
	}
	if sent := s.hook.about("open minutely/regressed/"); len(sent) != 0 {
		t.Errorf("the receiver got %q, want nothing about what blocks do not show", sent)
	}
	s.write(strings.Replace(read(t, s.file), ", confirm: true", "", 1))
	disturb()
	if len(s.hook.about("open "+e2eAlert)) == 0 {
		t.Skipf("the machine is too busy for a gate: %s", s.note())
	}
	out, err := s.command("schedule", "confirm", s.file).CombinedOutput()
	if !strings.Contains(string(out), "closed: not seen in blocks") || len(s.hook.about("resolved "+e2eAlert)) != 1 || s.openText(e2eAlert) != "" {
		t.Errorf("%v\n%s\nthe receiver got %q", err, out, s.hook.got)
	}
}

// A document that starts the same system for both runs has lost the good one: that cannot be
// confirmed, and it is sent with the reason. What is not there when it is measured afresh is closed.
func TestScheduleConfirmsWithoutTheGoodSystem(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := newSlowedScene(t)
	s.write(strings.Replace(read(t, s.file), "{policy: policy.yaml}", "{policy: policy.yaml, confirm: true}", 1))
	first := s.night("20ms")
	if _, errs, code := call(t, "mark", first, "--as", "accepted", "--why", "the first", "--warehouse", s.place()); code != exitOK {
		t.Fatal(errs)
	}
	s.night("120ms")
	if len(s.hook.about("open "+e2eAlert)) == 0 {
		t.Skipf("the machine is too busy for a gate: %s; the receiver got %q", s.note(), s.hook.got)
	}
	if text := s.openText(e2eAlert); !strings.Contains(text, "the good one is gone") {
		t.Errorf("the alert says\n%s", text)
	}
	if err := os.WriteFile(s.ttftFile(), []byte("20ms"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.command("schedule", "confirm", s.file).CombinedOutput(); !strings.Contains(string(out), "not seen afresh") && !strings.Contains(string(out), "afresh it is inconclusive") {
		t.Errorf("%v\n%s", err, out)
	}
}
