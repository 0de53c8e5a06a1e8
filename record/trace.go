package record

import (
	"crypto/sha256"
	"strconv"
)

// LaunchTrace is the half of a trace's id that the requests of a launch share, and no other
// launch of any run has: records that were given to another run, or to another launch of the
// same, are known by it.
func LaunchTrace(runID string, launch int) (id [8]byte) {
	sum := sha256.Sum256([]byte(runID + "/" + strconv.Itoa(launch)))
	copy(id[:], sum[:])
	return id
}
