package spec

import (
	"strings"
	"testing"
)

const nightly = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkSchedule
metadata: {name: nightly-chat}
spec:
  purpose: nightly
  schedule: "0 2 * * *"
  timeZone: Europe/Berlin
  template:
    metadata: {labels: {team: serving}}
    spec:
      workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}]}
      target: {url: "http://10.0.0.1:8000"}
      load: {concurrency: [1], duration: 5s}
`

func TestSchedule(t *testing.T) {
	doc, faults := Parse("f", []byte(nightly))
	if !Valid(faults) || doc.Kind != KindBenchmarkSchedule || doc.Schedule == nil {
		t.Fatal(lines(faults))
	}
	resolved, _ := ResolveSchedule(*doc.Schedule)
	s := resolved.Spec
	if s.ConcurrencyPolicy != "Forbid" || s.StartingDeadline.String() != "1h" || *s.FailedRunsHistoryLimit != 10 || s.TimeZone != "Europe/Berlin" {
		t.Errorf("resolved as %+v", s)
	}
	if s.Template.Spec.Intent.Cadence != "" || s.Template.Spec.Load.Calibrate != nil {
		t.Errorf("the template has defaults already: %+v", s.Template.Spec)
	}
	if got := doc.Unacted(); len(got.Recorded)+len(got.Refused) != 0 {
		t.Errorf("states %+v", got)
	}
}

// The faults of a schedule and of its template are found at once, each where it stands and
// none twice.
func TestScheduleFaults(t *testing.T) {
	f := func(from, to string, want ...string) {
		t.Helper()
		text := strings.Replace(nightly, from, to, 1)
		if text == nightly {
			t.Fatalf("no %q", from)
		}
		_, faults := Parse("f", []byte(text))
		got := lines(faults)
		if Valid(faults) || len(faults) != len(want) {
			t.Errorf("%s: got %d faults\n%s\nwant %d", to, len(faults), got, len(want))
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: got\n%s\nwant %q", to, got, w)
			}
		}
	}
	f(`"0 2 * * *"`, `"0 26 * * *"`, "f:7:13: spec.schedule")
	f(`"0 2 * * *"`, `"0 0 31 2 *"`, "never happens")
	f("Europe/Berlin", "Europe/Atlantis", "spec.timeZone")
	f("purpose: nightly", "purpose: weekly", "spec.purpose")
	f("  purpose: nightly\n", "", "spec.purpose")
	f("spec:\n      workload", "spec:\n      intent: {cadence: canary}\n      workload", "spec.template.spec.intent.cadence")
	f("duration: 5s", "duration: soon", "f:14:42: spec.template.spec.load.duration")
	f("duration: 5s", "duration: 5s, speed: 3", "spec.template.spec.load.speed")
	f("duration: 5s}\n", "duration: 5s}\n      kubernetes: {resources: {cpu: lots}}\n", "spec.template.spec.kubernetes.resources.cpu")
	f("team: serving", "team: [a]", "spec.template.metadata.labels.team")
	f(`"0 2 * * *"`, "nightly\n  startingDeadline: 1ms", "spec.schedule", "spec.startingDeadline")
	f(`target: {url: "http://10.0.0.1:8000"}`, `target: {url: "http://10.0.0.1:8000", headers: {Authorization: [Bearer abcdefgh12345678]}}`, "spec.template.spec.target.headers")
}

// A route has one way, addresses that can be written to, and no secret in the document; a
// secret is not quoted either.
func TestAlertRoutes(t *testing.T) {
	f := func(routes, want string) {
		t.Helper()
		_, faults := Parse("f", []byte(strings.Replace(nightly, "  template:", "  alerts: ["+routes+"]\n  template:", 1)))
		got := lines(faults)
		if (want == "") != (len(faults) == 0) || !strings.Contains(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: got\n%s\nwant %q", routes, got, want)
		}
	}
	f(`{name: ops, webhook: {url: "https://example.com/a", secret: {env: KEY}}}, {name: chat, on: [failed], slack: {url: {env: SLACK}}}`, "")
	f(`{name: ops, email: {from: a@example.com, to: ["Perf <perf@example.com>"]}}`, "")
	f(`{name: ops, webhook: {url: "http://127.0.0.1:9/x"}}`, "")
	f(`{name: ops}`, "want one of webhook, slack and email")
	f(`{name: ops, webhook: {url: "https://example.com"}, slack: {url: {env: S}}}`, "want one of webhook, slack and email")
	f(`{name: ops, slack: {url: {env: A}}}, {name: ops, slack: {url: {env: B}}}`, "spec.alerts[1].name")
	f(`{name: ops, slack: {url: "https://hooks.example.com/hunter2"}}`, "want {env: NAME}")
	f(`{name: ops, webhook: {url: "https://example.com", secret: hunter2}}`, "want {env: NAME}")
	f(`{name: ops, webhook: {url: "https://example.com/?token=hunter2"}}`, "may hold a secret")
	f(`{name: ops, webhook: {url: "http://example.com/"}}`, "want https")
	f(`{name: ops, webhook: {url: "example.com"}}`, "want an address")
	f(`{name: ops, email: {from: nobody, to: [a@example.com]}}`, "spec.alerts[0].email.from")
	f(`{name: ops, email: {from: a@example.com, to: ["a@example.com\\r\\nBcc: b@example.com"]}}`, "spec.alerts[0].email.to[0]")
	f(`{name: ops, on: [everything], slack: {url: {env: S}}}`, "spec.alerts[0].on")
}
