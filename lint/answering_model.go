package lint

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"assay/finding"
)

// AnsweringModel fires when answers name another model than the one that was asked.
var AnsweringModel = Check{
	ID: "answering-model", Severity: finding.Void,
	Doc: "The answers themselves name another model than the one that was asked, or several.",
	When: "more than 1 % of answers, and at least 5, name a model that is neither the one that was asked nor a dated, tagged or " +
		"longer form of that name, or of workload.model (gpt-4o-2024-08-06 for gpt-4o, the last part of a path); void from 10 % on, unless the target lists the name and not the one that " +
		"was asked; void for a pair whose sides ask for one name and get answers of different ones; a caution where answers of one point come from systems " +
		"of several fingerprints, as one in a hundred does at least",
	Applies: func(f *Facts) bool { return answersText(f) && f.Manifest.Source == nil },
	Run:     answeringModel,
}

func answeringModel(f *Facts) Answer {
	answer := eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
		asked := f.askedModel(p.side)
		one := finding.Finding{
			Severity: finding.Caution,
			Why:      "a smaller model behind the same name is faster for that reason alone",
			Fix:      "ask for the name that answers, and find out from whoever runs the target what it is",
		}
		var others []string
		n := 0
		for _, name := range slices.Sorted(maps.Keys(s.Models)) {
			if asked != "" && !sameModel(asked, name) && !sameModel(f.Plan.Workload().Model, name) {
				others, n = append(others, fmt.Sprintf("%s (%d)", name, s.Models[name])), n+s.Models[name]
			}
		}
		if n >= fewestSpoiled && float64(n) > spoiledShare*float64(s.Answers) {
			one.Message = fmt.Sprintf("%s: %s was asked, and %d of %d answers come from %s", p.name, asked, n, s.Answers, strings.Join(others, ", "))
			if float64(n) >= otherShare*float64(s.Answers) && !f.alias(p.side, mostNamed(s.Models)) {
				one.Severity, one.Scope = finding.Void, finding.Scope{Points: []string{p.point.Name}, Side: p.side}
				one.Fix = "ask for the name that answers; where it is the model that was meant, say so in workload.model, and ask by its other name with target.model"
			}
			return one, true
		}
		var systems []string
		for _, name := range slices.Sorted(maps.Keys(s.Systems)) {
			if c := s.Systems[name]; c >= fewestSpoiled && float64(c) > spoiledShare*float64(s.Answers) {
				systems = append(systems, fmt.Sprintf("%s (%d)", name, c))
			}
		}
		one.Message = fmt.Sprintf("%s: the answers come from %d systems by their fingerprints: %s", p.name, len(systems), strings.Join(systems, ", "))
		one.Why, one.Fix = "a point of several systems is a mixture, whose share of each may be another next time", "send all requests to one system, or measure each by itself"
		return one, len(systems) > 1
	})
	if f.Against != nil {
		answer.Findings = append(answer.Findings, f.otherModels()...)
	}
	return answer
}

// otherShare is the share of answers of another model from which on a result is not that of the
// model that was asked.
const otherShare = .1

// alias reports whether a model that answers may be the one that was asked, by another name: the
// target lists it and not the name that it accepts as well.
func (f *Facts) alias(side, answered string) bool {
	models, _ := f.models(side)
	return declaredSimulator(f.target(side), f.Plan.Workload().Model) || slices.Contains(models, answered) && !slices.Contains(models, f.askedModel(side))
}

// otherModels compares who answered the two runs of a pair that asked for one name.
func (f *Facts) otherModels() (list []finding.Finding) {
	for _, p := range f.places() {
		for _, q := range f.Against.places() {
			is, was := mostNamed(p.shown().Models), mostNamed(q.shown().Models)
			if q.name != p.name || is == "" || was == "" || sameModel(is, was) || f.askedModel(p.side) != f.Against.askedModel(q.side) ||
				f.Plan.Workload().Model != f.Against.Plan.Workload().Model {
				continue
			}
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s: both runs ask for %s; %s answers the baseline, %s the candidate", p.name, f.askedModel(p.side), was, is),
				Why:      "a smaller model behind the same name is faster for that reason alone",
				Fix:      "ask both sides for one model, by a name that stands for it alone",
			})
		}
	}
	return list
}

// mostNamed is the name of the model that most answers come from; empty where they name none.
func mostNamed(models map[string]int) (most string) {
	for _, name := range slices.Sorted(maps.Keys(models)) {
		if most == "" || models[name] > models[most] {
			most = name
		}
	}
	return most
}

// sameModel reports whether two names may be those of one model: providers answer with the
// dated name of an alias, and servers with the folder or a part of a path.
func sameModel(asked, answered string) bool {
	plain := func(name string) string {
		name = strings.ToLower(path.Base(strings.TrimRight(strings.ReplaceAll(name, `\`, "/"), "/")))
		name, _, _ = strings.Cut(name, ":") // a tag of Ollama, a variant of a router
		return strings.TrimSuffix(name, ".gguf")
	}
	a, b := plain(asked), plain(answered)
	return a == b || dated(a, b) || dated(b, a)
}

// dated reports whether long is name with a date or a version behind it.
func dated(name, long string) bool {
	rest, ok := strings.CutPrefix(long, name)
	if !ok || rest == "" || !strings.ContainsRune("-@_.", rune(rest[0])) {
		return false
	}
	word := strings.TrimLeft(rest, "-@_.")
	digits := strings.Trim(word, "0123456789-v") == "" && len(word) >= 3 // of a date or a build; a version is another model
	return digits || slices.Contains([]string{"latest", "preview", "stable"}, word)
}
