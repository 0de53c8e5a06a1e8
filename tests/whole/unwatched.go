//go:build !race

package whole

// Watched says whether the race detector watches.
const Watched = false
