package schedule

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	when, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func times(t *testing.T, expression, zone string) Times {
	t.Helper()
	got, err := Parse(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestParseRefuses(t *testing.T) {
	f := func(expression, zone, says string) {
		t.Helper()
		if _, err := Parse(expression, zone); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q, %q) = %v, want %q", expression, zone, err, says)
		}
	}
	f("", "", "want five fields")
	f("nightly", "", "want five fields")
	f("0 2 * * * *", "", "want five fields")
	f("0 25 * * *", "", "want five fields")
	f("0 0 30 2 *", "", "never happens")
	f("CRON_TZ=Asia/Tokyo 0 2 * * *", "", "want it in timeZone")
	f("@every 5m", "", "no fixed times")
	f("0 2 * * *", "Europe/Atlantis", "want a name such as Europe/Berlin")
	f("0 2 * * *", "Local", "differs from machine to machine")
}

// A nightly hour stays where people sleep when clocks change; what the change leaves out or
// repeats is as cron has it.
func TestZones(t *testing.T) {
	f := func(expression, zone, after string, want ...string) {
		t.Helper()
		now := at(t, after)
		for _, text := range want {
			now = times(t, expression, zone).After(now)
			if now.Format("2006-01-02 15:04:05") != text {
				t.Errorf("%s in %s: %s, want %s", expression, zone, now.Format(time.DateTime), text)
			}
		}
	}
	f("0 4 * * *", "Europe/Berlin", "2026-03-28 00:00:00", "2026-03-28 03:00:00", "2026-03-29 02:00:00")
	f("0 4 * * *", "Europe/Berlin", "2026-10-24 00:00:00", "2026-10-24 02:00:00", "2026-10-25 03:00:00")
	f("0 4 * * *", "", "2026-10-24 05:00:00", "2026-10-25 04:00:00")
	f("30 2 * * *", "Europe/Berlin", "2026-03-28 00:00:00", "2026-03-28 01:30:00", "2026-03-30 00:30:00")                        // 29 March has no 02:30
	f("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00:00", "2026-10-25 00:30:00", "2026-10-25 01:30:00", "2026-10-26 01:30:00") // 25 October has two
}

