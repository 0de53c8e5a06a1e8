package stats

import "math"

// A bucketer finds the bucket of a value: the i with γ^(i−1) < v ≤ γ^i, which is
// ⌈ln v ÷ ln γ⌉. The logarithm is most of what a sketch costs, so that it is only
// estimated; where the estimate is too near to the end of a bucket to be sure of it,
// math.Log decides. The bucket is the same as with math.Log alone.
type bucketer struct {
	perLog float64 // buckets in a unit of the natural logarithm
	unsure float64 // how near to the end of a bucket the estimate decides nothing, in buckets
}

// estimateError is more than quickLog is off by: the first term that its series leaves
// out is below 2⁻⁴²; sums of numbers below 710 are rounded by less than 2⁻⁴² as well.
const estimateError = 0x1p-38

func newBucketer(perLog float64) bucketer {
	return bucketer{perLog, estimateError * perLog}
}

// of is the bucket of a normal number above zero.
func (b bucketer) of(v float64) int {
	at := quickLog(v) * b.perLog
	end := math.Ceil(at)
	if end-at < b.unsure || at-(end-1) < b.unsure {
		return b.exact(v)
	}
	return int(end)
}

func (b bucketer) exact(v float64) int { return int(math.Ceil(math.Log(v) * b.perLog)) }

// logSteps is how many parts the numbers from one to two are cut into.
const logSteps = 128

// A logStep is the middle of a part.
type logStep struct{ log, inverse float64 }

var logTable = func() (table [logSteps]logStep) {
	for i := range table {
		middle := 1 + (float64(i)+.5)/logSteps
		table[i] = logStep{math.Log(middle), 1 / middle}
	}
	return table
}()

// quickLog is the natural logarithm of a normal number above zero, within
// estimateError: that of its power of two, of the middle of its part of [1, 2), and of
// the rest r = 1 + x by the series x − x²/2 + x³/3 − x⁴/4, where |x| < 2⁻⁸.
func quickLog(v float64) float64 {
	raw := math.Float64bits(v)
	step := &logTable[raw>>(52-7)&(logSteps-1)]
	mantissa := math.Float64frombits(raw&(1<<52-1) | 1023<<52)
	x := mantissa*step.inverse - 1
	power := float64(int(raw>>52) - 1023)
	return power*math.Ln2 + (step.log + x*(1-x*(1./2-x*(1./3-x*(1./4)))))
}
