package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
	"assay/workload/session"
)

const ms = time.Millisecond

// agentSession asks, calls a tool, parts into two branches and joins them.
func agentSession(n int64) session.Session {
	return session.Session{ID: n, Steps: []session.Step{
		{Kind: session.Generate, Text: "plan it", Answer: "recorded 0"},
		{Kind: session.Tool, Name: "search", After: []int{0}, Takes: 200 * ms, Text: "found"},
		{Kind: session.Generate, After: []int{1}, Think: 50 * ms, Text: "left", Answer: "recorded 2"},
		{Kind: session.Generate, After: []int{1}, Think: 10 * ms, Text: "right", Answer: "recorded 3"},
		{Kind: session.Generate, After: []int{2, 3}, Text: "sum up"},
	}}
}

// service is how long the stage takes for a step: the right branch thrice as
// long.
func service(step int) time.Duration {
	if step == 3 {
		return 300 * ms
	}
	return 100 * ms
}

// A stage is a target for sessions that remembers everything.
type stage struct {
	clock *record.Clock
	fails func(n int64, step int) bool

	mu    sync.Mutex
	calls map[*target.Raw]record.Call
	cut   map[*target.Raw]bool
	said  map[string][]string // answers that each call was prepared with
	rows  []record.SessionStep
}

func (s *stage) Do(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	err := wait(ctx, service(int(p.Call.ID%100)), nil)
	raw := &target.Raw{Done: s.clock.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[raw], s.cut[raw] = p.Call, err != nil
	return raw
}

func (s *stage) script() Script {
	return Script{
		Session: func(n int64) (session.Session, error) { return agentSession(n), nil },
		Prepare: func(n int64, _ session.Session, step int, answers []string) (target.Prepared, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.said[fmt.Sprint(n, " ", step)] = answers
			return target.Prepared{Call: record.Call{ID: n*100 + int64(step)}}, nil
		},
		Read: func(raw *target.Raw) (string, record.Outcome) {
			s.mu.Lock()
			defer s.mu.Unlock()
			call, sent := s.calls[raw]
			switch {
			case !sent:
				return "", record.Dropped
			case s.cut[raw]:
				return "", record.Cut
			case s.fails != nil && s.fails(call.ID/100, int(call.ID%100)):
				return "", record.HTTPError
			}
			return fmt.Sprint("live ", call.ID%100), record.OK
		},
		Keep: func(row record.SessionStep) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.rows = append(s.rows, row)
		},
	}
}

// sessions groups what was kept, in the order of steps.
func (s *stage) sessions() map[int64][]record.SessionStep {
	groups := map[int64][]record.SessionStep{}
	for _, row := range s.rows {
		groups[row.Session] = append(groups[row.Session], row)
	}
	for _, rows := range groups {
		slices.SortFunc(rows, func(a, b record.SessionStep) int { return int(a.Step - b.Step) })
	}
	return groups
}

// perform plays s on a fake clock.
func perform(t *testing.T, s Sessions, change func(*stage, *Script)) (*stage, error) {
	t.Helper()
	st := &stage{calls: map[*target.Raw]record.Call{}, cut: map[*target.Raw]bool{}, said: map[string][]string{}}
	var err error
	synctest.Test(t, func(t *testing.T) {
		clock, clockErr := record.StartClock()
		if clockErr != nil {
			t.Fatal(clockErr)
		}
		st.clock = clock
		s.Script = st.script()
		if change != nil {
			change(st, &s.Script)
		}
		err = s.Run(t.Context(), clock, st)
	})
	return st, err
}

// wantPlayed compares the rows of a complete session with the session on paper.
func wantPlayed(t *testing.T, rows []record.SessionStep) {
	t.Helper()
	s := agentSession(0)
	paper := onPaper(t, s, rows[0].Start)
	parents := []string{"", "0", "1", "1", "2 3"}
	turns := []int32{0, 1, 1, 1, 2}
	for i, want := range paper {
		row, step := rows[i], s.Steps[i]
		if row.Due != want[0] || row.End != want[1] || row.Kind != string(step.Kind) || row.Think != int64(step.Think) || row.Begun < row.Due ||
			row.Parents != parents[i] || row.Turn != turns[i] || row.Steps != 5 || row.Result != record.OK || (row.Request == nil) != (i == 1) {
			t.Errorf("session %d, step %d is %+v, on paper %+v", row.Session, i, row, want)
		}
	}
}

