package schedule

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCalendar(t *testing.T) {
	f := func(expression, zone string, want ...string) {
		t.Helper()
		got, err := times(t, expression, zone).Calendar()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q (%v), want %q", expression, got, err, want)
		}
	}
	f("0 2 * * *", "", "*-*-* 02:00:00 UTC")
	f("*/20 * * * *", "Europe/Berlin", "*-*-* *:00,20,40:00 Europe/Berlin")
	f("30 1 1,15 * 1-3", "", "*-*-01,15 01:30:00 UTC", "Mon,Tue,Wed *-*-* 01:30:00 UTC")
	f("@weekly", "", "Sun *-*-* 00:00:00 UTC")
}

// systemd itself has the same next times as we do.
func TestCalendarAsSystemd(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	elapse := regexp.MustCompile(`(?m)\(in UTC\): \w+ (\S+ \S+) UTC|(?:Next elapse|Iteration #\d+|Iter\. #\d+): \w+ (\S+ \S+) UTC`)
	for _, expression := range []string{"0 2 * * *", "*/25 8-18 * * 1-5", "15 3 1 */2 *", "@monthly", "5 4 * * 0"} {
		at := times(t, expression, "")
		list, err := at.Calendar()
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		out, err := exec.CommandContext(t.Context(), tool, "calendar", "--iterations=5", "--base-time=2026-11-17 12:00:00 UTC", list[0]).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", list[0], err, out)
		}
		next := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
		matches := elapse.FindAllStringSubmatch(string(out), -1)
		if len(matches) != 5 {
			t.Fatalf("%s: %d times in\n%s", list[0], len(matches), out)
		}
		for _, m := range matches {
			next = at.After(next)
			if got := strings.TrimSpace(m[1] + m[2]); got != next.Format(time.DateTime) {
				t.Errorf("%s: systemd says %s, want %s", expression, got, next.Format(time.DateTime))
			}
		}
	}
}
