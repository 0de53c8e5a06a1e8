// Package start keeps the collector from running while the program starts. What it prepares stays,
// and the collector, which first runs at four megabytes, would go through it again and again
// before the first command does anything.
//
// Go prepares the packages that need nothing else first, in the order of their paths, so
// that this one comes before those that allocate much.
package start

import "runtime/debug"

// A heap of sixteen megabytes, not of four, is then the first to be collected.
var before = debug.SetGCPercent(400)

// Ended leaves the collector as it was set: by GOGC or as Go has it.
func Ended() { debug.SetGCPercent(before) }
