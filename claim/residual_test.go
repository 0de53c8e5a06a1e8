package claim

import (
	"strings"
	"testing"
)

// What seeds do not fix is named among what somebody needs to do it again.
func TestResidual(t *testing.T) {
	for _, i := range items(sound()) {
		if i.Name == "what is not deterministic" && i.Known && strings.Contains(i.Value, "when the server batches which requests") {
			return
		}
	}
	t.Error("nothing is said about what is not deterministic")
}
