package picture

import (
	"cmp"
	"math"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/unit"
)

// readings are what one gauge or counter of one scope read, in order of time.
type readings struct {
	scope string
	at    []float64 // seconds
	value []float64
}

// A page gathers the samples of a launch that are drawn.
type page struct {
	byName map[string][]*readings // by "SOURCE NAME", scopes in the order they came
	levels map[string]*levelled   // of the target, by noun
	first  float64
	last   float64
}

// A levelled is a level of the target under the name that counts.
type levelled struct {
	place  int
	scopes []*readings
}

// readSamples draws what was read beside a launch, and says when that ended.
func readSamples(b *bundle.Bundle, w metric.WatchedLaunch) ([]Series, float64, error) {
	p := page{byName: map[string][]*readings{}, levels: map[string]*levelled{}, first: math.Inf(1)}
	for s, err := range bundle.Rows[record.Sample](b, w.Info.Index, bundle.Samples) {
		if err != nil {
			return nil, 0, err
		}
		if s.Value != nil && !(s.Source == GPU && w.Elsewhere) {
			p.add(s)
		}
	}
	var list []Series
	for _, noun := range metric.Levels {
		if l := p.levels[noun]; l != nil {
			list = append(list, p.level(noun, l))
		}
	}
	for _, g := range gauges {
		list = append(list, p.draw(g)...)
	}
	return slices.DeleteFunc(list, Series.empty), p.last, nil
}

func (p *page) add(s record.Sample) {
	if s.Source == Server {
		noun, place, ok := metric.ServerLevel(s.Name, s.Scope)
		if !ok {
			return
		}
		l := p.levels[noun]
		if l == nil || place < l.place {
			l = &levelled{place: place}
			p.levels[noun] = l
		}
		if place == l.place {
			l.scopes = p.take(l.scopes, s)
		}
		return
	}
	if key := s.Source + " " + s.Name; wanted[key] {
		p.byName[key] = p.take(p.byName[key], s)
	}
}

func (p *page) take(scopes []*readings, s record.Sample) []*readings {
	i := slices.IndexFunc(scopes, func(r *readings) bool { return r.scope == s.Scope })
	if i < 0 {
		i = len(scopes)
		scopes = append(scopes, &readings{scope: s.Scope})
	}
	at := seconds(s.At)
	scopes[i].at, scopes[i].value = append(scopes[i].at, at), append(scopes[i].value, *s.Value)
	p.first, p.last = min(p.first, at), max(p.last, at)
	return scopes
}

// bins are about as long as it takes from one reading to the next, or longer. A
// reading that comes some per cent late does not double them.
func (p *page) bins(r *readings) bins { return newBins(p.first, p.last, r.usual()/1.05) }

// usual is the median time between two readings.
func (r *readings) usual() float64 {
	var apart []float64
	for i := 1; i < len(r.at); i++ {
		apart = append(apart, r.at[i]-r.at[i-1])
	}
	if len(apart) == 0 {
		return 0
	}
	slices.Sort(apart)
	return apart[len(apart)/2]
}

// level draws what the target says about itself, over all of its replicas.
func (p *page) level(noun string, l *levelled) Series {
	b := p.bins(l.scopes[0])
	var each [][]float64
	for _, r := range l.scopes {
		each = append(each, r.means(b))
	}
	together, u := total, unit.Request
	if metric.SharedLevel(noun) {
		together, u = mean, unit.Share
	}
	return b.series(noun, Server, "", u, over(each, together))
}

// mostDevices is how many accelerators are drawn one by one.
const mostDevices = 4

// draw makes the series of a gauge: one, or one for each device.
func (p *page) draw(g gauge) []Series {
	scopes := p.byName[g.source+" "+g.of[0]]
	if len(scopes) == 0 {
		return nil
	}
	b := p.bins(scopes[0])
	if g.source != GPU {
		values := p.sum(g, b, g.of)
		if g.per != nil {
			per := p.sum(g, b, g.per)
			for i := range values {
				values[i] /= per[i] // no number where nothing passed
			}
		}
		return []Series{b.series(g.name, g.source, "", g.unit, values)}
	}
	slices.SortFunc(scopes, func(a, b *readings) int { return cmp.Compare(a.scope, b.scope) })
	var list []Series
	var each [][]float64
	for _, r := range scopes {
		each = append(each, r.means(b))
		list = append(list, b.series(g.name, g.source, short(r.scope), g.unit, each[len(each)-1]))
	}
	if len(list) <= mostDevices {
		return list
	}
	return []Series{
		b.series(g.name, g.source, "lowest", g.unit, over(each, slices.Min[[]float64])),
		b.series(g.name, g.source, "mean", g.unit, over(each, mean)),
		b.series(g.name, g.source, "highest", g.unit, over(each, slices.Max[[]float64])),
	}
}

// sum adds the samples of several names, over all of their scopes. A name that was
// not read has none.
func (p *page) sum(g gauge, b bins, names []string) []float64 {
	var each [][]float64
	for _, name := range names {
		for _, r := range p.byName[g.source+" "+name] {
			if g.total {
				each = append(each, r.growth(b))
			} else {
				each = append(each, r.means(b))
			}
		}
	}
	return over(each, total)
}

// mostGap is how many times its usual distance two readings may be apart: further
// ones know nothing of the time between.
const mostGap = 3

// means are the means over the time of the bins, along straight lines between
// readings.
func (r *readings) means(b bins) []float64 {
	return r.between(b, func(from, to, seconds float64) (float64, bool) { return (from + to) / 2 * seconds, true })
}

// growth is what a counter grew by in a second. One that falls was begun anew.
func (r *readings) growth(b bins) []float64 {
	return r.between(b, func(from, to, _ float64) (float64, bool) { return to - from, to >= from })
}

// between spreads what amount says about two neighbouring readings over the time
// between them, and gives what there is of it for each second that is known.
func (r *readings) between(b bins, amount func(from, to, seconds float64) (float64, bool)) []float64 {
	sum, known := newFlow(b), newFlow(b)
	longest := mostGap * r.usual()
	for i := 1; i < len(r.at); i++ {
		from, to := r.at[i-1], r.at[i]
		if v, ok := amount(r.value[i-1], r.value[i], to-from); ok && to-from <= longest {
			sum.add(from, to, v)
			known.add(from, to, to-from)
		}
	}
	out, share := sum.perSecond(), known.perSecond()
	for i := range out {
		if out[i] /= share[i]; share[i] < leastKnown {
			out[i] = math.NaN()
		}
	}
	return out
}

// leastKnown is how much of a bin must lie between readings: less would stand for
// all of it.
const leastKnown = .25

// over puts the known values of every bin together.
func over(each [][]float64, together func([]float64) float64) []float64 {
	out := make([]float64, len(each[0]))
	for i := range out {
		var known []float64
		for _, values := range each {
			if !math.IsNaN(values[i]) {
				known = append(known, values[i])
			}
		}
		if out[i] = math.NaN(); len(known) > 0 {
			out[i] = together(known)
		}
	}
	return out
}

func total(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

func mean(xs []float64) float64 { return total(xs) / float64(len(xs)) }

// short is enough of a device's UUID to tell it from others on a chart.
func short(scope string) string {
	const enough = len("GPU-12345678")
	if len(scope) > enough {
		return scope[:enough]
	}
	return scope
}
