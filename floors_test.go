// Package assay guards the architecture of the tree around it. It holds no code
// of its own. Each check is a function from parsed files to faults:
//
//	floors_test.go     who may import whom
//	homes_test.go      which folder may import which module of others
//	shape_test.go      lengths, package comments, names of folders
//	tiers_test.go      every test is reached by make test
//	complete_test.go   no metric, check, tool … that its list forgets
//	planted_test.go    the checks themselves, with faults planted in small trees
package assay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A house says who may import whom.
type house struct {
	module string

	// floors lists every top-level folder from the ground up. A package may import
	// only floors below its own.
	floors [][]string

	// inner orders the folders below a top-level folder in the same way. Folders
	// below one without an entry may import each other.
	inner map[string][][]string

	// wings divides the top-level folders; each stands in exactly one.
	wings wings
}

// wings are the sides of the house. Makers produce bundles and readers judge them.
// Neither may reach the other, not even through a third: what they share is on disk.
type wings struct {
	words   []string // below both; reach neither
	makers  []string
	readers []string
	shared  []string // judges that both use; reach neither
	faces   []string // above both; may use either
}

// ours is the house. Moving a line here is an architecture decision and is reviewed
// as one.
var ours = house{
	module: moduleName(),
	floors: [][]string{
		{"unit", "child", "docs", "door", "schedule", "secret", "visible"},
		{"record", "spec", "stats", "finding", "intake"},
		{"plan"},
		{"bundle"},
		{"workload", "target", "sim", "worker", "workers", "generator", "launch", "collective", "telemetry", "foreign", "metric", "accuracy", "search"},
		{"load", "train", "probe", "analysis"},
		{"lint"},
		{"run", "claim"},
		{"judge"},
		{"report", "live", "tokens", "alert", "hot"},
		{"suite", "operator", "timetable"},
		{"warehouse"},
		{"server"},
		{"assistant"},
		{"cmd"},
		{"tests"},
	},
	inner: map[string][][]string{
		"analysis": {
			{"agreement", "collectives", "diff", "frontier", "hardware", "ledger", "mllog", "mlperf", "objective", "ranks", "saturation", "scene", "steady", "trace"},
			{"fleet", "nodes", "overlap", "picture"},
			{"breakdown", "scaling"},
			{"bottleneck", "isolation", "shift"},
			{"compare", "playbook"},
			{"gate"},
		},
	},
	wings: wings{
		words: []string{"unit", "docs", "schedule", "secret", "visible", "record", "spec", "stats", "finding", "intake", "plan", "bundle"},
		makers: []string{
			"child", "door", "workload", "target", "sim", "worker", "workers", "generator", "launch", "collective", "telemetry", "foreign",
			"load", "train", "probe", "run",
		},
		readers: []string{"metric", "accuracy", "analysis", "lint", "claim", "judge"},

		// search decides while a run goes on where the next probe of a search lies, and
		// judge replays those decisions from the bundle: they must be one piece of code.
		shared: []string{"search"},

		faces: []string{"report", "live", "tokens", "alert", "hot", "suite", "operator", "timetable", "warehouse", "server", "assistant", "cmd", "tests"},
	},
}

func TestFloors(t *testing.T) {
	tree := thisTree(t)
	report(t, ours.floorFaults(tree))
	report(t, ours.wingFaults(tree))
	report(t, ours.ghosts(tree))
}

// apart reports whether a file belongs to a module of its own that is no room of the house.
// The operator is one: its module keeps Kubernetes' client from whoever wants none.
func (h house) apart(s source) bool { return s.module != "" && floorOf(h.floors, s.module) < 0 }

// floorFaults are the imports that do not go down. Tests may look sideways and up:
// a client is tested against the simulator.
func (h house) floorFaults(tree []source) []string {
	var faults []string
	for _, s := range tree {
		if s.dir == "." || h.apart(s) {
			continue
		}
		if floorOf(h.floors, s.room()) < 0 {
			faults = append(faults, fmt.Sprintf("%s: folder %s has no floor; give it one in floors_test.go", s.path, s.room()))
			continue
		}
		if s.test {
			continue
		}
		for _, imported := range s.imports() {
			if rest, own := strings.CutPrefix(imported, h.module+"/"); own {
				faults = append(faults, h.importFaults(s, rest)...)
			}
		}
	}
	return faults
}

