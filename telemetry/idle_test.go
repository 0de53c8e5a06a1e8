package telemetry

import (
	"testing"
	"time"
)

func TestIdleProcessors(t *testing.T) {
	idle := IdleProcessors(10 * time.Millisecond)
	if !idle.Known {
		t.Skip("this system does not say how busy its processors are: want Linux with /proc/stat")
	}
	if idle.Processors < 0 || idle.Processors > 4096 {
		t.Errorf("%g processors are idle", idle.Processors)
	}
}
