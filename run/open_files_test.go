package run

import (
	"strings"
	"testing"
)

// Users who cannot all have a connection are refused, with what to type.
func TestWithinFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		users, limit int
		want         string
	}{
		{0, 10, ""}, {100, 164, ""}, {100, 163, "100 users need as many connections and 164 descriptors in all, and this process may open 163 files: ulimit -n 328"},
	} {
		err := withinFiles(tt.users, tt.limit)
		if (err != nil) != (tt.want != "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("withinFiles(%d, %d) = %v, want %q", tt.users, tt.limit, err, tt.want)
		}
	}
}
