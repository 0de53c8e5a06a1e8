package tier1

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"assay/intake"
	"assay/suite/acts"
)

// Baseline is the run that was accepted last and is still as it was then: what the
// next run is compared with. A newer one that nobody accepted is not, however good it
// looks, and a regressed one never becomes it by itself.
func Baseline(root string) (s Summary, warnings []string, known bool) {
	list, err := acts.Read(filepath.Join(root, ActsFile))
	if err != nil {
		return s, []string{fmt.Sprintf("nothing is compared: %v", err)}, false
	}
	for _, act := range slices.Backward(list) {
		if act.Act != acts.Accepted {
			continue
		}
		path := filepath.Join(root, act.Subject, SummaryFile)
		if digest, err := acts.Digest(path); err != nil || digest != act.Digest {
			warnings = append(warnings, fmt.Sprintf("run %s was accepted and is no longer as it was: it is passed over", act.Subject))
			continue
		}
		if err := readJSON(path, &s); err != nil {
			warnings = append(warnings, fmt.Sprintf("summary of %s cannot be read and is passed over: %v", act.Subject, err))
			continue
		}
		return s, warnings, true
	}
	return Summary{}, append(warnings, "no run is accepted yet, so nothing is compared: assay suite accept RUN --why …"), false
}

// An Acceptance is what somebody decides about a run.
type Acceptance struct {
	Root, RunID, Why, By string
	At                   time.Time

	// Anyway accepts a run that something speaks against.
	Anyway bool
}

// Accept makes a run the one that later ones are compared with, and enters that in the
// acts of the history. A run that regressed, misses targets or has failed ones is
// refused unless it is accepted anyway, which the act then says.
func Accept(a Acceptance) (acts.Act, error) {
	if !filepath.IsLocal(a.RunID) || a.RunID != filepath.Base(a.RunID) || a.RunID == "." {
		return acts.Act{}, fmt.Errorf("run id %q: want the name of a run", a.RunID)
	}
	dir := filepath.Join(a.Root, a.RunID)
	var s Summary
	var c Comparison
	if err := readJSON(filepath.Join(dir, SummaryFile), &s); err != nil {
		return acts.Act{}, fmt.Errorf("run %s: %w", a.RunID, err)
	}
	if err := readJSON(filepath.Join(dir, RegressionJSON), &c); err != nil {
		return acts.Act{}, fmt.Errorf("run %s: %w", a.RunID, err)
	}
	against := objections(s, c)
	if len(against) > 0 && !a.Anyway {
		return acts.Act{}, fmt.Errorf("run %s is not accepted: %s; --anyway accepts it nevertheless, and says so", a.RunID, against[0])
	}
	digest, err := acts.Digest(filepath.Join(dir, SummaryFile))
	if err != nil {
		return acts.Act{}, err
	}
	act := acts.Act{At: a.At.UTC(), Act: acts.Accepted, Subject: a.RunID, Digest: digest, Why: a.Why, By: a.By, Despite: against}
	return act, acts.Append(filepath.Join(a.Root, ActsFile), act)
}

// objections are what speaks against accepting a run.
func objections(s Summary, c Comparison) (list []string) {
	for _, change := range c.Regressions {
		list = append(list, fmt.Sprintf("%s regressed against %s (%s: %s)", change.Key, c.Against, change.Rule, change.Text))
	}
	for _, key := range c.Missing {
		list = append(list, fmt.Sprintf("%s is missing, which %s has", key, c.Against))
	}
	for _, r := range s.Targets {
		if r.Status == Failed {
			list = append(list, fmt.Sprintf("%s failed: %s", r.Key, r.Reason))
		}
	}
	if s.Totals.Succeeded == 0 {
		list = append(list, "no target succeeded")
	}
	return list
}

func readJSON(path string, to any) error {
	data, err := intake.ReadFile(path, mostBytes)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}
