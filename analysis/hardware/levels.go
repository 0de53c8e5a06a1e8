package hardware

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/record"
	"assay/stats"
)

// plateauStep is the largest growth of latency between two working sets, one twice
// the other, that still counts as one level: levels lie factors of two to five apart,
// and pages that the translation buffers no longer hold cost some ten per cent.
const plateauStep = 1.25

// levels finds the plateaus of the ladder of latencies: of the fastest replicate of
// each working set, since whatever disturbs a walk makes it longer. A level is as
// large as the largest working set of its plateau; a single working set between two
// levels is the way from one to the other.
func levels(rows []Row, stated map[string]int64) (list []Level) {
	var steps []Row
	for _, r := range rows {
		if r.Probe == "cache" && r.best > 0 && (len(steps) == 0 || r.Point == steps[0].Point) {
			steps = append(steps, r)
		}
	}
	slices.SortFunc(steps, func(a, b Row) int { return cmp.Compare(a.Size, b.Size) })
	for i := 0; i < len(steps); {
		end := i + 1
		for end < len(steps) && steps[end].best < plateauStep*steps[end-1].best {
			end++
		}
		if end-i > 1 {
			var values []float64
			for _, r := range steps[i:end] {
				values = append(values, r.best)
			}
			list = append(list, Level{Size: steps[end-1].Size, Latency: stats.Middle(values)})
		}
		i = end
	}
	return named(list, stated)
}

// named calls levels by the smallest cache that the kernel states to hold them, and
// memory what none holds. Two plateaus inside one cache are one level with the
// latency of the first: what makes the second slower are pages, or a cache that others
// use too. Without a statement levels are counted, and the last is memory.
func named(list []Level, stated map[string]int64) (kept []Level) {
	caches := slices.SortedFunc(maps.Keys(stated), func(a, b string) int { return cmp.Compare(stated[a], stated[b]) })
	for i, l := range list {
		l.Name = "memory"
		if len(caches) == 0 && i < len(list)-1 {
			l.Name = fmt.Sprintf("L%d", i+1)
		}
		for _, name := range caches {
			if size := stated[name]; l.Size <= size {
				l.Name, l.Stated = name, &size
				break
			}
		}
		if n := len(kept); n > 0 && kept[n-1].Name == l.Name && len(caches) > 0 {
			kept[n-1].Size = l.Size
			continue
		}
		kept = append(kept, l)
	}
	return kept
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
