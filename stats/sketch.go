package stats

import (
	"encoding/json"
	"fmt"
	"math"
)

// A Sketch holds the quantiles of any number of values in little memory: the
// value it gives for a quantile is within RelativeError of the true one, however
// the values are spread (Masson, Rim and Lee: DDSketch, VLDB 2019).
//
// It counts values in buckets whose ends grow by a constant factor. The counts
// are integers, so that merging is exact: the order of values and of merges, and
// how the values were split, make no difference to anything it says or writes.
// It gives no interval: for that the values themselves are needed.
//
// One goroutine may use a Sketch at a time; the zero Sketch is not usable.
type Sketch struct {
	relativeError float64
	factor        float64 // γ, the ratio of a bucket's ends
	bucket        bucketer

	positive, negative buckets
	zeros              int64
	count              int64
	refused            int64 // values that are no number or infinite
	min, max           float64
}

// NewSketch makes an empty sketch whose quantiles are within relativeError of the
// true ones: 0.01 takes about 115 buckets for each factor of ten that the values
// span. It panics when relativeError is not between 0 and 1.
func NewSketch(relativeError float64) *Sketch {
	if !(relativeError > 0 && relativeError < 1) {
		panic(fmt.Sprintf("stats: sketch with relative error %v: want between 0 and 1", relativeError))
	}
	factor := (1 + relativeError) / (1 - relativeError)
	return &Sketch{
		relativeError: relativeError, factor: factor, bucket: newBucketer(1 / math.Log(factor)),
		min: math.Inf(1), max: math.Inf(-1),
	}
}

// smallestNormal is the least float64 of full precision. Anything nearer to zero
// is counted as zero: math.Log is wrong there on amd64 (−709.1 for 5e-324, whose
// logarithm is −744.4).
const smallestNormal = 0x1p-1022

// Add counts v once.
func (s *Sketch) Add(v float64) { s.AddN(v, 1) }

// AddN counts v n times; n of zero or less adds nothing. What is not a finite
// number is not counted, but see Refused.
func (s *Sketch) AddN(v float64, n int64) {
	if n <= 0 {
		return
	}
	switch {
	case v >= smallestNormal && v <= math.MaxFloat64:
		s.positive.add(s.bucket.of(v), n)
	case v <= -smallestNormal && v >= -math.MaxFloat64:
		s.negative.add(s.bucket.of(-v), n)
	case math.IsNaN(v) || math.IsInf(v, 0):
		s.refused += n
		return
	default:
		s.zeros += n
	}
	s.count += n
	if v < s.min {
		s.min = v
	}
	if v > s.max {
		s.max = v
	}
}

// Merge adds all that other has counted. Sketches of different relative errors
// have different buckets and do not merge.
func (s *Sketch) Merge(other *Sketch) error {
	if s.relativeError != other.relativeError {
		return fmt.Errorf("a sketch with relative error %v cannot take in one with %v: make both with the same", s.relativeError, other.relativeError)
	}
	s.positive.merge(other.positive)
	s.negative.merge(other.negative)
	s.zeros += other.zeros
	s.count += other.count
	s.refused += other.refused
	s.min, s.max = min(s.min, other.min), max(s.max, other.max)
	return nil
}

// Quantile is the value of rank ⌈qn⌉, as of Quantile the function, within the
// relative error; q of 0 and 1 give the exact least and greatest. It is NaN for
// an empty sketch and for a q outside [0, 1].
func (s *Sketch) Quantile(q float64) float64 {
	if s.count == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	rank := min(s.count, max(1, int64(math.Ceil(q*float64(s.count)-rankSlack))))
	switch {
	case q == 0 || rank == 1:
		return s.min
	case rank == s.count:
		return s.max
	}
	value := 0.0
	below := s.negative.total
	switch {
	case rank <= below: // negative values lie the other way round
		value = -s.middle(s.negative.at(below - rank + 1))
	case rank > below+s.zeros:
		value = s.middle(s.positive.at(rank - below - s.zeros))
	}
	// The ends are known exactly, and a value moved to them only comes nearer.
	return min(s.max, max(s.min, value))
}

// Count is how many values were counted.
func (s *Sketch) Count() int64 { return s.count }

// Refused is how many values were left out because they are no finite numbers.
func (s *Sketch) Refused() int64 { return s.refused }

// RelativeError is by how much of itself a quantile may be off, at most.
func (s *Sketch) RelativeError() float64 { return s.relativeError }

