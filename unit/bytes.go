package unit

import (
	"encoding/json"
	"fmt"
	"math"
)

// Bytes is a size that documents write as "64KiB" or "2GB".
type Bytes int64

const bytesWant = "one of B, kB, MB, GB, TB, KiB, MiB, GiB, TiB (for example 64KiB)"

var byteSuffixes = map[string]float64{
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// ParseBytes reads a single number with a unit, such as "64KiB".
func ParseBytes(text string) (Bytes, error) {
	n, err := parse(text, byteSuffixes, bytesWant)
	if err != nil {
		return 0, err
	}
	if n < 0 || n >= math.MaxInt64 {
		return 0, fmt.Errorf("got %q, want a size from 0 to 8 EiB", text)
	}
	return Bytes(math.Round(n)), nil
}

// String prints the shortest exact binary form that ParseBytes reads back.
func (b Bytes) String() string {
	for _, s := range []struct {
		size   Bytes
		suffix string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if b != 0 && b%s.size == 0 {
			return fmt.Sprintf("%d%s", b/s.size, s.suffix)
		}
	}
	return fmt.Sprintf("%dB", int64(b))
}

// MarshalJSON writes the text form.
func (b Bytes) MarshalJSON() ([]byte, error) { return json.Marshal(b.String()) }

// UnmarshalJSON reads the text form.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("got %s, want %s", data, bytesWant)
	}
	parsed, err := ParseBytes(text)
	*b = parsed
	return err
}
