package session

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/workload"
	"assay/workload/trace"
)

const ms = time.Millisecond

// agent asks, calls a tool, parts into two branches and joins them.
func agent() Session {
	return Session{ID: 4, System: "be brief", Steps: []Step{
		{Kind: Generate, Text: "plan it", OutputTokens: 10},
		{Kind: Tool, Name: "search", After: []int{0}, Takes: 200 * ms, Text: "found"},
		{Kind: Generate, After: []int{1}, Think: 50 * ms, Text: "left"},
		{Kind: Generate, After: []int{1}, Think: 10 * ms, Text: "right"},
		{Kind: Generate, After: []int{2, 3}, Text: "sum up"},
	}}
}

// Each generation takes 100 ms, the right branch three times that.
func took(step int, due int64) (int64, string) {
	if step == 3 {
		return due + int64(300*ms), "answer 3"
	}
	return due + int64(100*ms), fmt.Sprint("answer ", step)
}

func TestPlay(t *testing.T) {
	const start = int64(time.Second)
	p, err := Play(agent(), start, took)
	if err != nil {
		t.Fatal(err)
	}
	at := func(d time.Duration) int64 { return start + int64(d) }
	want := []Record{
		{4, 0, Generate, "", at(0), at(100 * ms), 0},
		{4, 1, Tool, "search", at(100 * ms), at(300 * ms), 0},
		{4, 2, Generate, "", at(350 * ms), at(450 * ms), 50 * ms},
		{4, 3, Generate, "", at(310 * ms), at(610 * ms), 10 * ms},
		{4, 4, Generate, "", at(610 * ms), at(710 * ms), 0},
	}
	if got := p.Records(); !reflect.DeepEqual(got, want) {
		t.Errorf("records %+v\nwant %+v", got, want)
	}
	total := Total{
		Elapsed: 710 * ms, Generation: 500 * ms, ToolTime: 200 * ms, Think: 10 * ms,
		AllGeneration: 600 * ms, AllTools: 200 * ms,
	}
	if got := p.Total(); got != total || !p.Done() {
		t.Errorf("total %+v, want %+v", got, total)
	}
}

func TestMessages(t *testing.T) {
	p, err := Play(agent(), 0, took)
	if err != nil {
		t.Fatal(err)
	}
	f := func(step int, want ...string) {
		t.Helper()
		var got []string
		for _, m := range agent().Call(step, p.Answers()).Payload.Messages {
			got = append(got, m.Role+": "+m.Content)
		}
		if !slices.Equal(got, want) {
			t.Errorf("step %d says %q, want %q", step, got, want)
		}
	}
	f(0, "system: be brief", "user: plan it")
	f(2, "system: be brief", "user: plan it", "assistant: answer 0", "tool: found", "user: left")
	f(3, "system: be brief", "user: plan it", "assistant: answer 0", "tool: found", "user: right")
	f(4, "system: be brief", "user: plan it", "assistant: answer 0", "tool: found", "user: left",
		"assistant: answer 2", "tool: answer 3", "user: sum up")
}

