package warehouse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/metric"
	"assay/stats"
	"assay/suite/acts"
)

// A nightly is a series that somebody looks at after every run.
type nightly struct {
	Series
	alerts  []Alert
	decided []acts.Act
}

func (n *nightly) runs(t *testing.T, xs ...float64) {
	t.Helper()
	for _, x := range xs {
		i := len(n.Values)
		n.Values = append(n.Values, Value{RunID: fmt.Sprintf("night-%02d", i), Digest: fmt.Sprintf("sha256:%02d", i), At: midnight(i), Value: x})
		list, err := n.Series.alerts(n.alerts, n.decided)
		must(t, err)
		n.alerts = list
	}
}

func midnight(i int) time.Time { return time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC) }

func (n *nightly) decide(act string, a Alert) {
	n.decided = append(n.decided, acts.Act{At: midnight(len(n.Values) - 1).Add(time.Hour), Act: act, Digest: a.Run})
}

func newNightly() *nightly {
	return &nightly{Series: Series{Metric: "ttft.v2", Statistic: "p50", Unit: "s", Better: string(metric.Lower)}}
}

// A series that goes back and forth between two levels has one alert, which says so and is not
// over while the runs are in the better one. Who says that it is fixed hears of the next time;
// who says that it is meant does not.
func TestAlertOfModes(t *testing.T) {
	for act, want := range map[string]int{"": 1, acts.Acknowledged: 1, acts.Dismissed: 1, acts.Fixed: 2} {
		rng := rand.New(rand.NewPCG(11, 12))
		n := newNightly()
		n.runs(t, slices.Concat(days(rng, 8, 100), days(rng, 6, 108), days(rng, 6, 100))...)
		if len(n.alerts) != 1 || n.alerts[0].State != Recovered || n.alerts[0].Change.Kind != stats.PlainStep {
			t.Fatalf("after one step and back there are %+v", n.alerts)
		}
		n.runs(t, slices.Concat(days(rng, 6, 108), days(rng, 6, 100))...)
		if a := n.alerts[0]; len(n.alerts) != 1 || !a.Pending() || a.Change.Kind != stats.SwitchStep || !strings.Contains(a.Evidence, "it goes on: a switch between two modes") {
			t.Fatalf("back and forth again, there are %+v", n.alerts)
		}
		if act != "" {
			n.decide(act, n.alerts[0])
		}
		n.runs(t, slices.Concat(days(rng, 6, 108), days(rng, 6, 100), days(rng, 6, 108))...)
		if len(n.alerts) != want || !slices.ContainsFunc(n.alerts, Alert.Pending) == (act != acts.Dismissed) {
			t.Errorf("decided %q, there are %d alerts, want %d: %+v", act, len(n.alerts), want, n.alerts)
		}
		n.runs(t, days(rng, 4, 125)...)
		if newest := n.alerts[len(n.alerts)-1]; len(n.alerts) != want+1 || !newest.Pending() || newest.Change.Kind == stats.SwitchStep {
			t.Errorf("decided %q, a level beyond both raises %+v", act, newest)
		}
	}
}

// What gets worse night after night is one alert, which says how far it has come; after
// somebody has closed it, what follows is another.
func TestAlertOfDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	n := newNightly()
	drifting := func(from, to int) (xs []float64) {
		for i := from; i < to; i++ {
			xs = append(xs, 100+.4*float64(i)+.5*rng.NormFloat64())
		}
		return xs
	}
	n.runs(t, drifting(0, 40)...)
	if len(n.alerts) != 1 || !n.alerts[0].Pending() || n.alerts[0].Change.Kind != stats.DriftStep || !strings.Contains(n.alerts[0].Evidence, itGoesOn) {
		t.Fatalf("a drift has %d alerts: %+v", len(n.alerts), n.alerts)
	}
	n.decide(acts.Dismissed, n.alerts[0])
	n.runs(t, drifting(40, 60)...)
	if len(n.alerts) != 2 || n.alerts[0].State != acts.Dismissed || !n.alerts[1].Pending() {
		t.Errorf("closed, and going on, it has %d alerts: %+v", len(n.alerts), n.alerts)
	}
}
