package accuracy

import "assay/accuracy/lexical"

// inspectGraders compare as the scorers of inspect_ai do.
var inspectGraders = []Grader{
	{Name: "inspect_exact", Doc: "inspect_ai's exact: the words of a reference, in the same order; numbers are compared as numbers.", grade: among(asIs, matches(lexical.InspectExact))},
	{Name: "inspect_f1", Doc: "inspect_ai's f1: F1 of the different words that answer and reference share, rounded to two decimals.", grade: among(asIs, lexical.InspectF1)},
}
