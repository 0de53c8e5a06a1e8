package arrival

import "math/rand/v2"

// Poisson calls come independently of each other, as those of many people do.
var Poisson = Process{
	Name: "poisson",
	Doc:  "exponential gaps, independent of each other",
	Gap:  func(rng *rand.Rand, _ float64) float64 { return rng.ExpFloat64() },
	CV:   func(float64) float64 { return 1 },
}
