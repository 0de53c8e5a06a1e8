package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// Canonical is v as RFC 8785 canonical JSON: one spelling for each value.
func Canonical(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode for a digest: %w", err)
	}
	canonical, err := jcs.Transform(data)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return canonical, nil
}

// Digest is the SHA-256 of v's canonical JSON, as sha256:HEX.
func Digest(v any) (string, error) {
	canonical, err := Canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// WorkloadDigest names what run asks, whatever its spelling: the workload, the
// load, the training steps, the seed, and those parts of the target that change
// the question. Where it is asked (URL, headers, credentials, server command,
// timeouts) and what is kept of the answers are not part of it.
func WorkloadDigest(run Run) (string, error) {
	resolved, _ := Resolve(run)
	s := &resolved.Spec
	// A declaration about the workload is not the workload.
	s.Workload.FixedAcrossTrials = nil
	if s.Workload.Prompt.Dataset != nil {
		s.Workload.Prompt.Dataset.Path = "" // datasetRef names the content
	}
	s.Workload.Tokenizer.Path = "" // its digest names the content
	if s.Load != nil && s.Load.Trace != nil {
		s.Load.Trace.Path = "" // traceRef names the content
	}
	if s.Load != nil {
		s.Load.KeepAnswers = false
		s.Load.Calibrate = nil // about the client, not the question
		s.Load.Generators, s.Load.Launch = 0, nil
	}
	if s.Evaluation != nil {
		for i := range s.Evaluation.Tasks { // the references name the content
			s.Evaluation.Tasks[i].Path, s.Evaluation.Tasks[i].FewShotPath = "", ""
		}
	}
	if s.Evaluation != nil {
		for i, scorer := range s.Evaluation.Scorers {
			s.Evaluation.Scorers[i] = scorer.Identity()
		}
	}
	if s.Train != nil {
		s.Train.Command, s.Train.Python, s.Train.Launch = nil, "", nil
	}
	if s.Collectives != nil {
		s.Collectives.Python, s.Collectives.Launch = "", nil
	}
	if s.Probe != nil {
		s.Probe.Python, s.Probe.Dir, s.Probe.Launch = "", "", nil
	}
	identity := map[string]any{
		"workloadType": s.Intent.WorkloadType,
		"workload":     s.Workload,
		"load":         s.Load,
		"evaluation":   s.Evaluation,
		"train":        s.Train,
		"collectives":  s.Collectives,
		"probe":        s.Probe,
	}
	if !s.SeedDrawn {
		identity["seed"] = s.Seed
	}
	pruned, err := prune(identity)
	if err != nil {
		return "", err
	}
	// The target's extra body is another program's: an empty value may mean
	// something there, so it is added after pruning.
	if s.Target != nil {
		target := map[string]any{"api": s.Target.API, "model": s.Target.Model, "extraBody": withoutSecrets(extraBody(s.Target), false)}
		if len(s.Target.OmitBody) > 0 {
			target["omitBody"] = s.Target.OmitBody
		}
		pruned["target"] = target
	}
	return Digest(pruned)
}

// extraBody makes an absent and an empty extra body the same.
func extraBody(t *Target) map[string]any {
	if len(t.ExtraBody) == 0 {
		return map[string]any{}
	}
	return t.ExtraBody
}

// prune drops every null, empty list and empty mapping: an empty list of
// exceptions and none at all are the same question.
func prune(identity map[string]any) (map[string]any, error) {
	data, err := json.Marshal(identity)
	if err != nil {
		return nil, fmt.Errorf("encode for a digest: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, fmt.Errorf("encode for a digest: %w", err)
	}
	dropEmpty(plain)
	return plain, nil
}

func dropEmpty(object map[string]any) {
	for key, value := range object {
		switch v := value.(type) {
		case nil:
			delete(object, key)
		case []any:
			if len(v) == 0 {
				delete(object, key)
			}
		case map[string]any:
			dropEmpty(v)
			if len(v) == 0 {
				delete(object, key)
			}
		}
	}
}
