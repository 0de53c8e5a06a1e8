package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
)

// BytesPerToken fires when a token of one side is less text than a token of the other.
var BytesPerToken = Check{
	ID: "bytes-per-token", Severity: finding.Void, Pair: true,
	Doc: "The servers of a pair count tokens of different size: more tokens for the same text make a system look faster.",
	When: "visible bytes of the answers by the server's count of their tokens, over at least 20 answers a side, that differ by more than 20 % " +
		"between the sides (caution), or by more than 40 % (void). It touches what is counted in tokens",
	Applies: func(f *Facts) bool { return f.sized() && f.Against.sized() },
	Run:     bytesPerToken,
}

const (
	// sizeCaution and sizeVoid are by how much the bytes of a token may differ: texts of one
	// model differ by a few per cent, and its special tokens by one in twenty.
	sizeCaution, sizeVoid = .2, .4
	// fewestSized is how many answers of each side must be known.
	fewestSized = 20
)

// inTokens are the metrics that divide by a count of output tokens.
var inTokens = []string{
	metric.OutputThroughput.ID, metric.TPOT.ID, metric.ITLToken.ID, metric.TotalThroughput.ID, metric.TokenGoodput.ID, metric.UserSpeed.ID, metric.UserSpeedE2E.ID,
	metric.TPOTDone.ID, metric.TPOTRequest.ID, metric.TPOTAfterFirst.ID, metric.NTPOT.ID, metric.DecodeThroughput.ID, metric.OutputThroughputPerGPU.ID,
	metric.TotalThroughputPerGPU.ID, metric.CostPerMillionOutput.ID, metric.CostPerMillionTokens.ID, metric.CostPerOutputToken.ID, metric.EnergyPerOutputToken.ID,
}

// sized reports whether the text and the tokens of some answers are known.
func (f *Facts) sized() bool {
	return answersText(f) && slices.ContainsFunc(f.Tally.Points, func(t PointTally) bool { return t.Shown.Sized > 0 })
}

func bytesPerToken(f *Facts) Answer {
	var list []finding.Finding
	for _, p := range f.places() {
		for _, q := range f.Against.places() {
			if q.name != p.name {
				continue
			}
			a, b := q.shown(), p.shown()
			if a.Sized < fewestSized || b.Sized < fewestSized {
				continue
			}
			was, is := a.Bytes/a.SizedTokens, b.Bytes/b.SizedTokens
			apart := max(was/is, is/was) - 1
			if apart <= sizeCaution {
				continue
			}
			one := finding.Finding{
				Severity: finding.Caution, Scope: finding.Scope{Subject: finding.Speed, Points: []string{p.point.Name}, Side: p.side, Metrics: inTokens},
				Message: fmt.Sprintf("%s: a token of the candidate's usage is %.2g bytes of visible text, one of the baseline's %.2g", p.name, is, was),
				Why:     "tokens per second and time per token are in two units: whoever counts more tokens for a text looks faster",
				Fix:     "name one tokenizer for both in spec.workload.tokenizer, or compare requests per second and E2E",
			}
			if apart > sizeVoid {
				one.Severity = finding.Void
			}
			list = append(list, one)
		}
	}
	return found(list...)
}
