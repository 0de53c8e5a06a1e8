package workload

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"time"

	"assay/record"
)

// sampleRate is what speech models hear: 16 kHz, one channel, 16 bits.
const sampleRate = 16_000

// maxSound is the longest sound that is made: beyond it a length is a mistake
// that would fill the memory.
const maxSound = 10 * time.Minute

// Sound makes a WAV file of tones that change every fifth of a second. It says
// nothing: a model's transcript of it means nothing either, but its size and
// length are those of speech.
func Sound(rng *rand.Rand, length time.Duration) record.Sound {
	samples := int(length.Seconds() * sampleRate)
	data := make([]byte, 0, 44+2*samples)
	data = append(data, "RIFF"...)
	data = binary.LittleEndian.AppendUint32(data, uint32(36+2*samples))
	data = append(data, "WAVEfmt "...)
	for _, field := range []uint32{16, 1 | 1<<16, sampleRate, 2 * sampleRate, 2 | 16<<16} {
		data = binary.LittleEndian.AppendUint32(data, field)
	}
	data = append(data, "data"...)
	data = binary.LittleEndian.AppendUint32(data, uint32(2*samples))
	step := 0.0
	for i := range samples {
		if i%(sampleRate/5) == 0 {
			step = 2 * math.Pi * (100 + 300*rng.Float64()) / sampleRate // the pitch of voices
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(8000*math.Sin(float64(i)*step))))
	}
	return record.Sound{MediaType: "audio/wav", Data: data}
}
