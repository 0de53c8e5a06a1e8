package workload

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What was learned holds for other texts, and the counter is left alone.
func TestLearn(t *testing.T) {
	asked := 0
	threes := counterFunc(func(s string) int { asked++; return pieces(s, 3) })
	b, err := Learn(threes)
	if err != nil {
		t.Fatal(err)
	}
	asked = 0
	rng := rand.New(rand.NewPCG(5, 5))
	for n := 1; n < 300; n++ {
		text, said := b.Text(rng, n)
		if said != n || pieces(text, 3) != n {
			t.Errorf("a text of %d tokens has %d and says %d", n, pieces(text, 3), said)
		}
	}
	if asked > 0 {
		t.Errorf("the counter was asked %d times after learning", asked)
	}
	if NewBuilder(b) != b {
		t.Error("a builder that is a counter was built again")
	}
}

func TestLearnRefuses(t *testing.T) {
	f := func(want string, counter counterFunc) {
		t.Helper()
		if _, err := Learn(counter); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	f("0 of", func(s string) int { return len(s) + 1 })
	f("together", func(s string) int { // joins words of long texts
		n := len(strings.Fields(s))
		if n > 100 {
			n--
		}
		return n
	})
}
