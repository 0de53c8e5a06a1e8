package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/finding"
)

// The checks of the gate itself, as findings carry them.
const (
	RepeatedAttempts = "repeated-attempts" // the same system was gated before, and did not pass
	UnreportedRuns   = "unreported-runs"   // other runs of the candidate were not shown to the gate
)

// Entry is what a history will remember of a gate before it has judged: who is held
// against whom, by which policy.
func (in Input) Entry(policyDigest string) Entry {
	return Entry{
		Version: HistoryVersion, Rule: Rule, Policy: policyDigest, Alpha: in.Policy.Spec.Alpha,
		Baseline: named(in.Baseline.Party()), Candidate: named(in.Candidate.Party()), System: systemOf(in.Candidate),
		Same: len(diff.Bundles(in.Baseline.Side, in.Candidate.Side)) == 0, Verdicts: map[string]Verdict{}, Alerts: []string{},
	}
}

// systemOf names what was measured rather than the measurement: the plan, and what
// the server said it is. Two runs of one candidate have it in common.
func systemOf(s compare.Side) string {
	h := sha256.New()
	fmt.Fprintln(h, s.Manifest.PlanDigest, s.Name)
	var facts []string
	for path, fact := range s.Manifest.Environment {
		if strings.HasPrefix(path, "server.") || strings.HasPrefix(path, "container.") {
			facts = append(facts, fmt.Sprintf("%s=%v", path, fact))
		}
	}
	slices.Sort(facts)
	fmt.Fprintln(h, strings.Join(facts, "\n"))
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Attempts looks for earlier runs of the same system that this policy has refused.
// Whoever measures until a run passes has chosen the best of several; the chance to
// pass a candidate that is worse by its margin grows with every attempt. Now is the
// entry of the gate that is asked; a reason in it makes the finding a caution.
func Attempts(history []Entry, now Entry) []finding.Finding {
	var refused []string
	var first Entry
	for _, e := range history {
		if e.System == "" || e.System != now.System || e.Policy != now.Policy || e.Passed || e.Candidate == now.Candidate || slices.Contains(refused, e.Candidate) {
			continue
		}
		if len(refused) == 0 {
			first = e
		}
		refused = append(refused, e.Candidate)
	}
	if len(refused) == 0 {
		return nil
	}
	tries := len(refused) + 1
	return []finding.Finding{{
		Check: RepeatedAttempts, Severity: unless(now.Reason),
		Message: fmt.Sprintf("this is run %d of the same system: this policy has refused %d since %s%s",
			tries, len(refused), first.Time.Format("2006-01-02 15:04"), because(now.Reason)),
		Why:      fmt.Sprintf("the best of %d passes by luck in up to %.0f of 100 cases where one run may in %.3g", tries, 100*(1-math.Pow(1-now.Alpha, float64(tries))), 100*now.Alpha),
		Fix:      "show a refused run and its repetition together with --confirm, or say with --reason why it is measured again",
		Evidence: refused,
	}}
}

// Unreported looks at the bundles that lie beside the candidate's: runs of the very same
// system that neither this gate nor its history was shown. Release says that the
// verdict would count; elsewhere people try things out in one folder, and a caution
// is enough.
func Unreported(in Input, beside []compare.Side, history []Entry, reason string, release bool) []finding.Finding {
	shown := []string{in.Baseline.Digest, in.Candidate.Digest}
	if in.Confirmation != nil {
		shown = append(shown, in.Confirmation.Digest)
	}
	for _, e := range history {
		for _, digest := range []string{e.Baseline, e.Candidate, e.Confirmation} {
			digest, _, _ = strings.Cut(digest, "@")
			shown = append(shown, digest)
		}
	}
	var runs []string
	for _, other := range beside {
		if !slices.Contains(shown, other.Digest) && len(diff.Bundles(in.Candidate.Side, other.Side)) == 0 {
			runs = append(runs, other.Manifest.RunID)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	severity := unless(reason)
	if !release {
		severity = finding.Caution
	}
	slices.Sort(runs)
	return []finding.Finding{{
		Check: UnreportedRuns, Severity: severity,
		Message:  fmt.Sprintf("%d other runs of the same system are in the candidate's folder, and the gate was shown none of them: %s%s", len(runs), strings.Join(runs, ", "), because(reason)),
		Why:      "the best of several runs says little about the system",
		Fix:      "gate every run with --history, measure both sides in blocks, or say with --reason what the others were",
		Evidence: runs,
	}}
}

// unless is how bad it is that nobody gave a reason.
func unless(reason string) finding.Severity {
	if reason != "" {
		return finding.Caution
	}
	return finding.Void
}

func because(reason string) string {
	if reason == "" {
		return "; no reason was given"
	}
	return "; reason given: " + reason
}
