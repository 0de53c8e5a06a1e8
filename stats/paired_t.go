package stats

// The methods of paired t tests.
const (
	PairedTMethod   = "paired-t"
	PairedLogMethod = "paired-t/log"
)

// PairedT tests whether the mean of b[i] − a[i] differs from zero, where a[i] and
// b[i] belong to one block.
func PairedT(a, b []float64) (Test, error) {
	if err := needPairs(2, a, b); err != nil {
		return Test{}, err
	}
	return pairs(a, b).test(PairedTMethod)
}

// PairedLog tests whether the geometric mean of b[i]/a[i] differs from one.
func PairedLog(a, b []float64) (Test, error) {
	if err := needPairs(2, a, b); err != nil {
		return Test{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return Test{}, err
	}
	return pairs(logs[0], logs[1]).test(PairedLogMethod)
}
