package metric

import (
	"assay/unit"
)

// ItemThroughput is the work done per second where it is not text.
var ItemThroughput = Metric{
	ID:     "item_throughput.v2",
	Name:   "item throughput",
	Unit:   unit.ItemPerSecond,
	Better: Higher,
	Doc:    "Outputs that are not text (vectors, ranked documents, images, sounds) of successful requests, each with the share of its time inside the measured window, divided by its length.",
	Scope:  Scope{Workload: itemsOut},
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perSecond(func(t *Timeline) (float64, bool) {
			if t.Items == nil {
				return 0, false
			}
			return float64(*t.Items), true
		})
	}),
}

// InputThroughput is how fast prompts are taken in.
var InputThroughput = Metric{
	ID:     "input_throughput.v2",
	Name:   "input throughput",
	Unit:   unit.TokenPerSecond,
	Better: Higher,
	Doc:    "Prompt tokens, as the server counts them, of successful requests, each with the share of its time inside the measured window, divided by its length. Tokens found in a cache count like any other.",
	Scope:  Scope{Workload: textIn},
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perSecond(func(t *Timeline) (float64, bool) {
			if t.UsageInput == nil {
				return 0, false
			}
			return float64(*t.UsageInput), true
		})
	}),
}

// SoundThroughput is how much sound arrives.
var SoundThroughput = Metric{
	ID:     "sound_throughput.v2",
	Name:   "sound throughput",
	Unit:   unit.BytePerSecond,
	Better: Higher,
	Doc:    "Text to speech: bytes of the answers of successful requests, each with the share of its time inside the measured window, divided by its length. How long the sound lasts depends on its format.",
	Scope:  Scope{Workload: speaks},
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perSecond(func(t *Timeline) (float64, bool) { return float64(t.Bytes), true })
	}),
}

// FirstByte is the wait before a sound can begin.
var FirstByte = Metric{
	ID:     "first_byte.v2",
	Name:   "first byte",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Text to speech: time from the origin of a request to the first byte of its answer, whatever it holds.",
	Scope:  Scope{Workload: speaks},
	Of: Each(func(t *Timeline) []float64 {
		if t.First == nil {
			return nil
		}
		return append(t.room(1), seconds(*t.First-t.Origin()))
	}),
}
