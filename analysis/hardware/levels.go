package hardware

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/record"
	"assay/stats"
)

// plateauStep is the largest growth of latency between two working sets, one twice
// the other, that still counts as one level: levels lie factors of two to five apart,
// and pages that the translation buffers no longer hold cost some ten per cent.
const plateauStep = 1.25

// levels finds the plateaus of the ladder of latencies. A level is as large as the
// largest working set of its plateau; a single working set between two levels is the
// way from one to the other.
func levels(rows []Row, stated map[string]int64) (list []Level) {
	var steps []Row
	for _, r := range rows {
		if r.Probe == "cache" && r.Value > 0 && (len(steps) == 0 || r.Point == steps[0].Point) {
			steps = append(steps, r)
		}
	}
	slices.SortFunc(steps, func(a, b Row) int { return cmp.Compare(a.Size, b.Size) })
	for i := 0; i < len(steps); {
		end := i + 1
		for end < len(steps) && steps[end].Value < plateauStep*steps[end-1].Value {
			end++
		}
		if end-i > 1 {
			var values []float64
			for _, r := range steps[i:end] {
				values = append(values, r.Value)
			}
			list = append(list, Level{Size: steps[end-1].Size, Latency: stats.Middle(values)})
		}
		i = end
	}
	for i := range list {
		list[i].name(i, len(list), stated)
	}
	return list
}

// name calls a level by its number, or memory when it reaches beyond what the kernel
// states to be the largest cache. Without a statement the last is memory.
func (l *Level) name(place, of int, stated map[string]int64) {
	l.Name = fmt.Sprintf("L%d", place+1)
	size, known := stated[l.Name]
	switch {
	case known:
		l.Stated = &size
	case len(stated) > 0 && place >= len(stated), len(stated) == 0 && place == of-1 && of > 1:
		l.Name = "memory"
	}
}

// statedCaches are the sizes that the kernel states, by name.
func statedCaches(env record.Environment) map[string]int64 {
	sizes := map[string]int64{}
	for _, line := range texts(env, "cpu.caches") {
		name, rest, _ := strings.Cut(line, " ")
		var size int64
		if _, err := fmt.Sscan(rest, &size); err == nil {
			sizes[name] = size
		}
	}
	return sizes
}
