package arrival

import (
	"math"
	"math/rand/v2"
)

// Gamma calls have gaps of a gamma distribution with mean one: shape 1 is
// Poisson, a smaller one is burstier, a larger one is steadier.
var Gamma = Process{
	Name: "gamma",
	Doc:  "gamma-distributed gaps: burstier than Poisson below shape 1, steadier above",
	Gap:  func(rng *rand.Rand, shape float64) float64 { return gamma(rng, shape) / shape },
	CV:   func(shape float64) float64 { return 1 / math.Sqrt(shape) },
}

// gamma draws from the gamma distribution with scale one, after Marsaglia and
// Tsang, "A simple method for generating gamma variables" (2000). A shape below
// one is drawn at shape + 1 and brought back by a power of a uniform number.
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(1-rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
