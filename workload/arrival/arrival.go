// Package arrival decides when calls are due. A schedule is drawn from a seed
// before anything is sent, is kept in the bundle, and is never stretched or
// squeezed to meet a total: N calls of a Poisson process at rate r do not take
// exactly N/r seconds, and forcing them to would no longer be Poisson.
//
// A series is a renewal process on a changing clock: gaps with mean one are
// drawn by a Process, and the Profile of the rate says at which second the sum of
// the gaps is reached. It sends nothing and waits for nothing; package load does.
//
// To add a process, write one file NAME.go with its gap and list it in All.
package arrival

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Process draws the gaps between calls, with mean one.
type Process struct {
	Name string
	Doc  string

	// Gap draws one gap. The shape is that of gamma arrivals; other processes
	// have none.
	Gap func(rng *rand.Rand, shape float64) float64

	// CV is the standard deviation of a gap, which is also its coefficient of
	// variation.
	CV func(shape float64) float64
}

// All lists every process.
var All = []Process{Constant, Poisson, Gamma}

// Find returns the process called name.
func Find(name string) (Process, error) {
	i := slices.IndexFunc(All, func(p Process) bool { return p.Name == name })
	if i < 0 {
		var names []string
		for _, p := range All {
			names = append(names, p.Name)
		}
		return Process{}, fmt.Errorf("arrival %q: want one of %v", name, names)
	}
	return All[i], nil
}

// A Series yields the times of calls one after the other, as nanoseconds since
// its start. Copies of a series continue independently and alike.
type Series struct {
	process Process
	shape   float64
	profile Profile
	source  rand.PCG
	passed  float64 // the sum of the gaps so far
	begun   bool
}

// NewSeries returns the series that process draws from seed under profile. A
// shape of zero means one.
func NewSeries(process string, shape float64, seed int64, profile Profile) (Series, error) {
	found, err := Find(process)
	if err != nil {
		return Series{}, err
	}
	if shape == 0 {
		shape = 1
	}
	if !(shape > 0) {
		return Series{}, fmt.Errorf("burstiness %v: want above zero", shape)
	}
	if err := profile.check(); err != nil {
		return Series{}, err
	}
	return Series{process: found, shape: shape, profile: profile, source: *rand.NewPCG(uint64(seed), 0)}, nil
}

// next is the time of the next call, and false when there is none.
func (s *Series) next() (int64, bool) {
	// Calls at constant distance begin at once. A random process begins with a
	// gap, as if it had gone on before.
	if s.begun || s.process.Name != Constant.Name {
		s.passed += s.process.Gap(rand.New(&s.source), s.shape)
	}
	s.begun = true
	return s.profile.when(s.passed)
}
