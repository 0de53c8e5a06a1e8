package workload

import (
	"math/rand/v2"
	"testing"
)

// Calls are made off the measured path but on the client's processors: one must
// cost little beside sending it.
func BenchmarkCall(b *testing.B) {
	s, err := New(1, Options{Lengths: []Length{{512, 128, 1}}, Spread: Spread{LogNormal, 0.5}, Prefix: Prefix{Tokens: 100, Pool: 8}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	id := int64(0)
	for b.Loop() {
		if c := s.Call(0, id); c.InputTokens < 1 {
			b.Fatal(c)
		}
		id++
	}
}

func BenchmarkPicture(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if picture := Picture(rng, 1024, 1024); len(picture.Data) < 1000 {
			b.Fatal(len(picture.Data))
		}
	}
}
