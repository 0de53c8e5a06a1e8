package foreign

import (
	"fmt"
	"math"

	"assay/record"
)

// lengths is a scenario with the lengths that the requests had: fixed when all
// had the same, otherwise normal with their mean and deviation. It is empty when
// the source does not tell tokens. What was asked for is mostly not stored.
func lengths(launches []Launch) string {
	var input, output moments
	for _, l := range launches {
		for _, m := range l.Points {
			for _, r := range m.Requests {
				if r.Result == record.OK {
					input.add(r.UsageInput)
					output.add(r.UsageOutput, r.TokenizerOutput)
				}
			}
		}
	}
	if input.n == 0 || output.n == 0 {
		return ""
	}
	in, inSpread := input.round()
	out, outSpread := output.round()
	if inSpread == 0 && outSpread == 0 {
		return fmt.Sprintf("D(%d,%d)", in, out)
	}
	return fmt.Sprintf("N(%d,%d)/(%d,%d)", in, inSpread, out, outSpread)
}

// A moments gathers mean and deviation of counts. Counts are whole and below
// 2^31, so the sums of some millions of them are exact enough for whole tokens.
type moments struct{ n, sum, squares float64 }

// add takes the first count that there is.
func (m *moments) add(counts ...*int32) {
	for _, c := range counts {
		if c != nil {
			v := float64(*c)
			m.n, m.sum, m.squares = m.n+1, m.sum+v, m.squares+v*v
			return
		}
	}
}

func (m moments) round() (mean, deviation int) {
	average := m.sum / m.n
	return int(math.Round(average)), int(math.Round(math.Sqrt(max(0, m.squares/m.n-average*average))))
}
