package run

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"

	"assay/record"
)

// While it is held, the collector does not run however much is thrown away, until the
// budget is spent; afterwards everything is as it was.
func TestHoldCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	throwAway := func(megabytes int) {
		for range megabytes {
			runtime.KeepAlive(make([]byte, 1<<20))
		}
	}
	collected := func(megabytes int) int64 {
		begun := readCollections()
		throwAway(megabytes)
		return readCollections().since(begun, 0).Collections
	}
	release := holdCollector(256 << 20)
	inner := holdCollector(256 << 20) // another run of the same program
	if n := collected(64); n != 0 {
		t.Errorf("%d collections of 64 MB within a budget of 256 MB, want none", n)
	}
	if n := collected(1024); n < 2 || n > 20 {
		t.Errorf("%d collections of 1 GB within a budget of 256 MB, want about four", n)
	}
	// What stays alive does not make the collector run all the time.
	var kept [][]byte
	begun := readCollections()
	for range 1024 {
		kept = append(kept, make([]byte, 1<<20))
	}
	if n := readCollections().since(begun, 0).Collections; n > 20 {
		t.Errorf("%d collections while 1 GB was kept, want about four", n)
	}
	runtime.KeepAlive(kept)
	kept = nil
	runtime.GC()
	runtime.GC() // the finalizer of the first has set the percentage by now or soon
	inner()
	inner() // a second release is none
	if n := collected(64); n != 0 {
		t.Errorf("%d collections of 64 MB although a holder is left, want none", n)
	}
	release()
	if now := debug.SetGCPercent(100); now != 100 {
		t.Errorf("GOGC %d afterwards, want 100", now)
	}
	if n := collected(256); n == 0 {
		t.Error("no collection afterwards")
	}
}

// The window says how often the collector ran in it and how long it paused at most; a
// window that never began says nothing.
func TestWindowCollector(t *testing.T) {
	var told []string
	var events eventLog = func(name string, _ int64, detail string) {
		if name == record.WindowCollector {
			told = append(told, detail)
		}
	}
	w := windowCollector{budget: 5}
	w.entered(record.Cooldown, 1, events)
	w.entered(record.Measure, 2, events)
	runtime.GC()
	runtime.GC()
	w.entered(record.Cooldown, 3, events)
	if len(told) != 1 {
		t.Fatalf("told %q, want one window", told)
	}
	var c record.Collector
	if err := json.Unmarshal([]byte(told[0]), &c); err != nil {
		t.Fatal(err)
	}
	if c.Collections < 2 || c.LongestPause <= 0 || c.LongestPause > 3600 || c.BudgetBytes != 5 {
		t.Errorf("%+v, want two collections, a pause and the budget", c)
	}
}
