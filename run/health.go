package run

import (
	"runtime"
	"syscall"
	"time"
)

// Health is what the run cost the client: the block that tells whether the
// instrument, and not the target, may have been the limit. How late it sent is a
// metric (lag.v1), from the records. Times and counts are of the launches: the
// calibrations before and after them are left out.
type Health struct {
	WallSeconds         float64 `json:"wallSeconds"`
	CPUSeconds          float64 `json:"cpuSeconds"`
	CPUShare            float64 `json:"cpuShare"` // of the processors this program may use
	Processors          int     `json:"processors"`
	MaxResidentBytes    int64   `json:"maxResidentBytes"`
	VoluntarySwitches   int64   `json:"voluntarySwitches"`
	InvoluntarySwitches int64   `json:"involuntarySwitches"`
	GarbageCollections  uint32  `json:"garbageCollections"`
	GarbagePauseSeconds float64 `json:"garbagePauseSeconds"`
	Requests            int64   `json:"requests"`
	FailedRequests      int64   `json:"failedRequests"`
	MaxInFlight         int     `json:"maxInFlight"`     // the most that the plan allows
	Balance             Balance `json:"balance"`         // what became of every call begun
	Probes              Balance `json:"probes,omitzero"` // the same of probes, which Requests does not count
}

// A vitals is the state of this process at one moment.
type vitals struct {
	at     time.Time
	usage  syscall.Rusage
	memory runtime.MemStats
}

func readVitals() (v vitals, err error) {
	v.at = time.Now()
	runtime.ReadMemStats(&v.memory)
	return v, syscall.Getrusage(syscall.RUSAGE_SELF, &v.usage)
}

// spent adds what happened to this process since begun: the launches, without the
// calibrations around them.
func (h *Health) spent(begun vitals) error {
	now, err := readVitals()
	if err != nil {
		return err
	}
	h.WallSeconds += now.at.Sub(begun.at).Seconds()
	h.CPUSeconds += cpuSeconds(now.usage) - cpuSeconds(begun.usage)
	h.MaxResidentBytes = now.usage.Maxrss * 1024 // Linux counts in kilobytes
	h.VoluntarySwitches += now.usage.Nvcsw - begun.usage.Nvcsw
	h.InvoluntarySwitches += now.usage.Nivcsw - begun.usage.Nivcsw
	h.GarbageCollections += now.memory.NumGC - begun.memory.NumGC
	h.GarbagePauseSeconds += float64(now.memory.PauseTotalNs-begun.memory.PauseTotalNs) / 1e9
	return nil
}

// summary is the health of the launches that have ended.
func (e *execution) summary() Health {
	h := e.health
	h.Processors = runtime.GOMAXPROCS(0)
	if h.WallSeconds > 0 {
		h.CPUShare = h.CPUSeconds / h.WallSeconds / float64(h.Processors)
	}
	h.Requests, h.FailedRequests = e.requests, e.failed
	h.MaxInFlight, h.Balance, h.Probes = mostConnections(e.plan), e.balance, e.probed
	return h
}

func cpuSeconds(u syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
