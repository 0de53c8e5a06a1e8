package record

import "testing"

// Stamps plus the epoch are the host's own clock, whatever took the processor away while
// the clock was started: no start may be off by more than the readings around it allow.
func TestClocksAreTheHosts(t *testing.T) {
	for range 2000 {
		started, err := StartClock()
		if err != nil {
			t.Fatal(err)
		}
		shifted, err := ClockFrom(started.Epoch - 5000e9)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*Clock{started, shifted} {
			before := Mono()
			now := c.Now() + c.Epoch
			after := Mono()
			const off = 100e3 // ns, far above a microsecond and far below a turn of the scheduler
			if now < before-off || now > after+off {
				t.Fatalf("%d is the host's time by the clock, want %d to %d", now, before, after)
			}
		}
	}
}
