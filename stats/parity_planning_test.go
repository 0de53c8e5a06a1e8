package stats

// designsOf crosses coefficients of variation, effects and sizes at two levels.
func designsOf(sizes ...float64) (rows [][]float64) {
	for _, cv := range []float64{.01, .03, .1} {
		for _, effect := range []float64{.01, .03, .05, .1, -.05} {
			for _, k := range sizes {
				for _, alpha := range []float64{.05, .01} {
					rows = append(rows, []float64{cv, effect, k, alpha})
				}
			}
		}
	}
	return rows
}

// equivalencesOf crosses coefficients of variation, true effects, margins and sizes.
func equivalencesOf(sizes ...float64) (rows [][]float64) {
	for _, cv := range []float64{.01, .03} {
		for _, effect := range []float64{0, .01} {
			for _, margin := range []float64{.03, .05} {
				for _, k := range sizes {
					rows = append(rows, []float64{cv, effect, margin, k, .05})
				}
			}
		}
	}
	return rows
}

// powersWanted crosses coefficients of variation, effects and powers.
func powersWanted() (rows [][]float64) {
	for _, cv := range []float64{.01, .03, .1} {
		for _, effect := range []float64{.02, .05, .1} {
			for _, power := range []float64{.5, .8, .95} {
				rows = append(rows, []float64{cv, effect, .05, power})
			}
		}
	}
	return rows
}

// detectionsOf crosses coefficients of variation and sizes at a power of 80 %.
func detectionsOf(sizes ...float64) (rows [][]float64) {
	for _, cv := range []float64{.01, .03, .05} {
		for _, k := range sizes {
			rows = append(rows, []float64{cv, k, .05, .8})
		}
	}
	return rows
}

func noncentralPoints() (rows [][]float64) {
	for _, df := range []float64{1, 1.7, 2, 4, 8.3, 18, 98, 998} {
		for _, delta := range []float64{0, .5, 2, 5, -3} {
			for _, t := range []float64{-4, -1, 0, .3, 2, 6, 12} {
				rows = append(rows, []float64{t, df, delta})
			}
		}
	}
	return append(rows, []float64{30, 3, 40}, []float64{45, 9, 40}, []float64{110, 20, 100}, []float64{3, 1e5, 2})
}

func one(v float64) ([]float64, error) { return []float64{v}, nil }

var planningParity = []parityRow{
	{name: "noncentralT", inputs: numbersOf(noncentralPoints()...), answer: func(in parityInput) ([]float64, error) {
		return one(NoncentralTCDF(in.N[0], in.N[1], in.N[2]))
	}},
	{name: "powerOfTwoSides", inputs: numbersOf(designsOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(Power(in.N[0], in.N[1], int(in.N[2]), in.N[3]))
	}},
	{name: "pairedPower", inputs: numbersOf(designsOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(PairedPower(in.N[0], in.N[1], int(in.N[2]), in.N[3]))
	}},
	{name: "welchPower", inputs: numbersOf([]float64{.03, .05, 3, .05}, []float64{.03, .1, 3, .05}, []float64{.03, .05, 5, .01}, []float64{.03, .05, 10, .05}), answer: func(in parityInput) ([]float64, error) {
		return one(WelchPower(in.N[0], in.N[1], int(in.N[2]), in.N[3]))
	}},
	{name: "welchEquivalencePower", inputs: numbersOf([]float64{.01, 0, .03, 3, .05}, []float64{.03, .01, .05, 5, .05}, []float64{.03, 0, .03, 10, .05}), answer: func(in parityInput) ([]float64, error) {
		return one(WelchEquivalencePower(in.N[0], in.N[1], in.N[2], int(in.N[3]), in.N[4]))
	}},
	{name: "launchesNeeded", inputs: numbersOf(powersWanted()...), answer: func(in parityInput) ([]float64, error) {
		k, _ := LaunchesNeeded(in.N[0], in.N[1], in.N[2], in.N[3])
		return one(float64(k))
	}},
	{name: "pairsNeeded", inputs: numbersOf(powersWanted()...), answer: func(in parityInput) ([]float64, error) {
		k, _ := PairsNeeded(in.N[0], in.N[1], in.N[2], in.N[3])
		return one(float64(k))
	}},
	{name: "detectableEffect", inputs: numbersOf(detectionsOf(3, 5, 10, 20)...), answer: func(in parityInput) ([]float64, error) {
		return one(DetectableEffect(in.N[0], int(in.N[1]), in.N[2], in.N[3]))
	}},
	{name: "pairedDetectableEffect", inputs: numbersOf(detectionsOf(4, 6, 10, 20)...), answer: func(in parityInput) ([]float64, error) {
		return one(PairedDetectableEffect(in.N[0], int(in.N[1]), in.N[2], in.N[3]))
	}},
	{name: "equivalencePower", inputs: numbersOf(equivalencesOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(EquivalencePower(in.N[0], in.N[1], in.N[2], int(in.N[3]), in.N[4]))
	}},
	{name: "pairedEquivalencePower", inputs: numbersOf(equivalencesOf(3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(PairedEquivalencePower(in.N[0], in.N[1], in.N[2], int(in.N[3]), in.N[4]))
	}},
}
