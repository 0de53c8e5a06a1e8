// Package scenario reads and samples traffic scenarios, the short notation of
// genai-bench for the shape of requests:
//
//	D(in,out)                        constant lengths
//	N(mean,sd)/(mean,sd)             normal lengths, input then output
//	U(min,max)/(min,max)             uniform lengths, input then output
//	U(max,max)                       the same with minima of 1
//	E(tokens)                        documents to embed
//	R(tokens,tokens)                 documents to rank, and the query
//	I(width,height) I(w,h,images)    images, as input or to be made
//	A(characters)                    text to speak
//	dataset                          rows as they are
//
// Numbers are whole, without signs or spaces. The package decides lengths; what
// is said at that length belongs to package workload.
//
// To add a kind, write its line in the table forms and its case in Draw.
package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"assay/spec"
)

// A Kind is the letter that opens a scenario.
type Kind string

// The kinds of scenario.
const (
	Deterministic Kind = "D"
	Normal        Kind = "N"
	Uniform       Kind = "U"
	Embed         Kind = "E"
	Rerank        Kind = "R"
	Image         Kind = "I"
	Audio         Kind = "A"
	Dataset       Kind = "dataset"
)

// A Scenario is a parsed scenario. The zero value is none.
type Scenario struct {
	Kind Kind
	args []int // in the order they are written; see forms
}

// A form is one way of writing a kind: how many numbers each bracket holds.
type form struct {
	kind     Kind
	brackets []int
	look     string
}

// forms lists every way of writing, the way shown in messages first.
var forms = []form{
	{Deterministic, []int{2}, "D(in,out)"},
	{Normal, []int{2, 2}, "N(mean_in,sd_in)/(mean_out,sd_out)"},
	{Uniform, []int{2, 2}, "U(min_in,max_in)/(min_out,max_out)"},
	{Uniform, []int{2}, "U(max_in,max_out)"},
	{Embed, []int{1}, "E(tokens)"},
	{Rerank, []int{2}, "R(document_tokens,query_tokens)"},
	{Image, []int{2}, "I(width,height)"},
	{Image, []int{3}, "I(width,height,images)"},
	{Audio, []int{1}, "A(characters)"},
}

// A Form is one way of writing a scenario, for people.
type Form struct{ Look, Doc string }

// Forms lists every way of writing a scenario.
func Forms() []Form {
	var list []Form
	for _, f := range forms {
		list = append(list, Form{f.look, meanings[f.kind]})
	}
	return append(list, Form{string(Dataset), meanings[Dataset]})
}

// meanings says what each kind asks for.
var meanings = map[Kind]string{
	Deterministic: "tokens in and out, the same in every request",
	Normal:        "normal lengths, mean and standard deviation, input then output",
	Uniform:       "uniform lengths, input then output",
	Embed:         "documents to embed",
	Rerank:        "documents to rank, and the query",
	Image:         "images, as input or to be made",
	Audio:         "text to speak",
	Dataset:       "rows of a data set as they are",
}

// Parse reads a scenario.
func Parse(text string) (Scenario, error) {
	if text == string(Dataset) {
		return Scenario{Kind: Dataset}, nil
	}
	kind, rest, ok := strings.Cut(text, "(")
	if !ok || !slices.ContainsFunc(forms, func(f form) bool { return f.kind == Kind(kind) }) {
		return Scenario{}, fmt.Errorf("scenario %q: want one of %s or dataset", text, strings.Join(looks(""), ", "))
	}
	bad := func(why string) (Scenario, error) {
		return Scenario{}, fmt.Errorf("scenario %q: %s, want %s with whole numbers and no spaces", text, why, strings.Join(looks(Kind(kind)), " or "))
	}
	rest, ok = strings.CutSuffix(rest, ")")
	if !ok {
		return bad("no closing bracket at the end")
	}
	s := Scenario{Kind: Kind(kind)}
	var brackets []int
	for group := range strings.SplitSeq(rest, ")/(") {
		numbers := strings.Split(group, ",")
		brackets = append(brackets, len(numbers))
		for _, number := range numbers {
			n, err := parseNumber(number, spec.MaxScenarioNumber(text))
			if err != nil {
				return bad(err.Error())
			}
			s.args = append(s.args, n)
		}
	}
	if !slices.ContainsFunc(forms, func(f form) bool { return f.kind == s.Kind && slices.Equal(f.brackets, brackets) }) {
		return bad("wrong number of numbers")
	}
	if err := s.check(); err != nil {
		return bad(err.Error())
	}
	return s, nil
}

