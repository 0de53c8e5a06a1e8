package warehouse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// runsOf is n runs of three launches each that vary by cv around level.
func runsOf(rng *rand.Rand, n int, level, cv float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		for range 3 {
			xs[i] += level * (1 + cv*rng.NormFloat64()) / 3
		}
	}
	return xs
}

// Steps of 5 % are found within three runs where launches vary by 2 %, and a stable series
// raises next to no alarm. make bench-change-points has more of both, beside Otava.
func TestDetection(t *testing.T) {
	const series, before = 60, 30
	rng := rand.New(rand.NewPCG(10, 11))
	found, alarms, days := 0, 0, 0
	for range series {
		d := Detection{}
		xs := append(runsOf(rng, before, 100, .02), runsOf(rng, 3, 105, .02)...)
		list := d.Steps(xs)
		if len(list) > 0 && list[len(list)-1].At >= before-2 && list[len(list)-1].After > list[len(list)-1].Before {
			found++
		}
		days += before
		for _, c := range d.Steps(xs[:before]) {
			if c.After > c.Before {
				alarms++
			}
		}
	}
	if share := float64(found) / series; share < .9 {
		t.Errorf("%.2f of the steps were found, want at least 0.9 of so few", share)
	}
	if alarms > 3 {
		t.Errorf("%d alarms on %d stable days, want about %.1f", alarms, days, float64(days)/1000)
	}
}

func TestNoise(t *testing.T) {
	cv := .02
	var values []Value
	for i := range 12 {
		values = append(values, Value{Value: 100 + float64(i%2), CV: &cv})
	}
	n := Detection{}.noise(values)
	if n.Runs != 12 || n.RunCV == nil || math.Abs(*n.RunCV-.0052) > .0002 || n.LaunchCV == nil || math.Abs(*n.LaunchCV-.02) > 1e-9 || n.Detectable == nil || *n.Detectable < *n.RunCV {
		t.Errorf("noise is %+v", n)
	}
	if n := (Detection{}).noise(values[:2]); n.RunCV != nil || n.Detectable != nil {
		t.Errorf("two runs have a spread: %+v", n)
	}
}
