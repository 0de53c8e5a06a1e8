package items

import (
	"math/rand/v2"
	"slices"
)

// Grouped says what became of groups that nobody called clusters, such as items whose ids
// begin alike.
type Grouped struct {
	Groups int `json:"groups"`

	// P is how often items that have nothing to do with each other change together within
	// groups as much as these do.
	P float64 `json:"p"`

	// Taken says that the groups were taken for clusters.
	Taken bool `json:"taken"`

	// Blind says that so few items changed that no test could have shown clusters.
	Blind bool `json:"blind,omitempty"`
}

const (
	// fewestGroups is the fewest groups that can be clusters: of fewer the standard error
	// is not known.
	fewestGroups = 10

	// groupLevel is the P up to which groups are taken for clusters. It is this high
	// because the two errors are unlike: independent items in clusters cost some power,
	// clusters in independent items a false verdict, and few flips show little.
	groupLevel = .2

	// fewestMoved is the fewest changed items of which the groups can show anything: of
	// fewer hardly two fall into one group, whatever the groups are.
	fewestMoved = 10

	// groupShuffles are the rearrangements that P is counted in, and groupSeed what they
	// are drawn from: whoever has the scores gets the same P.
	groupShuffles, groupSeed = 499, 1
)

// grouping asks whether groups that nobody labelled are clusters; nil where there are no
// groups to ask about.
func grouping(labels []string, d []float64) (clusters, *Grouped) {
	c := clustersOf(labels)
	if c.alone() || c.count() < fewestGroups || slices.Max(c.sizes) > float64(len(d))/float64(fewestGroups/2) {
		return c, nil
	}
	p, moved := c.together(d)
	taken := p <= groupLevel
	return c, &Grouped{Groups: c.count(), P: p, Taken: taken, Blind: !taken && moved < fewestMoved}
}

// together is P of a permutation test: how often the sums of the groups vary as much as
// they do when the differences are dealt out to the items anew; and of how many items.
func (c clusters) together(d []float64) (p float64, items int) {
	mean := 0.0
	var moved []float64 // the differences that are none are dealt out by leaving them out
	for _, v := range d {
		mean += v / float64(len(d))
		if v != 0 {
			moved = append(moved, v)
		}
	}
	rng := rand.New(rand.NewPCG(groupSeed, uint64(len(d))))
	places := make([]int, len(d))
	at := 0
	for i, v := range d { // those that moved stand first
		if v != 0 {
			places[at] = i
			at++
		}
	}
	for i, v := range d {
		if v == 0 {
			places[at] = i
			at++
		}
	}
	sums := make([]float64, len(c.sizes))
	observed := c.spread(sums, places, moved, mean)
	as := 0
	for range groupShuffles {
		for i := range moved {
			j := i + rng.IntN(len(places)-i)
			places[i], places[j] = places[j], places[i]
		}
		if c.spread(sums, places, moved, mean) >= observed-1e-9 {
			as++
		}
	}
	return share(as, groupShuffles), len(moved)
}

// spread is the variance of the sums of the groups, less what no dealing out changes, when
// the values stand at the first places. It leaves sums as zeros.
func (c clusters) spread(sums []float64, places []int, values []float64, mean float64) (total float64) {
	for i, v := range values {
		sums[c.of[places[i]]] += v
	}
	for i := range values {
		g := c.of[places[i]]
		total += sums[g] * (sums[g] - 2*mean*c.sizes[g])
		sums[g] = 0
	}
	return total
}
