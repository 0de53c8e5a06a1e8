package accuracy

import "assay/accuracy/lexical"

// helmGraders compare as HELM does; an empty answer is never right.
var helmGraders = []Grader{
	{Name: "helm_exact", Doc: "HELM's exact_match: equal to a reference, white space at both ends aside.", grade: best(asIs, matches(lexical.HELMExact))},
	{Name: "helm_quasi_exact", Doc: "HELM's quasi_exact_match: the same after SQuAD's normalisation.", grade: best(asIs, matches(lexical.HELMQuasiExact))},
	{Name: "helm_prefix", Doc: "HELM's prefix_exact_match: the answer begins with a reference.", grade: best(asIs, matches(lexical.HELMPrefix))},
	{Name: "helm_quasi_prefix", Doc: "HELM's quasi_prefix_exact_match: the same after SQuAD's normalisation.", grade: best(asIs, matches(lexical.HELMQuasiPrefix))},
	{Name: "helm_final_number", Doc: "HELM's final_number_exact_match: answer and reference have the same last number, commas removed.", grade: gradeHELMNumber},
	{Name: "helm_f1", Doc: "HELM's f1_score: F1 of the different words that answer and reference share, after SQuAD's normalisation.", grade: best(asIs, lexical.HELMF1)},
}

// gradeHELMNumber compares the last numbers as text.
var gradeHELMNumber = best(lexical.HELMNumber, matches(lexical.HELMExact))
