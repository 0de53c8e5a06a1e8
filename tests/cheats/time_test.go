package cheats

import (
	"sync"
	"time"
)

// timeCheats are set-ups whose times are not what they seem.
var timeCheats = []cheat{
	{name: "a program whose clock runs at a quarter of the speed", server: running("0.25"), check: "program-clock", twin: "a program whose clock is right"},
	{name: "a program whose first stamps are early", server: running("-59"), check: "program-clock", twin: "a program whose clock is right"},
	{name: "a program of long answers whose clock is a sixth too slow", server: running("0.84"), spec: []string{longAnswers, eightUsers}, check: "program-clock", twin: "a program of long answers"},
	{name: "a program of short answers whose clock runs at half the speed", server: running("0.5"), spec: []string{shortAnswers}, check: "littles-law", says: "throughput × E2E", twin: "a program of short answers"},
	{name: "one user of four waits three times as long", server: byConnection(func(connection int) bool { return connection%4 == 1 }, 3), spec: []string{eightUsers}, check: "starved-users", twin: "lengths that vary twelvefold"},
	{name: "every second user waits three times as long", server: byConnection(func(connection int) bool { return connection%2 == 1 }, 3), spec: []string{eightUsers}, check: "starved-users", twin: "one slow answer in ten, for eight users"},
	{name: "half as fast without a trace", server: marking(func(marked bool) bool { return !marked }), spec: []string{manyUsers}, check: "marked-requests", says: "that carry none", twin: "many users, all alike"},
	{name: "slower with a trace", server: marking(func(marked bool) bool { return marked }), spec: []string{manyUsers}, check: "marked-requests", twin: "many users, all alike"},
	{name: "each launch slower than the one before", server: overLaunches(func(launch int) float64 { return 1 + .4*float64(launch) }), spec: sixLaunches, check: "launch-trend", twin: "six launches that differ"},
	{name: "two launches of six in a slow mode", server: overLaunches(func(launch int) float64 { return []float64{1, 1.6, 1.01, .99, 1.62, 1}[launch%6] }), spec: sixLaunches, check: "launch-modes", says: "in launches 2, 5 and", twin: "six launches that differ"},
	{name: "each launch faster than the one before", server: overLaunches(func(launch int) float64 { return 3 - .4*float64(launch) }), spec: sixLaunches, check: "launch-trend", twin: "six launches that differ"},
	{name: "one launch of six is three times as slow", server: overLaunches(func(launch int) float64 {
		if launch == 3 {
			return 3
		}
		return 1 + .01*float64(launch%3)
	}), spec: sixLaunches, check: "outlier-launches", twin: "six launches that differ"},
}

// timeTwins are honest set-ups like those.
var timeTwins = []cheat{
	{name: "a program whose clock is right", server: running("1")},
	{name: "a program of long answers", server: running("1"), spec: []string{longAnswers, eightUsers}},
	{name: "a program of short answers", server: running("1"), spec: []string{shortAnswers}},
	{name: "lengths that vary twelvefold", server: lying(func(q question, a *answer) {
		n := []int{2, 2, 3, 24, 5, 24, 2, 9, 4, 3, 17, 2, 6}[q.n%13]
		a.words, a.usage = a.words[:n], n
		a.finish = []part{event(chunk(object{}, "stop"))}
		for i := range a.words {
			a.words[i].wait *= 2
		}
	}), spec: []string{eightUsersEnding}},
	{name: "one slow answer in ten, for eight users", server: one(10, func(_ question, a *answer) { a.words[0].wait += pause }), spec: []string{eightUsers}},
	{name: "many users, all alike", server: quick, spec: []string{manyUsers}},
	{name: "six launches that differ", server: overLaunches(func(launch int) float64 { return []float64{1, 1.04, .98, 1.03, .99, 1.01}[launch%6] }), spec: sixLaunches},
}

const (
	shortAnswers     = "  workload: {model: words, sequenceLengthMix: [{inputTokens: 64, outputTokens: 4, weight: 1}]}"
	longAnswers      = "  workload: {model: words, sequenceLengthMix: [{inputTokens: 64, outputTokens: 90, weight: 1}]}"
	eightUsers       = "  load: {concurrency: [8], duration: 1500ms, warmup: {duration: 100ms}, calibrate: false}"
	eightUsersEnding = "  load: {concurrency: [8], duration: 1500ms, warmup: {duration: 100ms}, calibrate: false, ignoreEOS: false}"
	manyUsers        = "  load: {concurrency: [16], duration: 1500ms, warmup: {duration: 100ms}, calibrate: false}"
)

// sixLaunches are short ones of one server.
var sixLaunches = []string{
	"  trials: {minReplicates: 6}",
	"  load: {concurrency: [4], duration: 500ms, warmup: {duration: 100ms}, calibrate: false}",
}

func running(speed string) func(*liar) { return func(l *liar) { l.program = speed } }

// quick answers fast, so that there are many answers.
func quick(l *liar) { l.first, l.gap = 12*time.Millisecond, time.Millisecond }

// stretch makes an answer so many times as long.
func (a *answer) stretch(by float64) {
	for i := range a.words {
		a.words[i].wait = time.Duration(by * float64(a.words[i].wait))
	}
}

// byConnection serves some connections worse than others.
func byConnection(starves func(connection int) bool, by float64) func(*liar) {
	return func(l *liar) {
		var mu sync.Mutex
		known := map[string]int{}
		l.lie = func(q question, a *answer) {
			mu.Lock()
			if _, there := known[q.remote]; !there {
				known[q.remote] = len(known)
			}
			starved := starves(known[q.remote])
			mu.Unlock()
			if starved {
				a.stretch(by)
			}
		}
	}
}

// marking serves requests that carry a trace unlike those that do not.
func marking(slow func(marked bool) bool) func(*liar) {
	return func(l *liar) {
		quick(l)
		l.lie = func(q question, a *answer) {
			if slow(q.header.Get("Traceparent") != "") {
				a.stretch(2.5)
			}
		}
	}
}

// overLaunches serves each launch at a pace of its own. Nothing is asked for a while between
// two of them.
func overLaunches(pace func(launch int) float64) func(*liar) {
	return func(l *liar) {
		var mu sync.Mutex
		launch, traces := -1, map[string]bool{}
		l.lie = func(q question, a *answer) {
			mu.Lock()
			if trace := q.header.Get("Traceparent"); len(trace) > 19 && !traces[trace[3:19]] { // the half that a launch shares
				traces[trace[3:19]] = true
				launch++
			}
			by := pace(max(0, launch))
			mu.Unlock()
			a.stretch(by)
		}
	}
}
