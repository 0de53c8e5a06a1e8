//go:build race

package whole

// Watched says whether the race detector watches: what computes takes eight times as long
// under it, and finds no more races for being done a hundred times. Packages that ask are
// tested without it too (TWICE in the Makefile).
const Watched = true
