package scaling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/stats"
)

// A Closed is a law with the base taken as exact, as published series are usually
// fitted: no scale of its own, no interval. Where launches allow it, Fit is better.
type Closed struct {
	Law      string    `json:"law"`
	Names    []string  `json:"names"`
	Values   []float64 `json:"values"`
	Residual float64   `json:"residual"` // largest, of the speed-up, relative
}

// String is the law on one line.
func (c Closed) String() string {
	var parts []string
	for i, name := range c.Names {
		parts = append(parts, fmt.Sprintf("%s %.3g", name, c.Values[i]))
	}
	return fmt.Sprintf("%s %s (worst miss %.2g %%)", c.Law, strings.Join(parts, ", "), 100*c.Residual)
}

// closed solves the laws of the study's kind through the base.
func (s Study) closed(rows []Row) []Closed {
	var ps, gains []float64
	for _, row := range rows {
		if p := s.grown(row.Workers); p > 1 {
			ps, gains = append(ps, p), append(gains, row.Speedup.Value)
		}
	}
	if len(ps) < 2 {
		return nil
	}
	var list []Closed
	for _, l := range laws {
		if l.kind != "" && l.kind != s.Kind {
			continue
		}
		c := Closed{Law: l.name, Names: l.names, Values: closedForms[l.name](ps, gains)}
		for i, p := range ps {
			c.Residual = max(c.Residual, math.Abs(l.speedup(c.Values, p)/gains[i]-1))
		}
		list = append(list, c)
	}
	return list
}

// closedForms are the least squares of each law in the form in which it is linear
// and the base drops out.
var closedForms = map[string]func(ps, gains []float64) []float64{
	"Amdahl": func(ps, gains []float64) []float64 { // 1/S − 1/p = f(1 − 1/p)
		return []float64{through(ps, gains, func(p, s float64) (x, y float64) { return 1 - 1/p, 1/s - 1/p })}
	},
	"Gustafson": func(ps, gains []float64) []float64 { // p − S = a(p − 1)
		return []float64{through(ps, gains, func(p, s float64) (x, y float64) { return p - 1, p - s })}
	},
	"Universal Scalability Law": closedUSL,
}

// through is the slope of a line through the origin, not below zero.
func through(ps, gains []float64, form func(p, s float64) (x, y float64)) float64 {
	var xy, xx float64
	for i := range ps {
		x, y := form(ps[i], gains[i])
		xy, xx = xy+x*y, xx+x*x
	}
	return max(0, xy/xx)
}

// closedUSL solves p/S − 1 = σ(p−1) + κp(p−1). One that comes out below zero is set
// to zero and the other solved again.
func closedUSL(ps, gains []float64) []float64 {
	var aa, ab, bb, ay, by float64
	for i, p := range ps {
		a, b, y := p-1, p*(p-1), p/gains[i]-1
		aa, ab, bb, ay, by = aa+a*a, ab+a*b, bb+b*b, ay+a*y, by+b*y
	}
	determinant := aa*bb - ab*ab
	sigma, kappa := (ay*bb-by*ab)/determinant, (by*aa-ay*ab)/determinant
	switch {
	case kappa < 0 || math.IsNaN(kappa):
		return []float64{max(0, ay/aa), 0}
	case sigma < 0:
		return []float64{0, max(0, by/bb)}
	}
	return []float64{sigma, kappa}
}

// flat is how much Karp–Flatt shares may differ and still be called constant.
const flat = 1.25

// mostly is the share of pairs of sizes that must agree before a trend is called one.
const mostly = .75

// rising is the share of pairs of which the later is larger.
func rising(list []float64) float64 {
	up, all := 0., 0.
	for i, a := range list {
		for _, b := range list[i+1:] {
			all++
			if b > a {
				up++
			}
		}
	}
	return up / all
}

// reading says what the Karp–Flatt shares along the sizes mean.
func (s Study) reading(rows []Row) string {
	var shares []float64
	for _, row := range rows {
		if row.KarpFlatt != nil {
			shares = append(shares, *row.KarpFlatt)
		}
	}
	if len(shares) < 2 {
		return ""
	}
	first, last := shares[0], shares[len(shares)-1]
	low, high := slices.Min(shares), slices.Max(shares)
	text := fmt.Sprintf("Karp–Flatt share from %.3g to %.3g: ", first, last)
	switch {
	case low < 0:
		return text + "below zero, so that a size was better than linear: cache, batch, convergence or noise"
	case low > 0 && high/low <= flat:
		return text + "nearly constant: a serial part"
	case rising(shares) >= mostly:
		return text + "it grows with the workers: a cost of working together, such as communication"
	case rising(shares) <= 1-mostly:
		return text + "it falls: what is lost is lost at small sizes already, and is not serial; look at the base and at the first step up"
	}
	return text + "it goes up and down: look at the sizes one by one"
}

// MostExtrapolation is how many times the largest measured size a law may be read
// at. Real curves bend where nobody has looked.
const MostExtrapolation = 2

// A Prediction is a size that nobody measured.
type Prediction struct {
	Workers int             `json:"workers"`
	Law     string          `json:"law,omitempty"`
	Speedup *stats.Estimate `json:"speedup,omitempty"`
	Refused string          `json:"refused,omitempty"`
}

// predict reads the best law at the asked sizes.
func (s Study) predict(fits []Fit) []Prediction {
	var list []Prediction
	largest := s.Points[len(s.Points)-1].Workers
	best := slices.IndexFunc(fits, func(f Fit) bool { return f.Best })
	for _, workers := range s.Predict {
		p := Prediction{Workers: workers}
		switch {
		case workers > MostExtrapolation*largest:
			p.Refused = fmt.Sprintf("beyond %d times the %d workers that were measured; measure nearer", MostExtrapolation, largest)
		case best < 0:
			p.Refused = fmt.Sprintf("no law is fitted to fewer than %d sizes, and none is chosen by too few launches", fewestSizes)
		default:
			p.Law = fits[best].Law
			p.Speedup = s.speedupBy(fits[best], workers)
		}
		list = append(list, p)
	}
	return list
}

// speedupBy reads a law at a size. Its interval is that of the law's parameters,
// each at both ends.
func (s Study) speedupBy(f Fit, workers int) *stats.Estimate {
	l := laws[slices.IndexFunc(laws, func(l law) bool { return l.name == f.Law })]
	at := func(of func(Parameter) float64) float64 {
		var shape []float64
		for _, p := range f.Parameters {
			shape = append(shape, of(p))
		}
		return l.speedup(shape, s.grown(workers))
	}
	most := func(p Parameter) float64 { return p.Interval.Lo }
	least := func(p Parameter) float64 { return p.Interval.Hi } // every parameter is a cost
	return &stats.Estimate{
		Value: at(func(p Parameter) float64 { return p.Value }), Interval: stats.Interval{Lo: max(0, at(least)), Hi: at(most)},
		Confidence: s.Confidence, N: f.Parameters[0].N, Method: f.Law + " with its parameters at the ends of their intervals",
	}
}
