package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// onSets has two load generators on sets of hosts send the load of a document.
func onSets(document string, sets int) string {
	return strings.Replace(document, "warmup: {}", fmt.Sprintf("warmup: {}\n    generators: 2\n    launch: {kind: ssh, hosts: [a, b, c, d, e, f], sets: %d}", sets), 1)
}

// Every side is on every set as often as it would be without sets, first there as often
// as the others, and the sides of a block are on one set.
func TestLaunchesOnSets(t *testing.T) {
	const rounds, sets = 6, 3
	p, err := New(parse(t, onSets(sides(fmt.Sprint(rounds), twoCandidates), sets)))
	if err != nil {
		t.Fatal(err)
	}
	if p.Sets() != sets || len(p.Launches) != 3*rounds*sets || p.Replicates() != rounds*sets {
		t.Fatalf("%d sets, %d launches, %d replicates", p.Sets(), len(p.Launches), p.Replicates())
	}
	on, first, order := map[string]int{}, map[string]int{}, map[string]bool{}
	for block := range slices.Chunk(p.Launches, 3) {
		for _, l := range block {
			if l.Set != block[0].Set || l.Block != block[0].Block || l.Seed != block[0].Seed {
				t.Errorf("a block holds %+v and %+v", block[0], l)
			}
			on[fmt.Sprint(l.Side, l.Set)]++
		}
		first[block[0].Side]++
	}
	if len(on) != 9 {
		t.Errorf("sides on sets: %v", on)
	}
	for where, n := range on {
		if n != rounds {
			t.Errorf("%s has %d launches, want %d", where, n, rounds)
		}
	}
	for side, n := range first {
		if n != rounds {
			t.Errorf("%s is first %d times, want %d: %v", side, n, rounds, first)
		}
	}
	for round := range slices.Chunk(p.Launches, 3*sets) {
		order[fmt.Sprint(round[0].Set, round[3].Set, round[6].Set)] = true
	}
	if len(order) < 2 {
		t.Errorf("sets take turns in the orders %v: want several", order)
	}
}

// Without sides, launches take turns on sets, and without sets nothing has changed.
func TestSetsOfOneSide(t *testing.T) {
	p, err := New(parse(t, onSets(document, 2)))
	if err != nil {
		t.Fatal(err)
	}
	on := map[int]int{}
	for _, l := range p.Launches {
		on[l.Set]++
	}
	if len(p.Launches) != 10 || on[1] != 5 || on[2] != 5 {
		t.Errorf("%d launches, on sets %v, want 5 on each of two", len(p.Launches), on)
	}
	if p, err = New(parse(t, document)); err != nil || len(p.Launches) != 5 || p.Launches[4].Set != 0 {
		t.Errorf("without sets the launches are %+v (%v)", p.Launches, err)
	}
}
