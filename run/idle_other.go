//go:build !linux

package run

import "time"

// idleProcessors is not known on this system.
func idleProcessors(time.Duration) idleness { return idleness{} }
