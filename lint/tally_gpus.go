package lint

import (
	"fmt"
	"strings"

	"assay/bundle"
	"assay/record"
)

// A GPUTally is what one device showed in the measured windows of one launch.
type GPUTally struct {
	Launch   int
	UUID     string
	Readings int            // of the throttle reasons together
	Reasons  map[string]int // readings in which a reason held, by its name
	Clock    []float64      // of its processors in MHz, in the order of time
	Celsius  []float64      // in the order of time
}

// tallyGPUs reads the samples of the accelerators in the completed launches.
func tallyGPUs(b *bundle.Bundle) ([]GPUTally, error) {
	var out []GPUTally
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		windows, err := readWindows(b, info.Index)
		if err != nil {
			return nil, err
		}
		at := map[string]int{}
		for s, err := range bundle.Rows[record.Sample](b, info.Index, bundle.Samples) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index, err)
			}
			if s.Source != "gpu" || s.Value == nil || !windows.hold(s.At) {
				continue
			}
			i, known := at[s.Scope]
			if !known {
				i, at[s.Scope] = len(out), len(out)
				out = append(out, GPUTally{Launch: info.Index, UUID: s.Scope, Reasons: map[string]int{}})
			}
			out[i].add(s)
		}
	}
	return out, nil
}

func (g *GPUTally) add(s record.Sample) {
	switch reason, throttle := strings.CutPrefix(s.Name, "throttle."); {
	case s.Name == "throttle":
		g.Readings++
	case throttle && reason != "mask" && *s.Value > 0:
		g.Reasons[reason]++
	case s.Name == "clock.sm":
		g.Clock = append(g.Clock, *s.Value)
	case s.Name == "temperature":
		g.Celsius = append(g.Celsius, *s.Value)
	}
}

// windows are the measured windows of a launch.
type windows [][2]int64

func (w windows) hold(at int64) bool {
	for _, one := range w {
		if one[0] <= at && at < one[1] {
			return true
		}
	}
	return false
}

func readWindows(b *bundle.Bundle, launch int) (windows, error) {
	var out windows
	begun := map[int32]int64{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			return nil, fmt.Errorf("launch %d: %w", launch, err)
		}
		switch e.Name {
		case record.WindowBegin:
			begun[e.Point] = e.At
		case record.WindowEnd:
			if from, ok := begun[e.Point]; ok {
				out = append(out, [2]int64{from, e.At})
			}
		}
	}
	return out, nil
}
