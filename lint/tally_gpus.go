package lint

import (
	"fmt"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/stats"
)

// A GPUTally is what one device showed in the measured window of one point of one
// launch.
type GPUTally struct {
	Launch, Point int
	UUID          string
	Readings      int            // of the throttle reasons together
	Reasons       map[string]int // readings in which a reason held, by its name
	Clock         []float64      // of its processors in MHz, in the order of time
	Celsius       []float64      // in the order of time
	Used          []float64      // share of time with a kernel running
}

// idle says that a device had nothing to do. A host has more devices than a small
// server uses, and what their clocks do is of no interest.
func (g GPUTally) idle() bool { return len(g.Used) > 0 && stats.Middle(g.Used) < idleShare }

// A device that runs a kernel less than a twentieth of the time serves nobody.
const idleShare = .05

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
		at := map[scopeAt]int{}
		for s, err := range bundle.Rows[record.Sample](b, info.Index, bundle.Samples) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			point, inside := windows.point(s.At)
			if s.Source != "gpu" || s.Value == nil || !inside {
				continue
			}
			key := scopeAt{s.Scope, point}
			i, known := at[key]
			if !known {
				i, at[key] = len(out), len(out)
				out = append(out, GPUTally{Launch: info.Index, Point: int(point), UUID: s.Scope, Reasons: map[string]int{}})
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
	case s.Name == "utilisation":
		g.Used = append(g.Used, *s.Value)
	}
}

// A scopeAt is one device at one point.
type scopeAt struct {
	scope string
	point int32
}

// windows are the measured windows of a launch.
type windows []pointWindow

type pointWindow struct {
	point      int32
	begin, end int64
}

// point is the one in whose window a stamp lies; false when in none.
func (w windows) point(at int64) (int32, bool) {
	for _, one := range w {
		if one.begin <= at && at < one.end {
			return one.point, true
		}
	}
	return 0, false
}

func readWindows(b *bundle.Bundle, launch int) (windows, error) {
	var out windows
	begun := map[int32]int64{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			return nil, fmt.Errorf("launch %d: %w", launch+1, err)
		}
		switch e.Name {
		case record.WindowBegin:
			begun[e.Point] = e.At
		case record.WindowEnd:
			if from, ok := begun[e.Point]; ok {
				out = append(out, pointWindow{e.Point, from, e.At})
			}
		}
	}
	return out, nil
}
