package probe

import (
	"context"
	"math/rand/v2"

	"assay/unit"
)

// Cache measures how long a load takes that must wait for the one before it, in
// working sets from a page to beyond the caches.
var Cache = Probe{
	Name: "cache",
	Doc:  "latency of dependent loads in a random cycle over working sets of 4 KiB to 256 MiB",
	open: openCache,
}

// The ladder of working sets, each twice the one before.
const (
	leastSet = 4 << 10
	mostSet  = 256 << 20
)

// lineWords is how many words lie between two neighbours of the cycle: a cache line
// of 64 bytes, so that each load touches a line of its own.
const lineWords = 8

// loadsAtOnce is how many loads are one iteration: a loop around one load would be
// what is timed.
const loadsAtOnce = 1024

func openCache(_ context.Context, s *Setting) ([]variant, func() error, error) {
	top := s.most(mostSet)
	if free := freeMemory(); free > 0 {
		top = min(top, free/4)
	}
	var list []variant
	for size := int64(leastSet); size <= top; size *= 2 {
		members := &crew[chase]{}
		list = append(list, variant{
			name: unit.Bytes(size).String(), threads: 1, size: size, operations: loadsAtOnce,
			begin: func() error {
				*members = newCrew(1, func(int) chase { return newChase(size) })
				return nil
			},
			end: func() error { return members.close() },
			do: func(iterations int) error {
				members.each(func(c *chase) { c.walk(iterations) })
				return nil
			},
			settle: func() (int64, *int64, error) { return members.sum((*chase).wrong), nil, nil },
		})
	}
	return list, nothing, nil
}

// A chase is a cycle through every line of a working set, in random order: no
// prefetcher can guess it. The word beside each pointer is its place in the cycle.
type chase struct {
	words []uint64
	at    uint64
	steps uint64
}

func newChase(size int64) chase {
	lines := int(size / 8 / lineWords)
	order := rand.New(rand.NewPCG(uint64(size), 1)).Perm(lines)
	c := chase{words: make([]uint64, lines*lineWords)}
	for place, line := range order {
		next := order[(place+1)%lines]
		c.words[line*lineWords] = uint64(next * lineWords)
		c.words[line*lineWords+1] = uint64(place)
	}
	c.at = uint64(order[0] * lineWords)
	return c
}

func (c *chase) walk(iterations int) {
	words, at := c.words, c.at
	for range iterations {
		for range loadsAtOnce / 8 {
			at = words[at]
			at = words[at]
			at = words[at]
			at = words[at]
			at = words[at]
			at = words[at]
			at = words[at]
			at = words[at]
		}
	}
	c.at, c.steps = at, c.steps+uint64(iterations)*loadsAtOnce
}

// wrong says that the walk is not where so many steps lead.
func (c *chase) wrong() int64 {
	if c.words[c.at+1] != c.steps%uint64(len(c.words)/lineWords) {
		return 1
	}
	return 0
}
