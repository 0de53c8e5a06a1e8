package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/analysis/diff"
	"assay/bundle"
	"assay/finding"
)

// Resumed fires when a run was interrupted and continued later. Launches are
// independent starts, so that those of before and after count alike, as long as they
// were made on the same machines with the same software.
var Resumed = Check{
	ID: "resumed", Severity: finding.Void,
	Doc: "The run was interrupted and continued later; void where the environment has changed since.",
	When: "launches were carried over from an interrupted run (caution), or a block of sides was split by the " +
		"interruption (caution). Void where environment, topology, inputs or the program itself differ from " +
		"those of the launches that were carried over, by the rules of `assay compare`",
	Applies: func(f *Facts) bool { return len(f.Manifest.Resumed) > 0 },
	Run:     resumed,
}

func resumed(f *Facts) Answer {
	var list []finding.Finding
	for _, r := range f.Manifest.Resumed {
		if len(r.Launches)+len(r.Repeated) == 0 {
			continue // nothing of it is in this run, and nothing was thrown away
		}
		list = append(list, f.continued(r))
		if blocks := f.splitBlocks(r); len(blocks) > 0 {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("the interruption fell into block %s: its sides were measured %s apart", strings.Join(blocks, ", "), gap(r)),
				Why:      "sides of one block are compared because they stand next to each other in time",
				Fix:      "measure again in one go if the difference between the sides is small",
			})
		}
		if changed := f.changedSince(r); len(changed) > 0 {
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  "the environment changed between the interruption and the resumption: " + summary(changed),
				Why:      "the launches of before and after measure two systems, and their spread is the difference between them",
				Fix:      "measure again in one go, or restore what changed and resume the interrupted run again",
				Evidence: changed,
			})
		}
	}
	return found(list...)
}

// continued says when the run stopped and went on, and what of it is old.
func (f *Facts) continued(r bundle.Resumption) finding.Finding {
	one := finding.Finding{
		Severity: finding.Caution,
		Message: fmt.Sprintf("the run was interrupted on %s and resumed %s later: %d of its %d launches are from run %s",
			r.Stopped.Format("Monday 2006-01-02 15:04 MST"), gap(r), len(r.Launches), len(f.Manifest.Launches), r.RunID),
		Why:      "what the time in between did to the machine is part of the spread between launches",
		Fix:      "measure again in one go if the intervals matter",
		Evidence: []string{"manifest of " + r.RunID + " " + r.Digest},
	}
	if len(r.Repeated) == 0 {
		return one
	}
	var again []string
	for _, l := range r.Repeated {
		again = append(again, fmt.Sprint(l.Index+1))
	}
	// Whoever stops a launch that goes badly has it made again: that is to be seen.
	one.Message += fmt.Sprintf("; launch %s was cut short and made again", strings.Join(again, ", "))
	if !f.startsServers() {
		one.Message += ", so its prompts may have been in the server's cache"
	}
	return one
}

// gap is how long nothing was measured.
func gap(r bundle.Resumption) string {
	d := r.Resumed.Sub(r.Stopped)
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// splitBlocks names the blocks of sides of which only a part was carried over.
func (f *Facts) splitBlocks(r bundle.Resumption) []string {
	if len(f.Plan.Candidates()) == 0 {
		return nil
	}
	old, all := map[int]int{}, map[int]int{}
	for _, l := range f.Plan.Launches {
		all[l.Block]++
		if slices.Contains(r.Launches, l.Index) {
			old[l.Block]++
		}
	}
	var list []string
	for block := range len(all) {
		if old[block] > 0 && old[block] < all[block] {
			list = append(list, fmt.Sprint(block+1))
		}
	}
	return list
}

// changedSince lists what is no longer as it was when the carried launches were made.
func (f *Facts) changedSince(r bundle.Resumption) []string {
	before := f.side()
	before.Manifest.Environment, before.Manifest.TopologyDigest, before.Manifest.Inputs = r.Environment, r.TopologyDigest, r.Inputs
	var list []string
	for _, c := range diff.Bundles(before, f.side()) {
		if _, known := r.Environment[c.Path]; !known && strings.HasPrefix(c.Path, "side.") && c.Kind == diff.Environment {
			continue // a candidate that had not been reached
		}
		list = append(list, c.String())
	}
	if a, b := r.Tool.SHA256, f.Manifest.Tool.SHA256; a != b {
		list = append(list, diff.Change{Path: "assay", A: short(a), B: short(b)}.String())
	}
	return list
}
