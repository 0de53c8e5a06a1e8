package scaling

// amdahl is the speed-up of a fixed problem of which the share serial cannot be
// spread over k workers (Amdahl 1967).
func amdahl(serial, k float64) float64 { return 1 / (serial + (1-serial)/k) }

// gustafson is the speed-up of a problem that grows with the workers (Gustafson
// 1988).
func gustafson(serial, k float64) float64 { return k - serial*(k-1) }

// karpFlatt is the serial share that a speed-up at one size implies (Karp and
// Flatt 1990). One that grows with the workers is not a serial share but a cost
// of working together.
func karpFlatt(speedup, k float64) float64 {
	return (1/speedup - 1/k) / (1 - 1/k)
}

// usl is the efficiency that the Universal Scalability Law gives: contention
// sigma for what is shared, coherency kappa for what every pair must agree on
// (Gunther 1993).
func usl(sigma, kappa, k float64) float64 {
	return 1 / (1 + sigma*(k-1) + kappa*k*(k-1))
}

// Exposed is the efficiency that exposed communication leaves, for its ratio to
// computation, and what to do about it.
func Exposed(communication, computation float64) (ratio, efficiency float64, advice string) {
	ratio = communication / computation
	switch {
	case ratio <= .1:
		advice = "communication is hidden: workers may be added"
	case ratio <= .5:
		advice = "hide communication behind computation first, then add workers"
	case ratio < 1:
		advice = "give each worker more to do, or send less"
	default:
		advice = "stop adding workers: they wait for each other"
	}
	return ratio, 1 / (1 + ratio), advice
}
