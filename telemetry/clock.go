package telemetry

import (
	"context"

	"assay/record"
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
