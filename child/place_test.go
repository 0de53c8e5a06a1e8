package child

import (
	"strconv"
	"strings"
	"testing"
)

func TestPlace(t *testing.T) {
	numbers := func(text string) (list []int, err error) {
		for field := range strings.SplitSeq(strings.TrimSpace(text), ",") {
			first, _, _ := strings.Cut(field, "-")
			n, err := strconv.Atoi(first)
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
		return list, nil
	}
	if p, err := At(nil, -1, numbers); err != nil || !p.Anywhere() || p.String() != "any processor" {
		t.Errorf("no place: %v, %v", p, err)
	}
	if _, err := At([]int{8000}, -1, numbers); err == nil {
		t.Error("a processor that is not there is given")
	}
	if _, err := At(nil, 1000, numbers); err == nil {
		t.Error("a node that is not there is given")
	}
	if got := (Place{CPUs: []int{3, 0, 1, 8}, Bound: true, Node: 1}).String(); got != "processors 0-1,3,8 of NUMA node 1" {
		t.Error(got)
	}
}
