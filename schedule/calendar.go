package schedule

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/robfig/cron/v3"
)

// star marks a field of robfig/cron that was written as *.
const star = 1 << 63

// Calendar is the times as OnCalendar of systemd has them. They are two where both a day of
// the month and a day of the week are named: cron takes either, systemd would want both.
//
// systemd moves an hour that a zone leaves out, and cron skips it: whoever is woken by
// these asks Decide whether something is due.
func (t Times) Calendar() ([]string, error) {
	s, ok := t.cron.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("the expression has no fields: want %s", example)
	}
	clock := fmt.Sprintf("%s:%s:00 %s", field(s.Hour, "%02d"), field(s.Minute, "%02d"), t.zone)
	month := field(s.Month, "%02d")
	byDay := fmt.Sprintf("*-%s-%s %s", month, field(s.Dom, "%02d"), clock)
	byWeekday := fmt.Sprintf("%s*-%s-* %s", weekdays(s.Dow), month, clock)
	switch {
	case s.Dow&star != 0:
		return []string{byDay}, nil
	case s.Dom&star != 0:
		return []string{byWeekday}, nil
	}
	return []string{byDay, byWeekday}, nil
}

// field lists the numbers of a field, or * for all of them.
func field(set uint64, form string) string {
	if set&star != 0 && stepless(set) {
		return "*"
	}
	var list []string
	for set &^= star; set != 0; set &= set - 1 {
		list = append(list, fmt.Sprintf(form, bits.TrailingZeros64(set)))
	}
	return strings.Join(list, ",")
}

// stepless reports whether the numbers follow each other without a gap: */10 has the mark
// of a star too.
func stepless(set uint64) bool {
	set &^= star
	set >>= bits.TrailingZeros64(set)
	return set&(set+1) == 0
}

func weekdays(set uint64) string {
	names := []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	var list []string
	for i, name := range names {
		if set&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",") + " "
}
