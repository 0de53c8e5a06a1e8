package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"assay/bundle"
	"assay/record"
)

// ClientVersion is the version of the format of client.json.
const ClientVersion = "1.3"

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

// ClientHealth is the client during one launch. A null was not recorded.
type ClientHealth struct {
	Launch int `json:"launch"`

	// From the requests of the measured windows.
	Requests    int      `json:"requests"`
	LagP50      *float64 `json:"lagP50"`    // seconds, lag.v1
	LagP99      *float64 `json:"lagP99"`    // largest value below 100 requests
	LagMax      *float64 `json:"lagMax"`    //
	LateShare   *float64 `json:"lateShare"` // sent more than 1 ms after due
	Dropped     int      `json:"dropped"`
	SharedRead  *float64 `json:"sharedReads"`     // share of output events that came in one read with the one before and may have been sent apart
	GapsLeftOut *float64 `json:"gapsLeftOut"`     // share of the streams' time, from first to last output, in gaps that itl_chunk.v2 leaves out
	Moved       []Moved  `json:"moved,omitempty"` // by point

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
	GCPauseMax   *float64 `json:"gcPauseMax"`   // seconds, within the measured windows
	GCShare      *float64 `json:"gcShare"`      // of the client's processor time
	SchedP99Max  *float64 `json:"schedP99Max"`  // worst p99 of the wait of goroutines between two samples
	ResidentMax  *float64 `json:"residentMax"`  // bytes
	OpenFilesMax *float64 `json:"openFilesMax"` //
	Retransmits  *float64 `json:"retransmits"`  // TCP segments of the host that were sent again
	Pruned       *float64 `json:"pruned"`       // times that the host dropped or squeezed received data for want of room
	TimeWaitMax  *float64 `json:"timeWaitMax"`  // sockets that held a port after their end

	// The host's processors and disks, of all their sensors and devices together.
	HeatThrottles *float64 `json:"heatThrottles,omitempty"` // times that heat slowed a processor
	CelsiusMax    *float64 `json:"celsiusMax,omitempty"`    // of the hottest sensor
	DiskBusy      *float64 `json:"diskBusy,omitempty"`      // disks with a request under way, on average
	DiskRead      *float64 `json:"diskRead,omitempty"`      // bytes per second
	DiskWritten   *float64 `json:"diskWritten,omitempty"`   // bytes per second

	// From the samples of the measured windows.
	Isolation Isolation `json:"isolation,omitzero"`
}

func newClient() Client { return Client{Version: ClientVersion, Launches: []ClientHealth{}} }

// add takes in what a launch says about its client.
func (c *Client) add(b *bundle.Bundle, r *launchReader, seen []clientTrace) error {
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
	health, err := healthOf(b, r, seen)
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
