package run

import (
	"runtime"
	"syscall"
	"time"
)

// Health is what the run cost the client: the block that tells whether the
// instrument, and not the target, may have been the limit. How late it sent is a
// metric (lag.v1), from the records.
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

// health is what happened to this process since begun.
func (e *execution) health(begun vitals) (Health, error) {
	now, err := readVitals()
	if err != nil {
		return Health{}, err
	}
	wall := now.at.Sub(begun.at).Seconds()
	cpu := cpuSeconds(now.usage) - cpuSeconds(begun.usage)
	processors := runtime.GOMAXPROCS(0)
	return Health{
		WallSeconds: wall, CPUSeconds: cpu, CPUShare: cpu / wall / float64(processors), Processors: processors,
		MaxResidentBytes:    now.usage.Maxrss * 1024, // Linux counts in kilobytes
		VoluntarySwitches:   now.usage.Nvcsw - begun.usage.Nvcsw,
		InvoluntarySwitches: now.usage.Nivcsw - begun.usage.Nivcsw,
		GarbageCollections:  now.memory.NumGC - begun.memory.NumGC,
		GarbagePauseSeconds: float64(now.memory.PauseTotalNs-begun.memory.PauseTotalNs) / 1e9,
		Requests:            e.requests, FailedRequests: e.failed,
		MaxInFlight: mostConnections(e.plan), Balance: e.balance, Probes: e.probed,
	}, nil
}

func cpuSeconds(u syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
