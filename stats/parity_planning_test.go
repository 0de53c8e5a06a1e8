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

func one(v float64) ([]float64, error) { return []float64{v}, nil }

var planningParity = []parityRow{
	{name: "powerOfTwoSides", inputs: numbersOf(designsOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(Power(in.N[0], in.N[1], int(in.N[2]), in.N[3]))
	}},
	{name: "pairedPower", inputs: numbersOf(designsOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(PairedPower(in.N[0], in.N[1], int(in.N[2]), in.N[3]))
	}},
	{name: "launchesNeeded", inputs: numbersOf(powersWanted()...), answer: func(in parityInput) ([]float64, error) {
		k, _ := LaunchesNeeded(in.N[0], in.N[1], in.N[2], in.N[3])
		return one(float64(k))
	}},
	{name: "pairsNeeded", inputs: numbersOf(powersWanted()...), answer: func(in parityInput) ([]float64, error) {
		k, _ := PairsNeeded(in.N[0], in.N[1], in.N[2], in.N[3])
		return one(float64(k))
	}},
	{name: "equivalencePower", inputs: numbersOf(equivalencesOf(2, 3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(EquivalencePower(in.N[0], in.N[1], in.N[2], int(in.N[3]), in.N[4]))
	}},
	{name: "pairedEquivalencePower", inputs: numbersOf(equivalencesOf(3, 5, 10, 40)...), answer: func(in parityInput) ([]float64, error) {
		return one(PairedEquivalencePower(in.N[0], in.N[1], in.N[2], int(in.N[3]), in.N[4]))
	}},
}
