package lint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/record"
)

// RanksAlike fires when the ranks of one world do not run on the same terms.
var RanksAlike = Check{
	ID: "ranks-differ", Severity: finding.Caution,
	Doc:     "The ranks of one world run with different devices, drivers, libraries or settings of them.",
	When:    "two ranks of a world differ in device, driver, library, communication library, a variable that tunes these, or in how many processors they may use",
	Applies: func(f *Facts) bool { return len(f.Processes) > 0 },
	Run:     ranksAlike,
}

// A Process is one rank of a launch as it described itself.
type Process struct {
	Launch int
	record.Rank
}

// readProcesses lists the ranks of the completed launches.
func readProcesses(b *bundle.Bundle) (list []Process, err error) {
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		for row, err := range bundle.Rows[record.Rank](b, info.Index, bundle.Ranks) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			list = append(list, Process{info.Index, row})
		}
	}
	return list, nil
}

// ownVariables differ between ranks by design.
var ownVariables = map[string]bool{"NCCL_DEBUG_FILE": true, "CUDA_VISIBLE_DEVICES": true}

// terms are what ranks of one world should have in common, by name.
func (p Process) terms() map[string]string {
	terms := map[string]string{"device": p.Device, "driver": p.Driver, "library": p.Library, "communication library": p.CommLib}
	if p.Affinity != "" {
		terms["number of processors"] = strconv.Itoa(countProcessors(p.Affinity))
	}
	for line := range strings.Lines(p.Tuning) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !ownVariables[name] {
			terms[name] = value
		}
	}
	return terms
}

// countProcessors counts those of a list such as 0-3,8.
func countProcessors(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, several := strings.Cut(part, "-")
		n++
		if a, err := strconv.Atoi(first); err == nil && several {
			if b, err := strconv.Atoi(last); err == nil {
				n += b - a
			}
		}
	}
	return n
}

func ranksAlike(f *Facts) Answer {
	type world struct {
		launch int
		number int32
	}
	first := map[world]Process{}
	differences := map[string]bool{} // launches repeat what their ranks differ in
	for _, p := range f.Processes {
		if p.Joined == nil {
			continue // it never said anything
		}
		at := world{p.Launch, p.World}
		head, seen := first[at]
		if !seen {
			first[at] = p
			continue
		}
		a, b := head.terms(), p.terms()
		for _, name := range slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
			if a[name] != b[name] {
				differences[fmt.Sprintf("%s is %s on rank %d and %s on rank %d", name, orUnset(a[name]), head.Rank.Rank, orUnset(b[name]), p.Rank.Rank)] = true
			}
		}
	}
	if len(differences) == 0 {
		return found()
	}
	evidence := slices.Sorted(maps.Keys(differences))
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  "the ranks of a world do not run on the same terms: " + summary(evidence),
		Why:      "everybody waits for the rank that is set up worst, and the result is that of no setting",
		Fix:      "start every rank with the same image, driver, variables and number of processors",
		Evidence: evidence,
	})
}

func orUnset(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}
