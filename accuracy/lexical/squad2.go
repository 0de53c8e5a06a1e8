package lexical

import "slices"

// SQuAD2Exact is SQuADExact by the rules of SQuAD 2.0, where a question may have no answer.
// No golds, and none that has words, say that; an answer without words says it too.
func SQuAD2Exact(prediction string, golds []string) bool {
	return SQuADExact(prediction, squad2Golds(golds))
}

// SQuAD2F1 is SQuADF1 by those rules. Where either side has no words it says whether
// neither has any.
func SQuAD2F1(prediction string, golds []string) float64 {
	golds = squad2Golds(golds)
	if SQuADNormalize(prediction) == "" || golds[0] == "" {
		return choose(SQuADExact(prediction, golds), 1.0, 0.0)
	}
	return SQuADF1(prediction, golds)
}

// squad2Golds are the golds that have words, or an empty one.
func squad2Golds(golds []string) []string {
	golds = slices.DeleteFunc(slices.Clone(golds), func(gold string) bool { return SQuADNormalize(gold) == "" })
	if len(golds) == 0 {
		return []string{""}
	}
	return golds
}