// onPaper is when each step of a session is due and ends, if nothing is ever late.
func onPaper(t *testing.T, s session.Session, start int64) [][2]int64 {
	t.Helper()
	p, err := session.NewProgress(s, start)
	if err != nil {
		t.Fatal(err)
	}
	times := make([][2]int64, len(s.Steps))
	for ready := p.Next(); len(ready) > 0; ready = p.Next() {
		for _, d := range ready {
			takes := s.Steps[d.Step].Takes
			if s.Steps[d.Step].Kind == session.Generate {
				takes = service(d.Step)
			}
			times[d.Step] = [2]int64{d.At, d.At + int64(takes)}
			if err := p.End(d.Step, times[d.Step][1], ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	return times
}

// In a closed loop every user plays one session after the other, each exactly as
// on paper, and steps and sessions belong to the phase in which they begin.
func TestClosedSessions(t *testing.T) {
	var entered []int64
	tally := &Tally{}
	st, err := perform(t, Sessions{
		Users: 3, Warmup: time.Second, Measure: 3 * time.Second, Tally: tally,
		Entered: func(_ record.Phase, at int64) { entered = append(entered, at) },
	}, nil)
	if err != nil || len(entered) != 2 {
		t.Fatal(err, entered)
	}
	ends := map[int32]int64{} // of users
	complete, begun := 0, 0
	groups := st.sessions()
	// A session that was begun in the instant in which the load ended has a number
	// and no step; one of each user at most.
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		rows := groups[n]
		first := rows[0]
		if end, ok := ends[first.User]; ok && first.Start != end {
			t.Errorf("session %d of user %d begins at %d, the one before ended at %d", n, first.User, first.Start, end)
		}
		phase := func(at int64) record.Phase {
			switch {
			case at < entered[0]:
				return record.Warmup
			case at < entered[1]:
				return record.Measure
			}
			return record.Cooldown
		}
		if first.Began != phase(first.Start) {
			t.Errorf("session %d began at %d in %s, want %s", n, first.Start, first.Began, phase(first.Start))
		}
		for _, row := range rows {
			if row.Kind == record.StepGenerate {
				begun++
			}
			if row.Began != first.Began || row.Phase != phase(row.Begun) {
				t.Errorf("session %d, step %d began at %d in %s of a session of %s", n, row.Step, row.Begun, row.Phase, row.Began)
			}
			if row.Phase == record.Measure && row.Result != record.OK {
				t.Errorf("measured step %d of session %d was not waited for: %s", row.Step, n, row.Result)
			}
		}
		if len(rows) < 5 || rows[4].Result != record.OK {
			if first.Began == record.Measure {
				t.Errorf("measured session %d was not waited for: %+v", n, rows)
			}
			continue
		}
		wantPlayed(t, rows)
		complete++
		ends[first.User] = rows[4].End
	}
	if last := slices.Max(slices.Collect(maps.Keys(groups))); last >= int64(len(groups))+3 {
		t.Errorf("%d sessions have steps, the last has number %d", len(groups), last)
	}
	// 710 ms a session: warm-up takes 2 of each user, the measurement 4.
	if complete != 3*(2+4) {
		t.Errorf("%d complete sessions, want 18", complete)
	}
	if tally.Begun.Load() != int64(begun) || tally.Most.Load() != 6 {
		t.Errorf("tally %d begun, %d at once; %d kept, want 6 at once", tally.Begun.Load(), tally.Most.Load(), begun)
	}
}

// The limit counts sessions, and shards split them by number.
func TestSessionLimitAndShards(t *testing.T) {
	seen := map[int64]bool{}
	for shard := range 2 {
		st, err := perform(t, Sessions{Users: 1, Measure: time.Hour, Most: 2, Shard: shard, Shards: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		measured := 0
		for n, rows := range st.sessions() {
			if rows[0].Shard != int32(shard) || rows[0].User != int32(shard) || n%2 != int64(shard) {
				t.Errorf("session %d was played by user %d of shard %d", n, rows[0].User, rows[0].Shard)
			}
			if rows[0].Began == record.Measure {
				measured++
				seen[n] = true
			}
		}
		if measured != 2 {
			t.Errorf("shard %d measured %d sessions, want 2", shard, measured)
		}
	}
	if len(seen) != 4 || !seen[0] || !seen[1] || !seen[2] || !seen[3] {
		t.Errorf("both shards measured %v, want 0 to 3", seen)
	}
}

// In an open loop sessions begin when they are due, whatever became of those
// before them; one that finds no room is dropped, and the numbers add up.
func TestOpenSessions(t *testing.T) {
	limits := arrival.Limits{Warmup: time.Second, Measure: 2 * time.Second}
	tally := &Tally{}
	st, err := perform(t, Sessions{Schedule: scheduleOf(t, "constant", 10, limits), MaxInFlight: 4, Tally: tally}, nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := st.sessions()
	begin := groups[0][0].Start
	begun, dropped := int64(0), 0
	for n := range int64(30) {
		rows := groups[n]
		if len(rows) == 0 {
			t.Fatalf("session %d left no record", n)
		}
		phase := record.Measure
		if n < 10 {
			phase = record.Warmup
		}
		if rows[0].Start-begin != n*int64(100*ms) || rows[0].Phase != phase || rows[0].Began != phase || rows[0].User != -1 {
			t.Errorf("session %d is %+v", n, rows[0])
		}
		if rows[0].Result == record.Dropped {
			dropped++
			continue
		}
		wantPlayed(t, rows)
	}
	for _, row := range st.rows {
		if row.Kind == record.StepGenerate {
			begun++
		}
	}
	// Four sessions of 710 ms have room in every 800 ms.
	if dropped < 10 || tally.Begun.Load() != begun || tally.Dropped.Load() < int64(dropped) {
		t.Errorf("%d of 30 dropped; the tally has %d begun and %d dropped of %d calls", dropped, tally.Begun.Load(), tally.Dropped.Load(), begun)
	}
}

// A step that fails ends its session: its branch is waited for, nothing follows.
func TestFailedStep(t *testing.T) {
	st, err := perform(t, Sessions{Users: 1, Measure: time.Hour, Most: 2}, func(s *stage, _ *Script) {
		s.fails = func(n int64, step int) bool { return n == 0 && step == 2 }
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := st.sessions()[0]
	if len(rows) != 4 || rows[2].Result != record.HTTPError || rows[3].Result != record.OK || rows[3].End <= rows[2].End {
		t.Errorf("a session whose third step fails leaves %+v", rows)
	}
	wantPlayed(t, st.sessions()[1])
}

// History is what was recorded, or what was said where it is live.
func TestHistory(t *testing.T) {
	for live, want := range map[bool][]string{
		false: {"recorded 0", "found", "recorded 2", "recorded 3", ""},
		true:  {"live 0", "found", "live 2", "live 3", ""},
	} {
		st, err := perform(t, Sessions{Users: 1, Measure: time.Hour, Most: 1}, func(_ *stage, script *Script) { script.Live = live })
		if err != nil {
			t.Fatal(err)
		}
		if got := st.said["0 4"]; !slices.Equal(got, want) {
			t.Errorf("live %v: the last step follows %q, want %q", live, got, want)
		}
		if row := st.sessions()[0][4]; row.Live != live {
			t.Errorf("live %v is recorded as %v", live, row.Live)
		}
	}
}

// A real tool takes its own time and its answer is heard; one that fails ends
// the session.
func TestRealTool(t *testing.T) {
	heard := ""
	st, err := perform(t, Sessions{Users: 1, Measure: time.Hour, Most: 2}, func(_ *stage, script *Script) {
		script.Live = true
		search := func(ctx context.Context, s session.Session, step int, said string) (string, error) {
			heard = said
			if s.ID == 1 {
				return "", errors.New("broken")
			}
			return "really found", wait(ctx, 30*ms, nil)
		}
		script.Tool = func(name string) Tool { return map[string]Tool{"search": search}[name] }
	})
	if err != nil {
		t.Fatal(err)
	}
	groups := st.sessions()
	if tool := groups[0][1]; time.Duration(tool.End-tool.Due) != 30*ms || !tool.Real || heard != "live 0" {
		t.Errorf("tool %+v heard %q", tool, heard)
	}
	if got := st.said["0 2"][1]; got != "really found" {
		t.Errorf("the next turn hears %q", got)
	}
	if rows := groups[1]; len(rows) != 2 || rows[1].Result != record.ToolFailed || rows[1].Error != "broken" {
		t.Errorf("a broken tool leaves %+v", rows)
	}
}

// A point that is cancelled ends at once, with the cause, and keeps what was
// under way as cut.
func TestCancelledSessions(t *testing.T) {
	boom := errors.New("boom")
	st := &stage{calls: map[*target.Raw]record.Call{}, cut: map[*target.Raw]bool{}, said: map[string][]string{}}
	synctest.Test(t, func(t *testing.T) {
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		st.clock = clock
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(150*ms, func() { cancel(boom) })
		if err := (Sessions{Users: 2, Measure: time.Hour, Script: st.script()}).Run(ctx, clock, st); !errors.Is(err, boom) {
			t.Errorf("got %v, want the cause", err)
		}
	})
	for n, rows := range st.sessions() {
		if len(rows) != 2 || rows[1].Result != record.Cut {
			t.Errorf("session %d was cut in its tool and leaves %+v", n, rows)
		}
	}
	_, err := perform(t, Sessions{Users: 1, Measure: time.Hour}, func(_ *stage, script *Script) {
		script.Session = func(int64) (session.Session, error) { return session.Session{}, boom }
	})
	if !errors.Is(err, boom) {
		t.Errorf("a session that cannot be made: got %v", err)
	}
}