// middle is the value that is as far from both ends of a bucket, relatively.
func (s *Sketch) middle(bucket int) float64 {
	return 2 / (1 + s.factor) * math.Exp(float64(bucket)/s.bucket.perLog)
}

// buckets are counts by index, without gaps from first on.
type buckets struct {
	first  int
	counts []int64
	total  int64
}

func (b *buckets) add(i int, n int64) {
	if at := i - b.first; uint(at) < uint(len(b.counts)) {
		b.counts[at] += n
	} else {
		b.reach(i)
		b.counts[i-b.first] += n
	}
	b.total += n
}

// reach makes room for index i, and some beyond it so that it is seldom needed.
func (b *buckets) reach(i int) {
	const spare = 64
	if len(b.counts) == 0 {
		b.first, b.counts = i-spare/2, make([]int64, spare)
		return
	}
	first, end := b.first, b.first+len(b.counts)
	if i < first {
		first = i - spare
	} else if i >= end {
		end = i + spare
	}
	counts := make([]int64, end-first)
	copy(counts[b.first-first:], b.counts)
	b.first, b.counts = first, counts
}

func (b *buckets) merge(other buckets) {
	for at, n := range other.counts {
		if n > 0 {
			b.add(other.first+at, n)
		}
	}
}

// at is the bucket that holds the value of the given rank, counted from one.
func (b *buckets) at(rank int64) int {
	for at, n := range b.counts {
		if rank -= n; rank <= 0 {
			return b.first + at
		}
	}
	return b.first + len(b.counts) - 1
}

// sketchForm is how a sketch is written: the same values give the same bytes.
type sketchForm struct {
	RelativeError float64    `json:"relativeError"`
	Min           *float64   `json:"min,omitempty"`
	Max           *float64   `json:"max,omitempty"`
	Zeros         int64      `json:"zeros,omitempty"`
	Refused       int64      `json:"refused,omitempty"`
	Positive      [][2]int64 `json:"positive,omitempty"` // index and count, ascending
	Negative      [][2]int64 `json:"negative,omitempty"`
}

// MarshalJSON writes the buckets that are not empty.
func (s *Sketch) MarshalJSON() ([]byte, error) {
	form := sketchForm{RelativeError: s.relativeError, Zeros: s.zeros, Refused: s.refused, Positive: s.positive.pairs(), Negative: s.negative.pairs()}
	if s.count > 0 {
		form.Min, form.Max = &s.min, &s.max
	}
	return json.Marshal(form)
}

func (b *buckets) pairs() (pairs [][2]int64) {
	for at, n := range b.counts {
		if n > 0 {
			pairs = append(pairs, [2]int64{int64(b.first + at), n})
		}
	}
	return pairs
}

// UnmarshalJSON reads what MarshalJSON writes and refuses what no sketch holds.
func (s *Sketch) UnmarshalJSON(data []byte) error {
	var form sketchForm
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	if !(form.RelativeError > 0 && form.RelativeError < 1) {
		return fmt.Errorf("sketch with relativeError %v: want between 0 and 1", form.RelativeError)
	}
	read := NewSketch(form.RelativeError)
	// No float64 lies beyond these.
	limit := int64(math.Ceil(746 * read.bucket.perLog))
	for _, side := range []struct {
		pairs [][2]int64
		into  *buckets
	}{{form.Positive, &read.positive}, {form.Negative, &read.negative}} {
		for _, pair := range side.pairs {
			if pair[0] < -limit || pair[0] > limit || pair[1] <= 0 {
				return fmt.Errorf("sketch bucket %d with count %d: want an index within ±%d and a count above zero", pair[0], pair[1], limit)
			}
			side.into.add(int(pair[0]), pair[1])
		}
	}
	if form.Zeros < 0 || form.Refused < 0 {
		return fmt.Errorf("sketch with %d zeros and %d refused: want no negative counts", form.Zeros, form.Refused)
	}
	read.zeros, read.refused = form.Zeros, form.Refused
	read.count = read.zeros + read.positive.total + read.negative.total
	if (read.count > 0) != (form.Min != nil && form.Max != nil) {
		return fmt.Errorf("sketch of %d values: want min and max exactly when there are values", read.count)
	}
	if read.count > 0 {
		read.min, read.max = *form.Min, *form.Max
	}
	*s = *read
	return nil
}
