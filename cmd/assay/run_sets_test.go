package main

import (
	"slices"
	"strings"
	"testing"

	"assay/plan"
)

// Visits are the plan's own order, cut where the set changes, and both sides of a block
// are in one.
func TestVisits(t *testing.T) {
	t.Parallel()
	j := jobOf(t, "interleaved.yaml")
	if err := j.goes(whereOf(t, "--launcher", "ssh", "--hosts", "a,b,c", "--sets", "3")); err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(j.run)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	at := map[int]int{} // the visit of each block
	list := visits(p)
	for i, v := range list {
		if i > 0 && v.set == list[i-1].set {
			t.Errorf("two visits of set %d follow each other", v.set)
		}
		for _, index := range v.launches {
			l := p.Launches[index]
			if before, seen := at[l.Block]; l.Set != v.set || seen && before != i {
				t.Errorf("launch %+v is in visit %d of set %d", l, i, v.set)
			}
			at[l.Block] = i
			order = append(order, index)
		}
	}
	if len(order) != len(p.Launches) || !slices.IsSorted(order) {
		t.Errorf("launches %v of %d", order, len(p.Launches))
	}
}

// A run on sets of hosts is refused where nobody names hosts, or where it was begun before.
func TestHasHosts(t *testing.T) {
	t.Parallel()
	j := jobOf(t, "minimal.yaml")
	if err := j.cuts(2); err != nil {
		t.Fatal(err)
	}
	if _, err := j.decide(nil); err == nil || !strings.Contains(err.Error(), "want --launcher ssh with --hosts") {
		t.Errorf("without hosts: %v", err)
	}
	j.placed = &placement{Launches: []int{0}}
	if _, err := j.decide(nil); err != nil {
		t.Errorf("a part of it: %v", err)
	}
}
