package probe

import (
	"context"
	"crypto/sha256"
	"math/bits"
)

// Speed is a quick figure of a processor, to see whether it is as fast as it was and
// as its neighbours are.
var Speed = Probe{
	Name: "speed",
	Doc:  "steps of an integer chain, and bytes hashed by SHA-256",
	open: openSpeed,
}

// chainSteps and hashBytes are one iteration.
const (
	chainSteps = 1 << 12
	hashBytes  = 1 << 14
)

func openSpeed(_ context.Context, s *Setting) ([]variant, func() error, error) {
	var list []variant
	for _, threads := range threadsOf(s) {
		list = append(list, chainVariant(threads), hashVariant(threads))
	}
	return list, nothing, nil
}

// A chain is numbers that each follow from the one before; its answer is known for
// so many steps because a second walk gives it.
type chain struct{ x, steps uint64 }

func (c *chain) walk(iterations int) {
	x := c.x
	for range iterations * chainSteps {
		x = chainNext(x)
	}
	c.x, c.steps = x, c.steps+uint64(iterations)*chainSteps
}

// chainNext is a linear congruential step (Knuth's MMIX): what so many of them give
// can be computed without walking.
func chainNext(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

// jumped is the chain's value after n steps from 0, by squaring the step.
func jumped(n uint64) uint64 {
	times, plus := uint64(6364136223846793005), uint64(1442695040888963407)
	var x uint64
	for range bits.Len64(n) {
		if n&1 == 1 {
			x = x*times + plus
		}
		plus *= times + 1
		times *= times
		n >>= 1
	}
	return x
}

func (c *chain) wrong() int64 {
	if c.x != jumped(c.steps) {
		return 1
	}
	return 0
}

func chainVariant(threads int) variant {
	members := &crew[chain]{}
	return variant{
		name: "integer chain", threads: threads, operations: chainSteps * int64(threads),
		begin: func() error { *members = newCrew(threads, func(int) chain { return chain{} }); return nil },
		end:   func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(c *chain) { c.walk(iterations) })
			return nil
		},
		settle: func() (int64, *int64, error) { return members.sum((*chain).wrong), nil, nil },
	}
}

func hashVariant(threads int) variant {
	type hashing struct {
		text [hashBytes]byte
		sum  [sha256.Size]byte
	}
	members := &crew[*hashing]{}
	return variant{
		name: "sha256", threads: threads, size: hashBytes, bytes: hashBytes * int64(threads), operations: int64(threads),
		begin: func() error { *members = newCrew(threads, func(int) *hashing { return &hashing{} }); return nil },
		end:   func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(h **hashing) {
				for range iterations {
					(*h).sum = sha256.Sum256((*h).text[:])
				}
			})
			return nil
		},
		settle: func() (int64, *int64, error) {
			return members.sum(func(h **hashing) int64 {
				if (*h).sum != sha256.Sum256(make([]byte, hashBytes)) {
					return 1
				}
				return 0
			}), nil, nil
		},
	}
}
