package scenario

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	f := func(text, file string) {
		t.Helper()
		s, err := Parse(text)
		if err != nil {
			t.Error(err)
			return
		}
		if got := s.String(); got != text {
			t.Errorf("Parse(%q).String() = %q", text, got)
		}
		if got := s.FileName(); got != file {
			t.Errorf("%s.FileName() = %q, want %q", text, got, file)
		}
	}
	f("D(100,1000)", "D100_1000")
	f("N(480,240)/(300,150)", "N480_240_300_150")
	f("U(50,100)/(200,250)", "U50_100_200_250")
	f("U(100,200)", "U100_200")
	f("E(64)", "E64")
	f("R(1024,100)", "R1024_100")
	f("I(512,512)", "I512_512")
	f("I(256,256,2)", "I256_256_2")
	f("A(4000)", "A4000")
	f("dataset", "dataset")
	f("N(10,0)/(10,0)", "N10_0_10_0")
	f("U(0,10)/(0,10)", "U0_10_0_10")
}

func TestRefusals(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", text, s, err, want)
		}
	}
	f("", "want one of D(in,out)")
	f("D", "want one of")
	f("V(1,2)", "want one of")
	f("d(1,2)", "want one of")
	f("Dataset", "want one of")
	f("D(1,2", "no closing bracket")
	f("D(1,2))", `"2)" is no whole number`)
	f("D(1)", "wrong number of numbers, want D(in,out)")
	f("D(1,2,3)", "wrong number")
	f("D(1,2)/(3,4)", "wrong number")
	f("D(1, 2)", `" 2" is no whole number`)
	f("D(-1,2)", `"-1" is no whole number`)
	f("D(1.5,2)", "no whole number")
	f("D(01,2)", "no whole number")
	f("D(+1,2)", "no whole number")
	f("D(0,2)", "a number is 0")
	f("D(100000001,2)", "is above 10000000")
	f("N(480,240)", "want N(mean_in,sd_in)/(mean_out,sd_out)")
	f("N(0,240)/(1,1)", "a mean is 0")
	f("U(5,4)/(1,2)", "a minimum is above its maximum")
	f("U(0,5)/(0,0)", "a maximum is 0")
	f("U(1,2)/(3)", "wrong number")
	f("I(1,2,3,4)", "wrong number")
	f("E(64)x", "no closing bracket")
}

func TestDrawConstants(t *testing.T) {
	f := func(text string, want Shape) {
		t.Helper()
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Draw(nil); got != want {
			t.Errorf("%s drew %+v, want %+v", text, got, want)
		}
		if got := s.Mean(); got != want {
			t.Errorf("%s has mean %+v, want %+v", text, got, want)
		}
	}
	f("D(7800,1)", Shape{Input: 7800, Output: 1}) // prefill only is a fair question
	f("E(64)", Shape{Document: 64})
	f("R(64,100)", Shape{Document: 64, Query: 100})
	f("I(512,256)", Shape{Width: 512, Height: 256, Images: 1})
	f("I(512,256,3)", Shape{Width: 512, Height: 256, Images: 3})
	f("A(500)", Shape{Characters: 500})
	f("dataset", Shape{})
}

// Drawn lengths have the range and the mean that the semantics give them.
func TestDraw(t *testing.T) {
	const n = 200_000
	tests := []struct {
		text            string
		inMean, outMean float64 // after cutting to whole numbers: half a token below
		inMin, inMax    int
		outMin, outMax  int
		standardError   float64
	}{
		{"N(480,40)/(300,30)", 479.5, 299.5, 1, math.MaxInt, 2, math.MaxInt, 0.1},
		{"U(50,100)/(200,250)", 74.5, 224.5, 50, 99, 200, 249, 0.05},
		{"U(100,1000)", 50, 500, 1, 99, 2, 999, 1},
		{"U(7,7)/(9,9)", 7, 9, 7, 7, 9, 9, 0.001},
		{"N(1,100)/(1,100)", 40.2, 40.8, 1, math.MaxInt, 2, math.MaxInt, 0.2},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			s, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			var in, out float64
			for range n {
				shape := s.Draw(rng)
				if shape.Input < tt.inMin || shape.Input > tt.inMax || shape.Output < tt.outMin || shape.Output > tt.outMax {
					t.Fatalf("drew %+v", shape)
				}
				in += float64(shape.Input) / n
				out += float64(shape.Output) / n
			}
			if math.Abs(in-tt.inMean) > 5*tt.standardError || math.Abs(out-tt.outMean) > 5*tt.standardError {
				t.Errorf("means %.2f in, %.2f out; want %.2f and %.2f", in, out, tt.inMean, tt.outMean)
			}
		})
	}
}

// Every default is a scenario of its own task.
func TestDefaults(t *testing.T) {
	for _, task := range AllTasks {
		if len(Defaults(task)) == 0 {
			t.Errorf("%s has no default scenario", task)
		}
		for _, text := range Defaults(task) {
			s, err := Parse(text)
			if err != nil || !slices.Contains(s.Tasks(), task) {
				t.Errorf("default %s of %s: tasks %v, %v", text, task, s.Tasks(), err)
			}
		}
	}
	if got := Defaults("text-to-smell"); got != nil {
		t.Errorf("an unknown task has defaults %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, task := range AllTasks {
		for _, text := range Defaults(task) {
			f.Add(text)
		}
	}
	f.Add("U(0,10)/(3,10)")
	f.Add("dataset")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if s.String() != text {
			t.Errorf("%q reads as %q", text, s)
		}
		shape := s.Draw(rand.New(rand.NewPCG(1, 1)))
		if shape.Input < 0 || shape.Output < 0 || s.Kind != Dataset && shape == (Shape{}) {
			t.Errorf("%q draws %+v", text, shape)
		}
	})
}
