package assay

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// plant is a tree of the files in text: a line "-- NAME --" begins each.
func plant(t *testing.T, text string) []source {
	t.Helper()
	files := fstest.MapFS{}
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		files[name] = &fstest.MapFile{Data: []byte(body + "\n")}
	}
	tree, err := readTree(files)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// planted is a small house for trees with faults in them.
var planted = house{
	module: "m",
	floors: [][]string{{"unit"}, {"load", "metric", "search"}, {"run"}, {"cmd"}},
	inner:  map[string][][]string{"metric": {{"low"}, {"high"}}},
	wings: wings{
		words: []string{"unit"}, makers: []string{"load", "run"}, readers: []string{"metric"},
		shared: []string{"search"}, faces: []string{"cmd"},
	},
}

// whole is a tree in which that house finds nothing wrong.
const whole = `-- unit/a.go --
package unit
-- load/a.go --
package load
import _ "m/unit"
-- search/a.go --
package search
-- metric/low/a.go --
package low
-- metric/high/a.go --
package high
import _ "m/metric/low"
-- metric/high/benchmark/a.go --
package main
import _ "m/metric/high"
-- run/a.go --
package run
import _ "m/load"
import _ "m/search"
-- run/a_test.go --
package run
import _ "m/cmd"
-- cmd/a.go --
package main
import _ "m/run"
import _ "m/metric/high"
-- runs/a.go --
package util
import _ "m/nowhere"
-- nested/go.mod --
module nested
-- nested/a.go --
package nested
import _ "m/cmd"
`

func TestPlantedFloors(t *testing.T) {
	f := func(name, text string, want ...string) {
		t.Helper()
		tree := plant(t, whole+text)
		got := slices.Concat(planted.floorFaults(tree), planted.wingFaults(tree), planted.ghosts(tree))
		compare(t, name, got, want)
	}
	f("nothing", "")
	f("up", "-- unit/b.go --\npackage unit\nimport _ \"m/search\"\n",
		"unit/b.go: unit (floor 0) imports search (floor 1); imports go down")
	f("sideways", "-- load/b.go --\npackage load\nimport _ \"m/search\"\n",
		"load/b.go: load (floor 1) imports search (floor 1); imports go down")
	f("in a room that is a module of its own", "-- unit/go.mod --\nmodule m/unit\n-- unit/b.go --\npackage unit\nimport _ \"m/search\"\n",
		"unit/b.go: unit (floor 0) imports search (floor 1); imports go down")
	f("in a folder called runs", "-- load/runs/b.go --\npackage runs\nimport _ \"m/run\"\n",
		"load/runs/b.go: load (floor 1) imports run (floor 2); imports go down")
	f("a maker knows a reader", "-- run/b.go --\npackage run\nimport _ \"m/metric/low\"\n",
		"run imports metric/low; makers and readers meet only in a bundle")
	f("through a third", "-- search/b.go --\npackage search\nimport _ \"m/metric/low\"\n",
		"search/b.go: search (floor 1) imports metric (floor 1); imports go down",
		"run imports search imports metric/low; makers and readers meet only in a bundle",
		"search imports metric/low; makers and readers meet only in a bundle")
	f("inner order", "-- metric/low/b.go --\npackage low\nimport _ \"m/metric/high\"\n",
		"metric/low/b.go: low (floor 0) imports high (floor 1); imports go down")
	f("no inner floor", "-- metric/new/b.go --\npackage new\nimport _ \"m/metric/low\"\n",
		"metric/new/b.go: folder metric/new has no inner floor; give it one in floors_test.go")
	f("no floor", "-- new/b.go --\npackage new\n",
		"new/b.go: folder new has no floor; give it one in floors_test.go")
}

func TestPlantedGhosts(t *testing.T) {
	h := planted
	h.floors = append(slices.Clone(h.floors), []string{"server"})
	h.inner = map[string][][]string{"metric": {{"low"}, {"high", "none"}}}
	tree := plant(t, whole)
	compare(t, "ghosts", slices.Concat(h.wingFaults(tree), h.ghosts(tree)), []string{
		"folder server stands in 0 wings, want one",
		"floors lists server, which does not exist",
		"inner floors list metric/none, which does not exist",
	})
}

