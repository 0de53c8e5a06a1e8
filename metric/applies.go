package metric

import (
	"slices"

	"assay/spec"
)

// Has reports whether m has a meaning for what a workload asks. What has none is
// left out everywhere: a zero in its place would be read as a measurement.
func (m Metric) Has(w spec.Workload) bool { return m.Scope.Workload == nil || m.Scope.Workload(w) }

// textOut holds for answers of text, which have tokens and a first one.
func textOut(w spec.Workload) bool { return spec.AnswersText(w.Prompt.Task) }

// itemsOut holds for answers that are vectors, ranks, images or sounds.
func itemsOut(w spec.Workload) bool { return !textOut(w) }

// textIn holds for requests of text, whose tokens servers count.
func textIn(w spec.Workload) bool {
	return !slices.Contains([]string{spec.ImageToEmbeddings, spec.TextToImage, spec.TextToSpeech, spec.SpeechToText}, w.Prompt.Task)
}

func speaks(w spec.Workload) bool { return w.Prompt.Task == spec.TextToSpeech }

// countedOut holds where the author named the tokenizer's file, which counts the
// answers.
func countedOut(w spec.Workload) bool { return textOut(w) && w.Tokenizer.Kind == spec.TokenizerFile }
