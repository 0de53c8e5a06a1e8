// Package lexical compares texts: how much of a reference an answer has, word by word
// or character by character. It reads strings and returns numbers, and touches neither
// files nor network (a WordNet folder, which METEOR may use, is handed in as an fs.FS).
//
// Each metric equals one reference implementation to the last digit that matters, and
// that is its definition: where a reference does something odd, so does this package,
// and the comment says so. docs/reference/text-metrics.md lists what equals what.
//
// To add a metric, write one file named for it and list it in All.
package lexical

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Version is that of the metrics, not of the program: it is raised whenever one of them
// would give another number for the same texts. Signatures end with it.
const Version = "1.0"

// A CorpusMetric scores a whole corpus from the sum of what its segments contribute, so
// that resampling the segments needs no text. Implementations hold no state and may be
// used concurrently.
type CorpusMetric interface {
	// Name is what people call it, such as chrF2++.
	Name() string

	// Segment is the contribution of one text. Every text of a metric gives as many
	// numbers. There must be a reference.
	Segment(hypothesis string, references []string) []float64

	// Score is the score of a sum of contributions, or of a single one.
	Score(sum []float64) float64

	// Signature says how the score was made. References is the number for each
	// segment, or zero where it varies.
	Signature(references int) string
}

// Statistics are the contributions of every segment, made on all cores. There must be
// as many lists of references as hypotheses.
func Statistics(m CorpusMetric, hypotheses []string, references [][]string) [][]float64 {
	all := make([][]float64, len(hypotheses))
	each(len(hypotheses), func(i int) { all[i] = m.Segment(hypotheses[i], references[i]) })
	return all
}

// each calls f with 0 to n-1, in blocks on all cores, and returns when all are done.
func each(n int, f func(i int)) {
	const block = 64 // long enough that handing one out costs nothing
	starts := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+block-1)/block) {
		wg.Go(func() {
			for start := range starts {
				for i := start; i < min(start+block, n); i++ {
					f(i)
				}
			}
		})
	}
	for start := 0; start < n; start += block {
		starts <- start
	}
	close(starts)
	wg.Wait()
}

// Sum adds up contributions. Without any there is none, and nothing to score.
func Sum(statistics [][]float64) []float64 {
	var sum []float64
	for _, one := range statistics {
		if sum == nil {
			sum = make([]float64, len(one))
		}
		for i, x := range one {
			sum[i] += x
		}
	}
	return sum
}

// References is the number that a signature wants: how many references each segment
// has, or zero where it varies.
func References(references [][]string) int {
	if len(references) == 0 {
		return 0
	}
	n := len(references[0])
	for _, refs := range references {
		if len(refs) != n {
			return 0
		}
	}
	return n
}

// signature joins keys and values as sacrebleu does, with our own name in the place of
// its version: the numbers are equal, the program is not.
func signature(references int, parts ...string) string {
	n := "var"
	if references > 0 {
		n = strconv.Itoa(references)
	}
	parts = append([]string{"nrefs:" + n}, parts...)
	return strings.Join(append(parts, "assay-lexical:"+Version), "|")
}

// choose is how Go spells a condition inside an expression.
func choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// shortFloat writes a number with as many digits as it needs.
func shortFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
