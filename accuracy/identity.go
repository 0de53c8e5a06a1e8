package accuracy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"assay/spec"
)

// Identity says what a score of t means: everything that changes what is asked or how it
// is graded. Two scores are compared only where it is the same. What a style sends by
// itself is named by the style and the version of all tasks; where files lie and how the
// task is called is no part of it.
func Identity(t spec.Task) string {
	parts := []string{strings.TrimSpace(t.Family + " " + t.Style)}
	add := func(given bool, format string, values ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(true, "%s of %s", t.Split, content(t.DatasetRef))
	add(t.Limit > 0, "first %d", t.Limit)
	add(t.FewShot == 0, "no examples")
	add(t.FewShot > 0, "%d examples of %s", t.FewShot, content(t.FewShotRef))
	add(t.Template != "" || len(t.Fields) > 0, "template %s", templateDigest(t))
	add(t.MaxTokens > 0, "at most %d tokens", t.MaxTokens)
	add(t.Stop != nil, "stop at %q", t.Stop)
	add(t.Temperature > 0, "temperature %g", t.Temperature)
	add(t.Samples > 1, "%d samples", t.Samples)
	add(t.Scenario != nil, "scenario %s", t.Scenario.Digest())
	add(true, "graded by %s", strings.Join(t.Graders, ", "))
	add(true, "tasks %s", spec.TaskVersion)
	return strings.Join(parts, "; ")
}

// content is the digest of a reference, short: the name before it may differ between two
// copies of one file.
func content(ref string) string {
	_, digest, found := strings.Cut(ref, "sha256:")
	if !found {
		return ref
	}
	return "sha256:" + digest[:min(12, len(digest))]
}

// templateDigest names how rows of one's own are put.
func templateDigest(t spec.Task) string {
	text, err := json.Marshal(struct {
		Template string
		Fields   map[string]string
	}{t.Template, t.Fields})
	if err != nil {
		panic(err) // texts alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}
