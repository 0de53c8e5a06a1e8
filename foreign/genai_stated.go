package foreign

import (
	"regexp"
	"strconv"

	"assay/bundle"
	"assay/spec"
)

// genaiNamed reads the seconds in the name of a run file: how often genai-bench
// looked, once a second, whether the run was over.
var genaiNamed = regexp.MustCompile(`_time_([0-9]{1,9})s\.json$`)

// stated is what the folder says about a run beside its rows.
func (e genaiExperiment) stated(r genaiRunOf) bundle.Stated {
	good, _, kept := r.count()
	s := bundle.Stated{
		File: r.file, AskedRequests: float64(max(0, e.meta.MostRequests)), Completed: float64(good),
		Statistics: float64(max(0, kept)), Seconds: r.Aggregate.Seconds,
	}
	if n := r.Aggregate.Completed; n != nil {
		s.Completed = float64(max(0, *n))
	}
	if found := genaiNamed.FindStringSubmatch(r.file); found != nil {
		s.NamedSeconds, _ = strconv.ParseFloat(found[1], 64)
	}
	switch e.meta.Task {
	case spec.TextToText:
		s.AskedInput, s.AskedOutput = genaiLengths(r.Aggregate.Scenario)
	case spec.TextToEmbeddings:
		document, _ := genaiLengths(r.Aggregate.Scenario)
		s.AskedInput = document * float64(r.level())
	}
	return s
}

// genaiShape is a scenario of lengths: its letter and its numbers.
var genaiShape = regexp.MustCompile(`^([DNUE])\(([0-9]{1,9})(?:,([0-9]{1,9}))?\)(?:/\(([0-9]{1,9}),([0-9]{1,9})\))?$`)

// genaiLengths are the tokens of a prompt and of an answer that a scenario asks
// for on average; zeros for one that shapes none.
func genaiLengths(scenario string) (input, output float64) {
	found := genaiShape.FindStringSubmatch(scenario)
	if found == nil {
		return 0, 0
	}
	var v [4]float64
	for i := range v {
		v[i], _ = strconv.ParseFloat(found[i+2], 64) // 0 for a number that is not there
	}
	two := found[4] != ""
	switch kind := found[1]; {
	case kind == "N" && two:
		return v[0], v[2]
	case kind == "U" && two:
		return (v[0] + v[1]) / 2, (v[2] + v[3]) / 2
	case kind == "U": // from 1 up
		return (1 + v[0]) / 2, (1 + v[1]) / 2
	case kind == "D" && !two, kind == "E" && !two && found[3] == "":
		return v[0], v[1]
	}
	return 0, 0
}
