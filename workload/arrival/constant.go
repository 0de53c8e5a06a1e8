package arrival

import "math/rand/v2"

// Constant calls are equally far apart.
var Constant = Process{
	Name: "constant",
	Doc:  "equal gaps",
	Gap:  func(*rand.Rand, float64) float64 { return 1 },
	CV:   func(float64) float64 { return 0 },
}
