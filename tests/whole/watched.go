//go:build race

package whole

// Watched says whether the race detector watches: what computes takes eight times as long
// under it, and finds no more races for being done a hundred times. make test
// does all of it.
const Watched = true
