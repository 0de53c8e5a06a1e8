package metric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/record"
)

// A series is what one gauge or counter of one scope read during a launch, in
// order of time.
type series struct {
	scope string
	at    []int64
	value []float64
	gap   int64 // readings further apart than this know nothing of the time between
}

// A SampleSet is what was read beside the requests of a launch: the target's own
// counters, the accelerators and the host.
type SampleSet struct {
	bySource map[string][]*series // "SOURCE NAME", scopes in the order they came

	// memory is how much each accelerator has, in bytes by its UUID.
	memory map[string]float64

	// Elsewhere says that the target is not on the host whose accelerators and
	// processors were read; their series are left out.
	Elsewhere bool
}

const (
	serverSource = "server"
	gpuSource    = "gpu"
	hostSource   = "host"
)

// wanted are the samples that metrics read, by source and name. Pages hold
// hundreds more, which stay in the bundle.
var wanted = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{"up", "scrape.time"} {
		set[serverSource+" "+name] = true
	}
	for _, n := range serverNames {
		set[serverSource+" "+n.name] = true
		if n.per != "" {
			set[serverSource+" "+n.per] = true
		}
	}
	for _, name := range []string{"power", "energy.total", "utilisation", "memory.used"} {
		set[gpuSource+" "+name] = true
	}
	set[hostSource+" rapl.energy.total"] = true
	return set
}()

// readSamples gathers the samples of one launch that metrics read.
func readSamples(b *bundle.Bundle, launch int) (*SampleSet, error) {
	out := &SampleSet{bySource: map[string][]*series{}, memory: memoryOf(b.Manifest.Environment)}
	for s, err := range bundle.Rows[record.Sample](b, launch, bundle.Samples) {
		if err != nil {
			return nil, fmt.Errorf("launch %d: %w", launch+1, err)
		}
		out.add(s)
	}
	out.finish()
	return out, nil
}

// failed stands for a page that could not be read: up has no value then.
const failed = 0

func (b *SampleSet) add(s record.Sample) {
	key := s.Source + " " + s.Name
	if !wanted[key] {
		return
	}
	value := float64(failed)
	switch {
	case s.Value != nil:
		value = *s.Value
	case s.Name != "up":
		return
	}
	i := slices.IndexFunc(b.bySource[key], func(have *series) bool { return have.scope == s.Scope })
	if i < 0 {
		i = len(b.bySource[key])
		b.bySource[key] = append(b.bySource[key], &series{scope: s.Scope})
	}
	one := b.bySource[key][i]
	one.at, one.value = append(one.at, s.At), append(one.value, value)
}

// mostGap is how many times its usual distance two readings may be apart. A
// reading or two may come late on a busy host; more have failed.
const mostGap = 3

func (b *SampleSet) finish() {
	for key, list := range b.bySource {
		name, fromServer := strings.CutPrefix(key, serverSource+" ")
		for _, s := range list {
			s.inOrder()
			if fromServer && isTotal(name) {
				b.beginAtZero(s)
			}
			var apart []int64
			for i := 1; i < len(s.at); i++ {
				apart = append(apart, s.at[i]-s.at[i-1])
			}
			if len(apart) > 0 {
				slices.Sort(apart)
				s.gap = mostGap * apart[len(apart)/2]
			}
		}
	}
}

// inOrder sorts the readings of a series. A worker reads its own device more often
// than the program does and tells of it after the point.
func (s *series) inOrder() {
	if slices.IsSorted(s.at) {
		return
	}
	order := make([]int, len(s.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.at[i], s.at[j]) })
	at, value := make([]int64, 0, len(order)), make([]float64, 0, len(order))
	for _, i := range order {
		at, value = append(at, s.at[i]), append(value, s.value[i])
	}
	s.at, s.value = at, value
}

// beginAtZero gives a counter the reading that it lacks when a page does not show
// it before it has counted anything: zero, when the page was last read without it.
func (b *SampleSet) beginAtZero(s *series) {
	host, _, _ := strings.Cut(s.scope, "{")
	for _, up := range b.bySource[serverSource+" up"] {
		if up.scope != host {
			continue
		}
		i := len(up.at) - 1
		for i >= 0 && (up.at[i] >= s.at[0] || up.value[i] == failed) {
			i--
		}
		if i >= 0 {
			s.at, s.value = slices.Insert(s.at, 0, up.at[i]), slices.Insert(s.value, 0, 0)
		}
	}
}

// leaveHost forgets what was read of accelerators and processors that are not
// the target's.
func (b *SampleSet) leaveHost() {
	b.Elsewhere = true
	for key := range b.bySource {
		if !strings.HasPrefix(key, serverSource+" ") {
			delete(b.bySource, key)
		}
	}
}

// The figures of a window need readings inside it and nearly all of its time
// between readings: with less, what came before and after would decide them.
const (
	leastReadings = 3
	leastCovered  = 0.9
)

// A window is what a series says about the time from begin to end.
type window struct {
	mean     float64 // over time, along straight lines between readings
	increase float64 // of a counter, which starts again at zero when it falls
	peak     float64 // highest reading inside
	readings int     // inside
}

// over looks at s from begin to end; false when it does not know enough.
func (s *series) over(begin, end int64) (w window, ok bool) {
	var area, covered float64
	for i, at := range s.at {
		if begin <= at && at < end {
			if w.readings == 0 || s.value[i] > w.peak {
				w.peak = s.value[i]
			}
			w.readings++
		}
		if i == 0 || at-s.at[i-1] > s.gap {
			continue
		}
		from, to := max(begin, s.at[i-1]), min(end, at)
		if from >= to {
			continue
		}
		length := float64(to - from)
		share := length / float64(at-s.at[i-1])
		area += length * (s.between(i, from) + s.between(i, to)) / 2
		covered += length
		grown := s.value[i] - s.value[i-1]
		if grown < 0 {
			grown = s.value[i]
		}
		w.increase += share * grown
	}
	if w.readings < leastReadings || covered < leastCovered*float64(end-begin) {
		return window{readings: w.readings}, false
	}
	w.mean = area / covered
	w.increase *= float64(end-begin) / covered
	return w, true
}

// between is the value at the time at, on the line that ends in reading i.
func (s *series) between(i int, at int64) float64 {
	share := float64(at-s.at[i-1]) / float64(max(1, s.at[i]-s.at[i-1])) // two readers may meet in one nanosecond
	return s.value[i-1] + share*(s.value[i]-s.value[i-1])
}

// windows looks at every scope of a name that keep takes; false when there is
// none or one of them does not know enough.
func (p *Point) windows(source, name string, keep func(scope string) bool) (list []window, ok bool) {
	if p.Samples == nil {
		return nil, false
	}
	for _, s := range p.Samples.bySource[source+" "+name] {
		if !keep(s.scope) {
			continue
		}
		w, ok := s.over(p.Begin, p.End)
		if !ok {
			return nil, false
		}
		list = append(list, w)
	}
	return list, len(list) > 0
}

func all(string) bool { return true }

func sumOf(list []window, of func(window) float64) (sum float64) {
	for _, w := range list {
		sum += of(w)
	}
	return sum
}

func mean(w window) float64     { return w.mean }
func increase(w window) float64 { return w.increase }
