package main

import (
	"runtime/debug"
	"slices"
	"strings"
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
	set := slices.ContainsFunc(env.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
	if !set {
		debug.SetGCPercent(percent)
	}
}