func TestDecide(t *testing.T) {
	hourly, nightly := "0 * * * *", "0 2 * * *"
	tests := []struct {
		name               string
		cron               string
		rule               Rule
		decided, waiting   string
		active             int
		now                string
		start, wait        string
		replace            bool
		missed             map[Reason]int64
		decidedThen, looks string
	}{
		{name: "nothing due", cron: nightly, decided: "2026-11-17 03:00:00", now: "2026-11-17 12:00:00",
			decidedThen: "2026-11-17 03:00:00", looks: "2026-11-18 02:00:00"},
		{name: "due", cron: nightly, decided: "2026-11-17 03:00:00", now: "2026-11-18 02:00:00",
			start: "2026-11-18 02:00:00", decidedThen: "2026-11-18 02:00:00", looks: "2026-11-19 02:00:00"},
		{name: "decided once", cron: nightly, decided: "2026-11-18 02:00:00", now: "2026-11-18 02:00:00",
			decidedThen: "2026-11-18 02:00:00", looks: "2026-11-19 02:00:00"},
		{name: "a clock that went back decides nothing again", cron: nightly, decided: "2026-11-18 02:00:00", now: "2026-11-18 01:00:00",
			decidedThen: "2026-11-18 02:00:00", looks: "2026-11-19 02:00:00"},
		{name: "late, and within its deadline", cron: nightly, rule: Rule{Deadline: time.Hour}, decided: "2026-11-17 03:00:00", now: "2026-11-18 03:00:00",
			start: "2026-11-18 02:00:00", decidedThen: "2026-11-18 02:00:00", looks: "2026-11-19 02:00:00"},
		{name: "too late", cron: nightly, rule: Rule{Deadline: time.Hour}, decided: "2026-11-17 03:00:00", now: "2026-11-18 03:00:01",
			missed: map[Reason]int64{TooLate: 1}, decidedThen: "2026-11-18 02:00:00", looks: "2026-11-19 02:00:00"},
		{name: "away for days: the last one runs", cron: hourly, decided: "2026-11-15 00:00:00", now: "2026-11-17 00:10:00",
			start: "2026-11-17 00:00:00", missed: map[Reason]int64{Overtaken: 47}, decidedThen: "2026-11-17 00:00:00", looks: "2026-11-17 01:00:00"},
		{name: "away for a year of minutes", cron: "* * * * *", decided: "2025-11-17 00:00:00", now: "2026-11-17 00:00:30",
			start: "2026-11-17 00:00:00", missed: map[Reason]int64{Overtaken: mostWalked}, decidedThen: "2026-11-17 00:00:00", looks: "2026-11-17 00:01:00"},
		{name: "suspended", cron: hourly, rule: Rule{Suspended: true}, decided: "2026-11-17 00:00:00", now: "2026-11-17 03:10:00",
			missed: map[Reason]int64{Suspended: 3}, decidedThen: "2026-11-17 03:00:00", looks: "2026-11-17 04:00:00"},
		{name: "forbidden while another runs", cron: hourly, rule: Rule{Overlap: Forbid, Deadline: 10 * time.Minute}, decided: "2026-11-17 00:00:00", active: 1, now: "2026-11-17 01:00:00",
			wait: "2026-11-17 01:00:00", decidedThen: "2026-11-17 00:59:59", looks: "2026-11-17 01:10:01"},
		{name: "the other has ended in time", cron: hourly, rule: Rule{Overlap: Forbid, Deadline: 10 * time.Minute}, decided: "2026-11-17 00:59:59", waiting: "2026-11-17 01:00:00", now: "2026-11-17 01:09:00",
			start: "2026-11-17 01:00:00", decidedThen: "2026-11-17 01:00:00", looks: "2026-11-17 02:00:00"},
		{name: "the other went on for too long", cron: hourly, rule: Rule{Overlap: Forbid, Deadline: 10 * time.Minute}, decided: "2026-11-17 00:59:59", waiting: "2026-11-17 01:00:00", active: 1, now: "2026-11-17 01:10:01",
			missed: map[Reason]int64{Blocked: 1}, decidedThen: "2026-11-17 01:00:00", looks: "2026-11-17 02:00:00"},
		{name: "the other went on until the next", cron: hourly, rule: Rule{Overlap: Forbid}, decided: "2026-11-17 00:59:59", waiting: "2026-11-17 01:00:00", active: 1, now: "2026-11-17 02:00:00",
			wait: "2026-11-17 02:00:00", missed: map[Reason]int64{Blocked: 1}, decidedThen: "2026-11-17 01:59:59", looks: "2026-11-17 03:00:00"},
		{name: "beside another", cron: hourly, rule: Rule{Overlap: Allow}, decided: "2026-11-17 00:00:00", active: 3, now: "2026-11-17 01:00:00",
			start: "2026-11-17 01:00:00", decidedThen: "2026-11-17 01:00:00", looks: "2026-11-17 02:00:00"},
		{name: "in place of another", cron: hourly, rule: Rule{Overlap: Replace}, decided: "2026-11-17 00:00:00", active: 1, now: "2026-11-17 01:00:00",
			wait: "2026-11-17 01:00:00", replace: true, decidedThen: "2026-11-17 00:59:59", looks: "2026-11-17 02:00:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.rule.Times = times(t, tt.cron, "")
			d := tt.rule.Decide(State{Decided: at(t, tt.decided), Waiting: at(t, tt.waiting), Active: tt.active}, at(t, tt.now))
			missed := map[Reason]int64{}
			for _, m := range d.Missed {
				missed[m.Reason] = m.Count
			}
			if tt.missed == nil {
				tt.missed = map[Reason]int64{}
			}
			if !d.Start.Equal(at(t, tt.start)) || !d.Wait.Equal(at(t, tt.wait)) || d.Replace != tt.replace || !reflect.DeepEqual(missed, tt.missed) {
				t.Errorf("Decide = %+v", d)
			}
			if got := d.Decided.Truncate(time.Second); !got.Equal(at(t, tt.decidedThen)) {
				t.Errorf("decided until %s, want %s", got, tt.decidedThen)
			}
			if !d.Look.Equal(at(t, tt.looks)) {
				t.Errorf("looks again at %s, want %s", d.Look, tt.looks)
			}
		})
	}
}

// However often and at whatever times somebody looks, every due time has a run or is
// counted, and none has both.
func TestEveryTimeIsDecidedOnce(t *testing.T) {
	rule := Rule{Times: times(t, "*/10 * * * *", "Europe/Berlin"), Deadline: 4 * time.Minute, Overlap: Forbid}
	first, last := at(t, "2026-10-24 00:00:00"), at(t, "2026-10-26 00:00:00")
	for _, step := range []time.Duration{17 * time.Second, 3 * time.Minute, 7 * time.Minute, 31 * time.Minute, 5 * time.Hour} {
		s := State{Decided: first}
		runs, missed := map[time.Time]bool{}, int64(0)
		for now, i := first, 0; !now.After(last); now, i = now.Add(step), i+1 {
			s.Active = i % 3 / 2
			d := rule.Decide(s, now)
			if !d.Start.IsZero() {
				if runs[d.Start] {
					t.Fatalf("two runs for %s", d.Start)
				}
				runs[d.Start] = true
			}
			for _, m := range d.Missed {
				missed += m.Count
			}
			s.Decided, s.Waiting = d.Decided, d.Wait
		}
		want := int64(s.Decided.Add(time.Nanosecond).Truncate(time.Minute).Sub(first) / (10 * time.Minute))
		if !s.Waiting.IsZero() {
			want-- // not decided yet
		}
		if got := int64(len(runs)) + missed; got != want {
			t.Errorf("looked at every %s: %d runs and %d missed, want %d times", step, len(runs), missed, want)
		}
	}
}