func TestCheck(t *testing.T) {
	f := func(want string, change func(*Session)) {
		t.Helper()
		s := agent()
		change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f("has no step", func(s *Session) { s.Steps = nil })
	f(`step 1: kind "nap"`, func(s *Session) { s.Steps[1].Kind = "nap" })
	f("step 2 follows step 2", func(s *Session) { s.Steps[2].After = []int{2} })
	f("step 2 follows step -1", func(s *Session) { s.Steps[2].After = []int{-1} })
	f("step 4 follows step 2", func(s *Session) { s.Steps[4].After = []int{2, 2} })
	f("a time is below zero", func(s *Session) { s.Steps[2].Think = -1 })
	f("only a tool's time", func(s *Session) { s.Steps[2].Takes = 1 })
	if err := agent().Check(); err != nil {
		t.Error(err)
	}
}

func TestProgressRefusals(t *testing.T) {
	p, err := NewProgress(agent(), 0)
	if err != nil {
		t.Fatal(err)
	}
	f := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f("without having been due", p.End(0, 5, ""))
	if got := p.Next(); !slices.Equal(got, []Due{{0, 0}}) || len(p.Next()) != 0 || p.Done() {
		t.Errorf("first due %v", got)
	}
	f("before it was due", p.End(0, -5, ""))
	if err := p.End(0, 5, ""); err != nil {
		t.Error(err)
	}
	f("ended twice", p.End(0, 6, ""))
	f("without having been due", p.End(9, 6, ""))
	if _, err := Play(agent(), 0, func(_ int, due int64) (int64, string) { return due - 1, "" }); err == nil {
		t.Error("an answer before its question was accepted")
	}
}

// Whatever the plan and whatever the steps take: each step is due when the last
// one before it has ended and the think time has passed, and the parts of the
// longest chain sum to the whole.
func TestTimelines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		source, err := NewSynthetic(int64(n), Options{
			Turns: 1 + rng.IntN(8), InputTokens: 5, OutputTokens: 5, Think: time.Duration(rng.IntN(50)) * ms,
			Spread:    workload.Spread{Distribution: workload.LogNormal, Share: 0.5},
			Tools:     []ToolCall{{Name: "tool", Every: rng.IntN(3), Time: time.Duration(rng.IntN(100)) * ms, Tokens: 3}},
			ForkEvery: rng.IntN(4), Branches: 1 + rng.IntN(4),
		})
		if err != nil {
			t.Fatal(err)
		}
		s := source.Session(int64(n))
		start := rng.Int64N(1e9)
		p, err := Play(s, start, func(_ int, due int64) (int64, string) { return due + rng.Int64N(1e9), "x" })
		if err != nil {
			t.Fatal(err)
		}
		records := p.Records()
		if len(records) != len(s.Steps) {
			t.Fatalf("%d of %d steps ended", len(records), len(s.Steps))
		}
		sum := time.Duration(0)
		for i, r := range records {
			last := start
			for _, before := range s.Steps[i].After {
				last = max(last, records[before].End)
			}
			if r.Due != last+int64(s.Steps[i].Think) {
				t.Fatalf("step %d is due at %d, want %d", i, r.Due, last+int64(s.Steps[i].Think))
			}
			sum += r.Took()
		}
		total := p.Total()
		if total.Generation+total.ToolTime+total.Think != total.Elapsed || total.AllGeneration+total.AllTools != sum {
			t.Fatalf("total %+v, steps sum to %v", total, sum)
		}
	}
}

