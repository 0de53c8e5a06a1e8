//go:build !linux

package telemetry

import "time"

// IdleProcessors is not known on this system.
func IdleProcessors(time.Duration) Idleness { return Idleness{} }
