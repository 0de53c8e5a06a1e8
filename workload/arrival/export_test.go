package arrival

import (
	"encoding/json"
	"fmt"
)

// Decode reads what Encode wrote. The result ends with what is stored.
func Decode(data []byte) (*Schedule, error) {
	var file scheduleFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	if file.Version != Version || file.Unit != "ns" {
		return nil, fmt.Errorf("schedule of version %q in %q: this program reads %s in ns", file.Version, file.Unit, Version)
	}
	s := &Schedule{Warmup: file.Warmup, Measure: file.Measure, Begin: file.Begin, End: file.End}
	at := int64(0)
	for _, gap := range file.Gaps {
		at += gap
		s.Due = append(s.Due, at)
	}
	if s.Warmup < 0 || s.Measure < 0 || s.Warmup+s.Measure > len(s.Due) {
		return nil, fmt.Errorf("schedule of %d calls names %d of warm-up and %d measured", len(s.Due), s.Warmup, s.Measure)
	}
	return s, nil
}
