package telemetry

import (
	"context"

	"assay/record"
	"assay/stats"
)

var clockSection = section{
	names: []string{"clock.sync", "clock.offset_seconds", "clock.max_error_seconds", "clock.status"},
	read:  readClock,
}

func readClock(_ context.Context, h Host, env record.Environment) error {
	if h.ClockSync == nil {
		return errNotAsked
	}
	c, err := h.ClockSync()
	if err != nil {
		return err
	}
	env.Set("clock.sync", c.Synchronised)
	env.Set("clock.offset_seconds", c.Offset.Seconds())
	env.Set("clock.max_error_seconds", c.MaxError.Seconds())
	env.Set("clock.status", c.Status)
	return nil
}

// stampSection is the clock that stamps are read from.
var stampSection = section{
	names: []string{"clock.resolution_seconds", "clock.reading_seconds"},
	read: func(_ context.Context, h Host, env record.Environment) error {
		if h.Now == nil {
			return errNotAsked
		}
		step, reading, err := stats.ClockResolution(h.Now)
		if err != nil {
			return err
		}
		env.Set("clock.resolution_seconds", step.Seconds())
		env.Set("clock.reading_seconds", reading.Seconds())
		return nil
	},
}
