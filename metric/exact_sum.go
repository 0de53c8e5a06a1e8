package metric

import (
	"math"
	"math/big"
	"math/bits"
)

// An exactSum adds numbers so that their order makes no difference: workers that
// share them in any way come to the same mean, to the last bit. It is a whole
// number of 192 bits in units of 2⁻⁶⁴, to which each number is rounded; that is
// far below what a clock of nanoseconds tells.
type exactSum struct {
	limbs [3]uint64 // least first, two's complement
	wrong bool      // something was not a number, or too large
}

// exactLimit is beyond what is added: a billion of numbers below it still fit.
const exactLimit = 0x1p90

func (s *exactSum) add(v float64) {
	if !(math.Abs(v) < exactLimit) {
		s.wrong = true
		return
	}
	raw := math.Float64bits(v)
	exponent := int(raw >> 52 & 0x7ff)
	if exponent == 0 {
		return // below 2⁻¹⁰²²
	}
	mantissa := raw&(1<<52-1) | 1<<52
	// v is mantissa × 2^(exponent−1075), and a unit is 2⁻⁶⁴.
	shift := exponent - 1075 + 64
	limb, low, high := 0, mantissa>>min(63, uint(-shift)), uint64(0)
	if shift >= 0 {
		up := uint(shift % 64)
		limb, low, high = shift/64, mantissa<<up, mantissa>>(64-up) // zero where up is: Go shifts all out
	}
	if limb == 0 && raw>>63 == 0 { // nearly every one
		var carry uint64
		s.limbs[0], carry = bits.Add64(s.limbs[0], low, 0)
		s.limbs[1], carry = bits.Add64(s.limbs[1], high, carry)
		s.limbs[2] += carry
		return
	}
	var x exactSum
	x.limbs[limb], x.limbs[limb+1] = low, high // at most the second: see exactLimit
	if raw>>63 != 0 {
		x.negate()
	}
	s.merge(x)
}

func (s *exactSum) negate() {
	var carry uint64 = 1
	for i := range s.limbs {
		s.limbs[i], carry = bits.Add64(^s.limbs[i], 0, carry)
	}
}

func (s *exactSum) merge(other exactSum) {
	var carry uint64
	for i := range s.limbs {
		s.limbs[i], carry = bits.Add64(s.limbs[i], other.limbs[i], carry)
	}
	s.wrong = s.wrong || other.wrong
}

// mean is the sum over n, rounded once; NaN when something could not be added.
func (s exactSum) mean(n int64) float64 {
	if s.wrong || n == 0 {
		return math.NaN()
	}
	negative := s.limbs[2]>>63 != 0
	if negative {
		s.negate()
	}
	whole := new(big.Int)
	for i := len(s.limbs) - 1; i >= 0; i-- {
		whole.Or(whole.Lsh(whole, 64), new(big.Int).SetUint64(s.limbs[i]))
	}
	quotient := new(big.Rat).SetFrac(whole, new(big.Int).Lsh(big.NewInt(n), 64))
	value, _ := quotient.Float64()
	if negative {
		return -value
	}
	return value
}
