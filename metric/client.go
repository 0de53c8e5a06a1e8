package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"assay/bundle"
	"assay/record"
)

// ClientVersion is the version of the format of client.json.
const ClientVersion = "1.0"

// A Client is what a bundle says about the instrument that made it:
// derived/VERSION/client.json. It tells whether the client, and not the target,
// may have been the limit.
type Client struct {
	Version  string              `json:"version"`
	Before   *record.Calibration `json:"before,omitempty"` // nil when none was made
	After    *record.Calibration `json:"after,omitempty"`
	Bounds   *Bounds             `json:"bounds,omitempty"` // nil when neither could be measured
	Launches []ClientHealth      `json:"launches"`
}

// Bounds are the errors that the client stayed within, before and after the run:
// client_error.v1.
type Bounds struct {
	TTFT Bound `json:"ttft"`
	Gap  Bound `json:"gap"`
}

// A Bound is the larger of the errors before and after the run, in seconds.
type Bound struct {
	Seconds   float64  `json:"seconds"`
	Statistic string   `json:"statistic"` // p99, or max where there are too few values for it
	N         int      `json:"n"`         // values in the smaller of the two
	Before    *float64 `json:"before"`    // null when not measured
	After     *float64 `json:"after"`
}

// ClientHealth is the client during one launch. A null was not recorded.
type ClientHealth struct {
	Launch int `json:"launch"`

	// From the requests of the measured windows.
	Requests   int      `json:"requests"`
	LagP50     *float64 `json:"lagP50"`    // seconds, lag.v1
	LagP99     *float64 `json:"lagP99"`    // largest value below 100 requests
	LagMax     *float64 `json:"lagMax"`    //
	LateShare  *float64 `json:"lateShare"` // sent more than 1 ms after due
	Dropped    int      `json:"dropped"`
	SharedRead *float64 `json:"sharedReads"` // share of output events that came in one read with the one before

	MostInFlight int64 `json:"mostInFlight"` // of all points, from the balance

	// From the samples of the whole launch.
	Seconds      float64  `json:"seconds"`      // between the first and the last sample
	CPUShare     *float64 `json:"cpuShare"`     // of the processors that the client may use
	CPUShareMax  *float64 `json:"cpuShareMax"`  // of the busiest interval between two samples
	Throttled    *float64 `json:"throttled"`    // seconds held back by the control group's limit
	RunQueue     *float64 `json:"runQueue"`     // seconds that threads were runnable and not running, per second
	Involuntary  *float64 `json:"involuntary"`  // times that a thread was put aside, per second
	Steal        *float64 `json:"steal"`        // share of the machine's time given to other machines
	HostBusy     *float64 `json:"hostBusy"`     // share of the machine's time that was not idle
	CPUPressure  *float64 `json:"cpuPressure"`  // share of the time in which some task of the host waited for a processor
	GCPauseMax   *float64 `json:"gcPauseMax"`   // seconds
	GCShare      *float64 `json:"gcShare"`      // of the client's processor time
	SchedP99Max  *float64 `json:"schedP99Max"`  // worst p99 of the wait of goroutines between two samples
	ResidentMax  *float64 `json:"residentMax"`  // bytes
	OpenFilesMax *float64 `json:"openFilesMax"` //
	Retransmits  *float64 `json:"retransmits"`  // TCP segments of the host that were sent again
	Pruned       *float64 `json:"pruned"`       // times that the host dropped or squeezed received data for want of room
	TimeWaitMax  *float64 `json:"timeWaitMax"`  // sockets that held a port after their end
}

func newClient() Client { return Client{Version: ClientVersion, Launches: []ClientHealth{}} }

// add takes in what a launch says about its client.
func (c *Client) add(b *bundle.Bundle, r *launchReader, reads []sharedReads) error {
	for _, slot := range []struct {
		when string
		to   **record.Calibration
	}{{record.CalibrationBefore, &c.Before}, {record.CalibrationAfter, &c.After}} {
		found, err := readCalibration(b, r.launch.Index, slot.when)
		if err != nil {
			return err
		}
		if found != nil && worse(found, *slot.to) {
			*slot.to = found
		}
	}
	health, err := healthOf(b, r, reads)
	c.Launches = append(c.Launches, health)
	return err
}

// worse reports whether a calibration counts in place of another of the same kind: a
// run that was resumed was calibrated before each of its parts, and the larger error
// is the bound of the whole.
func worse(found, known *record.Calibration) bool {
	return known == nil || known.Unavailable != "" || found.Unavailable == "" && found.TTFT.P99 > known.TTFT.P99
}

// readCalibration returns nil where the launch has none.
func readCalibration(b *bundle.Bundle, launch int, when string) (*record.Calibration, error) {
	name := path.Join("raw", fmt.Sprintf("launch-%02d", launch), record.CalibrationFile(when))
	data, err := b.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c record.Calibration
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &c, nil
}

// boundsOf is nil when neither calibration could be made.
func boundsOf(before, after *record.Calibration) *Bounds {
	var made []*record.Calibration
	for _, c := range []*record.Calibration{before, after} {
		if c != nil && c.Unavailable == "" {
			made = append(made, c)
		}
	}
	if len(made) == 0 {
		return nil
	}
	pick := func(of func(*record.Calibration) record.ErrorSpread) Bound {
		n := of(slices.MinFunc(made, func(a, b *record.Calibration) int { return of(a).N - of(b).N })).N
		bound := Bound{Statistic: "p99", N: n}
		if n < fewestForP99 {
			bound.Statistic = "max"
		}
		for _, c := range made {
			ns := of(c).P99
			if n < fewestForP99 {
				ns = of(c).Max
			}
			v := seconds(ns)
			bound.Seconds = max(bound.Seconds, v)
			if c == before {
				bound.Before = &v
			} else {
				bound.After = &v
			}
		}
		return bound
	}
	return &Bounds{
		TTFT: pick(func(c *record.Calibration) record.ErrorSpread { return c.TTFT }),
		Gap:  pick(func(c *record.Calibration) record.ErrorSpread { return c.Gap }),
	}
}

// fewestForP99 is the least number of values whose largest lies above the true
// p99 with 95 % confidence: 0.99^299 < 0.05.
const fewestForP99 = 299
