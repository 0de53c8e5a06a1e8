package plot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/stats"
	"assay/unit"
)

// TestPlotAxisHoldsValues: whatever the values are, all of them are on the axis,
// and it has two to fourteen named ticks in rising order.
func TestPlotAxisHoldsValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		log := random.IntN(2) == 0
		scale := math.Pow(10, float64(random.IntN(16)-6))
		var values []Value
		for range 1 + random.IntN(8) {
			v := scale * random.ExpFloat64()
			interval := stats.Interval{Lo: v * random.Float64(), Hi: v * (1 + 5*random.Float64())}
			if random.IntN(4) == 0 {
				interval = stats.Unbounded
			}
			values = append(values, Value{v, interval})
		}
		a := Axis{unit: unit.Second, Log: log, factor: 1}
		a.fit(values, []Limit{{At: scale}}, "")
		for _, v := range values {
			if p := a.place(v.Value); p < 0 || p > 1 {
				t.Fatalf("%v is at %v of %v to %v (log %v)", v.Value, p, a.Min, a.Max, log)
			}
		}
		named, last := 0, math.Inf(-1)
		for _, tick := range a.ticks {
			if tick.at <= last {
				t.Fatalf("ticks %v do not rise", a.ticks)
			}
			last = tick.at
			if tick.text != "" {
				named++
			}
		}
		if named < 2 || named > 14 {
			t.Fatalf("%d named ticks from %v to %v (log %v): %v", named, a.Min, a.Max, log, a.ticks)
		}
	}
}

// TestPlotAxisCut: an interval of many times the value does not press the rest
// flat, and zero has no place on a logarithmic axis.
func TestPlotAxisCut(t *testing.T) {
	var a Axis
	a.factor = 1
	a.fit([]Value{{1, stats.Interval{Lo: .5, Hi: 50}}}, nil, "")
	if a.Max > 3 {
		t.Errorf("the axis reaches to %v for a value of 1", a.Max)
	}
	l := Axis{Log: true, factor: 1}
	l.fit([]Value{exactly(0), exactly(5)}, nil, "")
	if l.Min <= 0 || l.place(0) >= 0 || l.place(5) < 0 {
		t.Errorf("logarithmic axis from %v: 0 at %v, 5 at %v", l.Min, l.place(0), l.place(5))
	}
}

func TestPlotNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 16: "16", .5: "0.5", 2.5: "2.5", 1234: "1234", 12345: "12,345", 1234567: "1,234,567", .00012: "0.00012", 99.96: "100"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
	var texts []string
	a := Axis{Max: .3, factor: 1000}
	for _, tick := range a.mark() {
		texts = append(texts, tick.text)
	}
	if got := strings.Join(texts, " "); got != "0 100 200 300" {
		t.Errorf("ticks to 0.3 s in ms: %s", got)
	}
}
