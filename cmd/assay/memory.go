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
func collectSooner(env Env) {
	set := slices.ContainsFunc(env.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
	if !set {
		debug.SetGCPercent(50)
	}
}