func TestSynthetic(t *testing.T) {
	opts := Options{
		Turns: 4, SystemTokens: 30, InputTokens: 20, OutputTokens: 7, Think: 2 * time.Second,
		Tools: []ToolCall{{Name: "tool", Every: 2, Time: 300 * ms, Tokens: 9}}, ForkEvery: 3, Branches: 3,
	}
	a, err := NewSynthetic(42, opts)
	if err != nil {
		t.Fatal(err)
	}
	s := a.Session(0)
	var kinds []string
	for _, step := range s.Steps {
		kinds = append(kinds, fmt.Sprint(step.Kind, step.After))
	}
	want := []string{"generate[]", "generate[0]", "tool[1]", "generate[2]", "generate[2]", "generate[2]", "generate[3 4 5]", "generate[6]"}
	if !slices.Equal(kinds, want) {
		t.Errorf("steps %v, want %v", kinds, want)
	}
	if s.Steps[2].Takes != 300*ms || s.Steps[1].Think != 2*time.Second || s.Steps[0].Think != 0 || s.Steps[6].Think != 0 || s.Steps[0].InputTokens != 20 {
		t.Errorf("steps %+v", s.Steps)
	}
	b, err := NewSynthetic(42, opts)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for id := range int64(5) {
		if !reflect.DeepEqual(a.Session(id), b.Session(id)) {
			t.Errorf("session %d differs between two sources of one seed", id)
		}
		data, err := json.Marshal(a.Session(id))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	if reflect.DeepEqual(a.Session(0).Steps, a.Session(1).Steps) || a.Session(0).System != a.Session(1).System {
		t.Error("two sessions share their turns, or not their system text")
	}
	if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != "dc6be46b4f96abc5" {
		t.Errorf("the sessions' hash is %s: published plans would ask otherwise", got)
	}
	for _, bad := range []Options{{}, {InputTokens: 1}, {InputTokens: 1, OutputTokens: 1, Turns: -1}, {InputTokens: 1, OutputTokens: 1, Think: 1 << 62},
		{InputTokens: 1, OutputTokens: 1, Spread: workload.Spread{Distribution: "zipf"}}} {
		if _, err := NewSynthetic(1, bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestFromTrace(t *testing.T) {
	for _, format := range trace.All {
		file, err := os.Open("../trace/testdata/" + format.Name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		records, err := trace.Read(format.Name, file)
		if err != nil {
			t.Fatal(err)
		}
		prompts, err := trace.NewSource(1, records, nil)
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := FromTrace(records, prompts)
		if err != nil {
			t.Fatal(err)
		}
		generations := 0
		for _, s := range sessions {
			if _, err := Play(s, int64(s.Start), took); err != nil {
				t.Errorf("%s: %v", format.Name, err)
			}
			for _, step := range s.Steps {
				if step.Kind == Generate {
					generations++
				}
			}
		}
		if generations != len(records) {
			t.Errorf("%s: %d generations of %d requests", format.Name, generations, len(records))
		}
	}
}

// A recorded conversation asks what its people said, and repeats what was
// answered.
func TestFromConversation(t *testing.T) {
	say := func(pairs ...string) (list []record.Message) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, record.Message{Role: pairs[i], Content: pairs[i+1]})
		}
		return list
	}
	pace := Pace{Think: 300 * ms, ToolTime: 200 * ms, OutputTokens: func(answer string) int32 { return int32(len(answer)) }}
	s, err := FromConversation(3, say("system", "be brief", "user", "a", "user", "b", "assistant", "one", "tool", "found", "assistant", "two", "user", "c"), pace)
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{
		{Kind: Generate, Text: "a\nb", Answer: "one", OutputTokens: 3},
		{Kind: Tool, Name: "tool", After: []int{0}, Takes: 200 * ms, Text: "found"},
		{Kind: Generate, After: []int{1}, Answer: "two", OutputTokens: 3},
		{Kind: Generate, After: []int{2}, Think: 300 * ms, Text: "c"},
	}
	if !reflect.DeepEqual(s.Steps, want) {
		t.Errorf("steps %+v\nwant %+v", s.Steps, want)
	}
	last := s.Messages(3, s.Recorded())
	if want := say("system", "be brief", "user", "a\nb", "assistant", "one", "tool", "found", "assistant", "two", "user", "c"); !slices.Equal(last, want) {
		t.Errorf("the last turn says %v, want %v", last, want)
	}
	if got := []int{s.Turn(0), s.Turn(2), s.Turn(3)}; !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("turns %v", got)
	}
	for _, bad := range [][]record.Message{nil, say("assistant", "hi"), say("system", "x"), say("tool", "x"), say("user", "a", "tool", "x"), say("user", "a", "assistant", "b", "assistant", "c")} {
		if s, err := FromConversation(1, bad, pace); err == nil {
			t.Errorf("%v became %+v", bad, s)
		}
	}
}

// Made-up answers change nothing else and have the length that is asked for.
func TestSyntheticAnswers(t *testing.T) {
	opts := Options{Turns: 3, InputTokens: 20, OutputTokens: 9, Tools: []ToolCall{{Name: "tool", Every: 1, Tokens: 5}}}
	plain, err := NewSynthetic(1, opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Answers = true
	answered, _ := NewSynthetic(1, opts)
	s := answered.Session(7)
	for i, step := range s.Steps {
		if step.Kind == Generate && len(strings.Fields(step.Answer)) != 9 {
			t.Errorf("step %d answers %q", i, step.Answer)
		}
		s.Steps[i].Answer = ""
	}
	if !reflect.DeepEqual(s, plain.Session(7)) {
		t.Error("answers change the session")
	}
}

// A session replayed at the recorded speed begins each step when it was
// recorded to begin.
func TestReplayKeepsTime(t *testing.T) {
	records := []trace.Record{
		{ID: "a", At: 5 * time.Second, Input: 9, Output: 3, Session: "s"},
		{ID: "b", At: 7 * time.Second, Input: 9, Output: 3, Session: "s", After: []string{"a"}, Think: 400 * ms, Tool: 600 * ms},
		{ID: "c", At: 6 * time.Second, Session: "s", Messages: []record.Message{{Role: "user", Content: "hi"}}},
	}
	prompts, err := trace.NewSource(1, records, nil)
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := FromTrace(records, prompts)
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	s := sessions[0]
	p, err := Play(s, int64(s.Start), func(_ int, due int64) (int64, string) { return due + int64(time.Second), "" })
	if err != nil {
		t.Fatal(err)
	}
	var dues []int64
	for _, r := range p.Records() {
		dues = append(dues, r.Due/int64(ms))
	}
	if want := []int64{5000, 6000, 7000, 6000}; !slices.Equal(dues, want) {
		t.Errorf("steps are due at %v ms, want %v", dues, want)
	}
	if got := s.Messages(3, p.Answers()); !slices.Equal(got, records[2].Messages) {
		t.Errorf("messages %v", got)
	}
	records[1].After = []string{"b"}
	if _, err := FromTrace(records, prompts); err == nil {
		t.Error("a request that waits for itself was accepted")
	}
}
