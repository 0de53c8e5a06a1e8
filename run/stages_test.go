package run

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"assay/record"
)

// Stages of a closed loop: users beyond the first begin when their stage does, and
// everything they began is accounted for.
func TestStagesOfUsers(t *testing.T) {
	t.Parallel()
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		reply(w)
	})
	p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]}, target: {url: %q, timeout: 20s},
		load: {stages: [{duration: 300ms, concurrency: 1}, {duration: 400ms, concurrency: 3}, {duration: 300ms, concurrency: 1}], warmup: {duration: 100ms}}`, url))
	p.Launches = p.Launches[:1]
	b := carryOut(t, p)
	begin := event(t, b, record.WindowBegin).At
	users := map[int32]int{}
	for _, r := range rows[record.Request](t, b, "requests") {
		users[r.User]++
		if r.Result != record.OK && r.Result != record.Cut {
			t.Errorf("request %d: %s %s", r.ID, r.Result, r.Error)
		}
		if after := time.Duration(r.Due - begin); r.User > 0 && after < 300*time.Millisecond {
			t.Errorf("user %d had a call due %v after the window began, want 300ms or more", r.User, after)
		}
	}
	if len(users) != 3 || users[0] <= users[1] || users[1] == 0 || users[2] == 0 {
		t.Errorf("calls by user: %v, want most by user 0 and some by 1 and 2", users)
	}
}
