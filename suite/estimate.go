package suite

import "time"

// What a step takes beside its measurement, on the slow side: the start of a world by
// the program itself, by a torch that must be imported, and by one that must also wake
// an accelerator; a server that must answer first; sealing and judging the bundle.
const (
	startNative = time.Second
	startTorch  = 3 * time.Second
	startDevice = 5 * time.Second
	startServer = 1500 * time.Millisecond
	sealing     = 1500 * time.Millisecond
)

// calibrating is how much longer a variant takes than its replicates: the search for
// its inner loop, warm-up and the check of answers.
const calibrating = 1.5

// launches are how often the system of a step is started.
func (s Step) launches(size Size, h Host) int {
	if size.Once && !s.Spread && !h.spans(s) { // a host that is slow once is not slow
		return 1
	}
	return size.Launches
}

// start is how long one world of the step takes until it measures.
func (s Step) start(h Host) time.Duration {
	torch := s.Worker == Always || s.Library || s.Worker == OnDevice && h.Device == "cuda" || s.Exchange && h.nccl(s)
	switch {
	case s.Levels != nil:
		return startServer
	case torch && h.Device == "cuda":
		return startDevice
	case torch:
		return startTorch
	}
	return startNative
}

// Takes is about how long the step takes on h; zero where it cannot be done.
func (s Step) Takes(size Size, h Host) time.Duration {
	if h.Cannot(s) != "" {
		return 0
	}
	measuring := s.Fixed + time.Duration(calibrating*float64(s.Each(size, h)))*time.Duration(s.Parts.of(h.Device))
	if s.Levels != nil {
		measuring += time.Duration(s.Levels(size)) * (size.Load + size.Warmup + 500*time.Millisecond)
	}
	worlds := max(1, s.Worlds)
	if s.Exchange && !h.nccl(s) && !s.Library {
		worlds = 1 // native ranks take their algorithm from each point
	}
	return sealing + time.Duration(s.launches(size, h))*(time.Duration(worlds)*s.start(h)+measuring)
}

// Takes is about how long the preset takes on h, and how many of its steps can be
// measured there.
func (p Preset) Takes(h Host) (total time.Duration, steps int) {
	for _, s := range p.Resolve() {
		if d := s.Takes(p.Size, h); d > 0 {
			total, steps = total+d, steps+1
		}
	}
	return total, steps
}
