package main

import (
	"runtime/debug"
	"slices"
	"strings"

	"assay/telemetry"
)

// collectSooner makes a program that measures keep less garbage: half as much as
// it has data, not as much again. Little is allocated while streams are read, so
// the collector still runs rarely; ten thousand streams need two thirds of the
// memory. Whoever sets GOGC knows better.
func collectSooner(env Env) { collectAt(env, 50) }

// collectSoonest is for a program that judges: what it holds of a million requests
// is half a gigabyte that stays, and a quarter as much again is room enough for
// what does not.
func collectSoonest(env Env) { collectAt(env, 25) }

func collectAt(env Env, percent int) {
	if collectorSet(env) {
		return
	}
	debug.SetGCPercent(percent)
	if ballast == nil {
		ballast = make([]byte, 64<<20)
	}
}

// ballast is never touched, so that it takes no memory, and counts as data for the collector: a
// share of the megabyte that a small run holds would have it run all the time.
var ballast []byte

func collectorSet(env Env) bool {
	return slices.ContainsFunc(env.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
}

// mostGarbage bounds what a point may leave behind before it is collected.
const mostGarbage = 256 << 20

// collectorBudget is how much a point may allocate before the collector runs in it: an
// eighth of the memory that is available, at most 256 MB. Whoever sets GOGC has
// the collector as it was set.
func collectorBudget(env Env, host telemetry.Host) int64 {
	if collectorSet(env) {
		return 0
	}
	return min(mostGarbage, telemetry.AvailableMemory(host)/8)
}