func TestPlantedHomes(t *testing.T) {
	homes := []home{
		{"x.org/a", "why", []string{"one", "new"}},
		{"x.org/a/v2", "why", []string{"two"}},
		{"x.org/test", "why", nil},
		{"x.org/gone", "why", nil},
	}
	tree := plant(t, `-- one/a.go --
package one
import _ "x.org/a/part"
import _ "x.org/test"
import _ "x.org/ab"
-- two/a_test.go --
package two
import _ "x.org/a"
import _ "x.org/test"
`)
	compare(t, "homes", homeFaults(tree, homes), []string{
		"one/a.go imports x.org/ab: the module has no home; give it one in homes_test.go, with the reason",
		"new is a home of x.org/a and does not import it",
		"x.org/a/v2 has a home and is imported nowhere",
		"two is a home of x.org/a/v2 and does not import it",
		"one imports x.org/test, whose home is ",
		"x.org/gone has a home and is imported nowhere",
	})
}

func TestPlantedShape(t *testing.T) {
	long := "func long() {\n" + strings.Repeat("\n", 70) + "}\n"
	tree := plant(t, `-- a/a.go --
// Package a is fine.
package a
func excused() {`+strings.Repeat("\n", 70)+`}
`+long+`-- a/a_test.go --
package a
`+long+`-- two/a.go --
// Package two is one.
package two
-- two/b.go --
// This package begins wrongly.
package two
-- none/util/a.go --
package util
-- cmd/a.go --
// Package main is no command.
package main
-- big/a.go --
// Package big is long.
package big
`+strings.Repeat("\n", maxFileLines)+`
-- made/a.go --
// Code generated by hand. DO NOT EDIT.

// Package made is long and nobody wrote it.
package made
`+strings.Repeat("\n", maxFileLines)+`
-- made/b.go --
// Code generated by hand, and edited since.

package made
`+strings.Repeat("\n", maxFileLines))
	compare(t, "files", fileFaults(tree), []string{
		"none/util/a.go: a folder called util says nothing; name what it holds",
		"big/a.go has 503 lines, want at most 500: is there a second idea in it?",
		"made/b.go has 504 lines, want at most 500: is there a second idea in it?",
	})
	compare(t, "functions", functionFaults(tree, map[string]string{"a/a.go excused": "why", "a/a.go short": "why"}), []string{
		"a/a.go long has 72 lines, want at most 70",
		"longFunctions excuses a/a.go short, which is not long",
	})
	compare(t, "comments", commentFaults(tree), []string{
		`two/b.go: the package comment does not begin with "Package two "`,
		`cmd/a.go: the package comment does not begin with "Command "`,
		"package none/util has 0 package comments, want one",
		"package two has 2 package comments, want one",
	})
}

func TestPlantedValues(t *testing.T) {
	tree := plant(t, `-- p/all.go --
package p
type Metric struct{ Of func() float64 }
var All = slices.Concat([]Metric{A, Made}, more, some())
var more = []Metric{B}
func some() []Metric { return []Metric{C} }
-- p/values.go --
package p
var (
	A = Metric{Of: Inner.Of}
	B = Metric{}
	C = &Metric{}
)
var Made = make()
var Inner = Metric{}
var Forgotten, Other = make(), 3
var ours Other = Metric{}
func make() Metric { return Metric{} }
-- p/p_test.go --
package p
var Fake = Metric{}
-- none/a.go --
package none
var All = []Metric{}
`)
	compare(t, "values", listing{dir: "p", kind: "Metric"}.forgotten(tree), []string{
		"package p: Forgotten is not listed in All",
		"package p: Inner is not listed in All",
		"package p: ours is not listed in All",
	})
	compare(t, "nothing declared", listing{dir: "none", kind: "Metric"}.forgotten(tree), []string{
		"package none has no value of kind Metric: mend the line in complete_test.go",
	})
	compare(t, "no table", listing{dir: "elsewhere", kind: "Metric"}.forgotten(tree), []string{
		"package elsewhere has no table All",
	})
}

func TestPlantedDialects(t *testing.T) {
	tree := plant(t, `-- p/all.go --
package p
var All = []Named{{"a", a{}}, {"b", b{a{path: "x"}}}}
type a struct{ path string }
func (a) Encode() {}
type b struct{ a }
type c struct{ *a }
type d int
func (*d) Encode() {}
type neither struct{ path a }
`)
	compare(t, "dialects", listing{dir: "p", kind: "Encode", byMethod: true}.forgotten(tree), []string{
		"package p: c is not listed in All",
		"package p: d is not listed in All",
	})
}

func compare(t *testing.T, name string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: got faults\n\t%s\nwant\n\t%s", name, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
