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
	ID: "answering-model", Severity: finding.Caution,
	Doc: "The answers themselves name another model than the one that was asked, or several.",
	When: "more than 1 % of answers, and at least 5, name a model that is neither the one that was asked nor a dated, tagged or " +
		"longer form of that name (gpt-4o-2024-08-06 for gpt-4o, the last part of a path); or answers of one point come from systems " +
		"of several fingerprints, as one in a hundred does at least",
	Applies: func(f *Facts) bool { return answersText(f) && f.Manifest.Source == nil },
	Run:     answeringModel,
}

func answeringModel(f *Facts) Answer {
	return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
		asked := f.askedModel(p.side)
		one := finding.Finding{
			Severity: finding.Caution,
			Why:      "a smaller model behind the same name is faster for that reason alone",
			Fix:      "ask for the name that answers, and find out from whoever runs the target what it is",
		}
		var others []string
		n := 0
		for _, name := range slices.Sorted(maps.Keys(s.Models)) {
			if asked != "" && !sameModel(asked, name) {
				others, n = append(others, fmt.Sprintf("%s (%d)", name, s.Models[name])), n+s.Models[name]
			}
		}
		if n >= fewestSpoiled && float64(n) > spoiledShare*float64(s.Answers) {
			one.Message = fmt.Sprintf("%s: %s was asked, and %d of %d answers come from %s", p.name, asked, n, s.Answers, strings.Join(others, ", "))
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
