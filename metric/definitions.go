package metric

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// ByID returns the metric with a definition id, such as ttft.v2.
func ByID(id string) (Metric, bool) {
	i := slices.IndexFunc(All, func(m Metric) bool { return m.ID == id })
	if i < 0 {
		return Metric{}, false
	}
	return All[i], true
}

// Called returns the definition that is in force for a name, such as ttft: older ones
// are variants of it and stand behind it in All.
func Called(name string) (Metric, bool) {
	i := slices.IndexFunc(All, func(m Metric) bool { return strings.HasPrefix(m.ID, name+".v") })
	if i < 0 {
		return Metric{}, false
	}
	return All[i], true
}

// Definitions names the set of metrics that this code computes: a digest of their ids.
// Figures that were sealed under another set lack what readers ask for, though the
// version of the program may be the same, as between two commits.
var Definitions = sync.OnceValue(func() string {
	var ids []string
	for _, m := range All {
		ids = append(ids, m.ID)
	}
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:8])
})