// parseNumber accepts only what String writes, so that two spellings of one
// scenario cannot pass for two scenarios. A number with a digit too many is refused.
func parseNumber(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < 0 {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	if n > most {
		return 0, fmt.Errorf("%s is above %d", text, most)
	}
	return n, nil
}

// check refuses scenarios that ask for nothing.
func (s Scenario) check() error {
	switch s.Kind {
	case Uniform:
		in, out := s.bounds()
		if in.lo > in.hi || out.lo > out.hi {
			return fmt.Errorf("a minimum is above its maximum")
		}
		if in.hi == 0 || out.hi == 0 {
			return fmt.Errorf("a maximum is 0")
		}
	case Normal:
		if s.args[0] == 0 || s.args[2] == 0 {
			return fmt.Errorf("a mean is 0")
		}
	default:
		if slices.Contains(s.args, 0) {
			return fmt.Errorf("a number is 0")
		}
	}
	return nil
}

func looks(kind Kind) []string {
	var list []string
	for _, f := range forms {
		if kind == "" || f.kind == kind {
			list = append(list, f.look)
		}
	}
	return list
}

// String is the scenario as written: Parse returns it unchanged.
func (s Scenario) String() string {
	if s.Kind == Dataset || s.Kind == "" {
		return string(s.Kind)
	}
	var b strings.Builder
	b.WriteString(string(s.Kind) + "(")
	for i, n := range s.args {
		switch {
		case i == 2 && len(s.args) == 4:
			b.WriteString(")/(")
		case i > 0:
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String() + ")"
}

// FileName is the scenario as genai-bench spells it in file names, such as
// N480_240_300_150.
func (s Scenario) FileName() string {
	return strings.NewReplacer("(", "", ")", "", "/", "_", ",", "_").Replace(s.String())
}

type bounds struct{ lo, hi int }

func (s Scenario) bounds() (in, out bounds) {
	if len(s.args) == 2 {
		return bounds{1, s.args[0]}, bounds{1, s.args[1]}
	}
	return bounds{s.args[0], s.args[1]}, bounds{s.args[2], s.args[3]}
}

// A Shape is the size of one request. Fields that a kind does not decide are 0.
type Shape struct {
	Input, Output      int // tokens
	Document, Query    int // tokens
	Width, Height      int // pixels
	Images, Characters int
}

// The least lengths that genai-bench draws. An answer of one token has no gaps
// and so no time per output token.
const (
	minInput  = 1
	minOutput = 2
)

// Draw returns the shape of one request. Normal and uniform lengths are cut to
// whole numbers and raised to 1 input and 2 output tokens; a uniform length
// lies in [min, max) as it does in genai-bench, so that the maximum is drawn
// only where it equals the minimum. The other kinds draw nothing from rng.
func (s Scenario) Draw(rng *rand.Rand) Shape {
	switch s.Kind {
	case Deterministic:
		return Shape{Input: s.args[0], Output: s.args[1]}
	case Normal:
		return Shape{
			Input:  max(minInput, normal(rng, s.args[0], s.args[1])),
			Output: max(minOutput, normal(rng, s.args[2], s.args[3])),
		}
	case Uniform:
		in, out := s.bounds()
		return Shape{Input: max(minInput, in.draw(rng)), Output: max(minOutput, out.draw(rng))}
	case Embed:
		return Shape{Document: s.args[0]}
	case Rerank:
		return Shape{Document: s.args[0], Query: s.args[1]}
	case Image:
		shape := Shape{Width: s.args[0], Height: s.args[1], Images: 1}
		if len(s.args) == 3 {
			shape.Images = s.args[2]
		}
		return shape
	case Audio:
		return Shape{Characters: s.args[0]}
	}
	return Shape{}
}

// The conversions below keep processors that can from fusing a product with a
// sum, so that all draw the same.

func normal(rng *rand.Rand, mean, sd int) int {
	return int(float64(mean) + float64(float64(sd)*rng.NormFloat64()))
}

func (b bounds) draw(rng *rand.Rand) int {
	return int(float64(b.lo) + float64(rng.Float64()*float64(b.hi-b.lo)))
}

// Mean is the shape that Draw gives on average, as far as the numbers written
// say: rounding down and the least lengths are not counted in.
func (s Scenario) Mean() Shape {
	switch s.Kind {
	case Normal:
		return Shape{Input: s.args[0], Output: s.args[2]}
	case Uniform:
		in, out := s.bounds()
		return Shape{Input: (in.lo + in.hi) / 2, Output: (out.lo + out.hi) / 2}
	}
	return s.Draw(nil)
}

// Tasks lists the tasks whose requests the scenario can shape.
func (s Scenario) Tasks() []string {
	switch s.Kind {
	case Embed:
		return []string{"text-to-embeddings"}
	case Rerank:
		return []string{"text-to-rerank"}
	case Image:
		return []string{"image-text-to-text", "image-to-embeddings", "text-to-image"}
	case Audio:
		return []string{"text-to-speech"}
	case Dataset:
		return slices.Clone(AllTasks)
	}
	return []string{"text-to-text"}
}

// AllTasks lists every task that has scenarios.
var AllTasks = []string{
	"text-to-text", "text-to-embeddings", "text-to-rerank", "image-text-to-text",
	"image-to-embeddings", "text-to-image", "text-to-speech",
}

// Defaults lists the scenarios that genai-bench runs when none is named.
func Defaults(task string) []string {
	switch task {
	case "text-to-text":
		return []string{"N(480,240)/(300,150)", "D(100,100)", "D(100,1000)", "D(2000,200)", "D(7800,200)"}
	case "image-text-to-text", "image-to-embeddings":
		return []string{"I(512,512)", "I(1024,512)", "I(2048,2048)"}
	case "text-to-embeddings":
		return []string{"E(64)", "E(128)", "E(256)", "E(512)", "E(1024)"}
	case "text-to-rerank":
		return []string{"R(64,100)", "R(128,100)", "R(256,100)", "R(512,100)", "R(1024,100)", "R(2096,100)", "R(4096,100)"}
	case "text-to-image":
		return []string{"I(512,512)", "I(1024,1024)", "I(1024,1792)"}
	case "text-to-speech":
		return []string{"A(100)", "A(500)", "A(1000)", "A(2000)", "A(4000)"}
	}
	return nil
}
