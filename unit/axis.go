package unit

// Axis chooses the scale of an axis whose largest value is most: values are
// divided by divisor, and suffix says what they then count. A long time stays in
// seconds, since nobody reads 0.75 of a minute.
func Axis(most float64, u Unit) (divisor float64, suffix string) {
	if u == Second && most >= 1 {
		return 1, string(Second)
	}
	if !finite(most) {
		most = 0
	}
	return printed(most, u)
}
