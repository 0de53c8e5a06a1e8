package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxImageSide is the widest and highest image that can be asked for, in pixels.
const MaxImageSide = 16384

// MaxScenarioNumber is the largest number that a scenario may hold.
func MaxScenarioNumber(scenario string) int {
	if strings.HasPrefix(scenario, "I") {
		return MaxImageSide
	}
	return MaxTokens
}

var scenarioNumber = regexp.MustCompile(`[0-9]+`)

// scenarioMean is the mean length of a scenario in tokens, as far as planning
// needs it; package scenario reads and draws them. It is false for one that asks
// for nothing, and for what is no scenario of text.
func scenarioMean(scenario string) (input, output int, ok bool) {
	n := scenarioNumbers(scenario)
	switch kind, _, _ := strings.Cut(scenario, "("); {
	case kind == "D" && len(n) == 2:
		input, output = n[0], n[1]
	case kind == "N" && len(n) == 4:
		input, output = n[0], n[2]
	case kind == "U" && len(n) == 2:
		input, output = (1+n[0])/2, (1+n[1])/2
	case kind == "U" && len(n) == 4 && n[0] <= n[1] && n[2] <= n[3] && n[1] > 0 && n[3] > 0:
		input, output = max(1, (n[0]+n[1])/2), max(1, (n[2]+n[3])/2)
	}
	return input, output, input > 0 && output > 0
}

// scenarioNumbers lists the numbers of a scenario; none when one is too large.
func scenarioNumbers(scenario string) []int {
	var list []int
	for _, digits := range scenarioNumber.FindAllString(scenario, -1) {
		number, err := strconv.Atoi(digits)
		if err != nil {
			return nil
		}
		list = append(list, number)
	}
	return list
}

// meanOf is how many tokens a request has on average, where the scenario or the
// task tells it.
func meanOf(w Workload) (input, output int, ok bool) {
	if w.Prompt.Task == "" || w.Prompt.Task == TextToText {
		return scenarioMean(w.Prompt.Scenario)
	}
	return taskMean(w)
}

// deriveMix makes the mix of a scenario its mean, where the author gave none.
func deriveMix(s *RunSpec, note func(path string, value any)) {
	if mix := s.meanMix(); mix != nil {
		setList(&s.Workload.SequenceLengthMix, mix, "spec.workload.sequenceLengthMix", note)
	}
}

// scenarioAgrees checks what says how long prompts are and what they share.
func scenarioAgrees(c *checker) {
	const path = "spec.workload.prompt"
	p := c.run.Spec.Workload.Prompt
	if p.Distribution == "uniform" && p.Spread > 1 {
		c.fail(path+".spread", "must be at most 1 for uniform")
	}
	if p.PrefixTokens > 0 && p.PrefixRatio > 0 {
		c.fail(path+".prefixRatio", "give prefixTokens or prefixRatio, not both")
	}
	if p.PrefixTokens == 0 && p.PrefixRatio == 0 && p.PrefixPool+p.PrefixLevels+p.PrefixBranch > 0 {
		c.fail(path, "prefixPool, prefixLevels and prefixBranch need prefixTokens or prefixRatio")
	}
	named := p.named()
	if len(named) == 0 || c.anyUnread(path+".scenario") {
		return
	}
	if p.Distribution != "fixed" {
		c.fail(named[0].path, "give "+named[0].field+" or distribution, not both")
	}
	w := c.run.Spec.Workload
	for _, one := range named {
		if t, known := findTask(p.Task); known && !strings.Contains(t.scenario, one.text[:1]) {
			c.fail(one.path, fmt.Sprintf("does not shape %s: want one such as %s", t.name, t.example))
			return
		}
		input, output, ok := meanOf(w.At(one.text, 0))
		if !ok {
			c.fail(one.path, "means must be above zero and minima not above their maxima")
			return
		}
		if most := MaxScenarioNumber(one.text); slices.Max(append(scenarioNumbers(one.text), 0)) > most || max(input, output) > MaxTokens {
			c.fail(one.path, fmt.Sprintf("asks for more than there is: want no number above %d, and no more than %d tokens in a request", most, MaxTokens))
			return
		}
	}
	mix := c.run.Spec.meanMix()
	if sameMix(w.SequenceLengthMix, mix) {
		return
	}
	if len(mix) > 1 {
		c.fail("spec.workload.sequenceLengthMix", "must hold the mean of each point of the sweep, with equal weights: leave it out")
		return
	}
	c.fail("spec.workload.sequenceLengthMix", fmt.Sprintf("must be the mean of the scenario: %d tokens in, %d out, weight 1", mix[0].InputTokens, mix[0].OutputTokens))
}

// datasetAgrees checks that a file is named by its content and not shaped.
func datasetAgrees(c *checker) {
	w := c.run.Spec.Workload
	if w.Prompt.Dataset == nil {
		return
	}
	if w.DatasetRef == SyntheticDataset {
		c.fail("spec.workload.datasetRef", "must name the content of prompt.dataset: "+pinnedWant)
	}
	if w.Prompt.Scenario != "" {
		c.fail("spec.workload.prompt.scenario", "shapes synthetic prompts, not those of a dataset")
	}
	if w.Prompt.PrefixTokens > 0 || w.Prompt.PrefixRatio > 0 {
		c.fail("spec.workload.prompt", "a prefix belongs to synthetic prompts, not to those of a dataset")
	}
}