func (h house) importFaults(s source, imported string) []string {
	from, to := s.room(), roomOf(imported)
	floors := h.floors
	if from == to {
		inner, ordered := h.inner[from]
		if !ordered {
			return nil
		}
		floors, from, to = inner, below(s.dir), below(imported)
		if floorOf(floors, from) < 0 {
			return []string{fmt.Sprintf("%s: folder %s has no inner floor; give it one in floors_test.go", s.path, s.dir)}
		}
		if from == to {
			return nil
		}
	}
	if a, b := floorOf(floors, from), floorOf(floors, to); b >= a {
		return []string{fmt.Sprintf("%s: %s (floor %d) imports %s (floor %d); imports go down", s.path, from, a, to, b)}
	}
	return nil
}

// below is the second folder of a path: compare of analysis/compare/benchmark.
func below(dir string) string {
	_, rest, _ := strings.Cut(dir, "/")
	return roomOf(rest)
}

func floorOf(floors [][]string, name string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, name) })
}

// wingFaults are the ways, however long, by which one wing reaches the other, and
// the folders that do not stand in exactly one wing.
func (h house) wingFaults(tree []source) []string {
	var faults []string
	for _, room := range slices.Concat(h.floors...) {
		if n := h.wings.count(room); n != 1 {
			faults = append(faults, fmt.Sprintf("folder %s stands in %d wings, want one", room, n))
		}
	}
	graph := h.graph(tree)
	for _, dir := range slices.Sorted(maps.Keys(graph)) {
		forbidden := h.wings.forbidden(roomOf(dir))
		if way := wayTo(graph, dir, forbidden); way != nil {
			faults = append(faults, fmt.Sprintf("%s; makers and readers meet only in a bundle", strings.Join(way, " imports ")))
		}
	}
	return faults
}

func (w wings) count(room string) int {
	n := 0
	for _, wing := range [][]string{w.words, w.makers, w.readers, w.shared, w.faces} {
		if slices.Contains(wing, room) {
			n++
		}
	}
	return n
}

// forbidden lists the folders that room may not reach.
func (w wings) forbidden(room string) []string {
	switch {
	case slices.Contains(w.makers, room):
		return w.readers
	case slices.Contains(w.readers, room):
		return w.makers
	case slices.Contains(w.faces, room):
		return nil
	}
	return slices.Concat(w.makers, w.readers)
}

// graph lists for each package the packages of the tree that it imports, tests left
// out.
func (h house) graph(tree []source) map[string][]string {
	graph := map[string][]string{}
	for _, s := range tree {
		if s.test || h.apart(s) {
			continue
		}
		for _, imported := range s.imports() {
			if rest, own := strings.CutPrefix(imported, h.module+"/"); own {
				graph[s.dir] = append(graph[s.dir], rest)
			}
		}
	}
	return graph
}

// wayTo is a shortest way from a package to one in rooms; nil means that there is
// none.
func wayTo(graph map[string][]string, from string, rooms []string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if slices.Contains(rooms, roomOf(at)) {
			var way []string
			for ; at != ""; at = came[at] {
				way = append([]string{at}, way...)
			}
			return way
		}
		for _, next := range graph[at] {
			if _, seen := came[next]; !seen {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// ghosts are the folders that the house lists and the tree does not have.
func (h house) ghosts(tree []source) []string {
	there := map[string]bool{}
	for _, s := range tree {
		there[s.room()] = true
		there[s.room()+"/"+below(s.dir)] = true
	}
	var faults []string
	for _, room := range slices.Concat(h.floors...) {
		if !there[room] {
			faults = append(faults, fmt.Sprintf("floors lists %s, which does not exist", room))
		}
	}
	for _, room := range slices.Sorted(maps.Keys(h.inner)) {
		for _, name := range slices.Concat(h.inner[room]...) {
			if !there[room+"/"+name] {
				faults = append(faults, fmt.Sprintf("inner floors list %s/%s, which does not exist", room, name))
			}
		}
	}
	return faults
}
