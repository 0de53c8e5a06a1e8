package alert

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/spec"
)

var night = time.Date(2026, 11, 17, 2, 0, 0, 0, time.UTC)

// recording is a route that notes what it is given.
func recording(name string, sent *[]string, answer func() error, on ...string) Route {
	return Route{Name: name, on: on, send: func(_ context.Context, d Delivery) error {
		if err := answer(); err != nil {
			return err
		}
		*sent = append(*sent, d.Alert.State+" "+d.Alert.ID)
		return nil
	}}
}

func fine() error { return nil }

func deliver(t *testing.T, b *Book, routes []Route, now time.Time) {
	t.Helper()
	for range 100 {
		if tried, _ := b.DeliverOne(t.Context(), routes, now); !tried {
			return
		}
	}
	t.Fatal("it never ends")
}

// The same problem is sent once, however many nights it lasts, and once more when it is
// over; a kind that nobody looked for stays as it was.
func TestToldOnce(t *testing.T) {
	var all, some []string
	routes := []Route{recording("all", &all, fine), recording("some", &some, fine, "missed")}
	b := &Book{}
	look := func(day int, looked []Kind, problems ...Problem) {
		now := night.AddDate(0, 0, day)
		b.Note(Notice{Schedule: "chat", Problems: problems, Looked: looked, Now: now}, routes)
		deliver(t, b, routes, now)
	}
	everything := []Kind{Failed, Changed, Missed}
	failed, slow, slower := Problem{Kind: Failed, Title: "f"}, Problem{Kind: Changed, Of: "a", Title: "a"}, Problem{Kind: Changed, Of: "b", Title: "b"}
	look(0, everything, failed, slow)
	look(1, everything, failed, slow, slower)
	look(2, []Kind{Failed}, failed) // the run failed: nobody could look at the series
	look(3, everything, slower)
	look(4, everything, failed)
	want := []string{
		"open chat/failed", "open chat/changed/a", "open chat/changed/b",
		"resolved chat/failed", "resolved chat/changed/a", "open chat/failed", "resolved chat/changed/b",
	}
	if !slices.Equal(all, want) || len(some) != 0 {
		t.Errorf("got %q and %q, want %q and nothing", all, some, want)
	}
}

// What cannot be sent is tried again, later each time, in order, across restarts; what is
// refused is given up and remembered.
func TestTriedAgain(t *testing.T) {
	var sent []string
	down := errors.New("connection refused")
	var answer error = down
	routes := []Route{recording("ops", &sent, func() error { return answer })}
	b, now := &Book{}, night
	b.Note(Notice{Schedule: "chat", Problems: []Problem{{Kind: Failed}}, Now: now}, routes)
	b.Note(Notice{Schedule: "chat", Looked: []Kind{Failed}, Now: now}, routes)
	var waits []time.Duration
	for range 12 {
		if tried, err := b.DeliverOne(t.Context(), routes, now); !tried || err == nil {
			t.Fatalf("tried %v, %v; want a failed try", tried, err)
		}
		if tried, _ := b.DeliverOne(t.Context(), routes, now); tried {
			t.Fatal("tried again at once, or out of order")
		}
		waits = append(waits, b.Outbox[0].Next.Sub(now))
		now = b.Outbox[0].Next
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		b = &Book{}
		if err := json.Unmarshal(text, b); err != nil {
			t.Fatal(err)
		}
	}
	if waits[0] != time.Second || waits[3] != 8*time.Second || waits[11] != lastRetry {
		t.Errorf("waits %v", waits)
	}
	answer = busyError{down, 90 * time.Second}
	b.Outbox[0].Tries = 0
	if _, err := b.DeliverOne(t.Context(), routes, now); err == nil {
		t.Error("a busy receiver took it")
	}
	if got := b.Outbox[0].Next.Sub(now); got != 90*time.Second {
		t.Errorf("waits %v, want what the receiver asked for", got)
	}
	answer = nil
	deliver(t, b, routes, now.Add(time.Hour))
	if want := []string{"open chat/failed", "resolved chat/failed"}; !slices.Equal(sent, want) || len(b.Outbox) != 0 {
		t.Errorf("sent %q, %d left; want %q", sent, len(b.Outbox), want)
	}
	b.Note(Notice{Schedule: "chat", Problems: []Problem{{Kind: Void}}, Now: now}, routes)
	answer = refusal{errors.New("404")}
	if _, err := b.DeliverOne(t.Context(), routes, now); err == nil || len(b.Outbox) != 0 || len(b.Lost) != 1 {
		t.Errorf("%v; %d left, %d lost; want it given up", err, len(b.Outbox), len(b.Lost))
	}
	b.Note(Notice{Schedule: "chat", Problems: []Problem{{Kind: Missed}}, Now: now}, routes)
	answer = down
	if _, err := b.DeliverOne(t.Context(), routes, now.Add(patience+time.Hour)); err == nil || len(b.Lost) != 2 {
		t.Errorf("%v; %d lost; want it given up after a day", err, len(b.Lost))
	}
}

// A route whose secret is missing is found before anything has to be sent.
func TestSecretMissing(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	_, err := Routes([]spec.AlertRoute{{Name: "chat", Slack: &spec.AlertSlack{URL: spec.Secret{Env: "SLACK"}}}}, none, nil)
	if err == nil || !strings.Contains(err.Error(), "alert route chat: environment variable SLACK is not set") {
		t.Errorf("got %v", err)
	}
}

// An alert that is closed says why, and one that is explained keeps its id.
func TestBookCloses(t *testing.T) {
	t.Parallel()
	var book Book
	var sent []string
	routes := []Route{recording("r", &sent, func() error { return nil })}
	p := Problem{Kind: Regressed, Of: "ttft", Title: "worse", Text: "first"}
	book.Note(Notice{Schedule: "s", Problems: []Problem{p}}, routes)
	book.Explain(p.ID("s"), "in blocks too")
	if len(book.Open) != 1 || book.Open[0].Text != "in blocks too" {
		t.Fatalf("open are %+v", book.Open)
	}
	book.Close(p.ID("s"), "not seen", night, routes)
	if n := len(book.Outbox); len(book.Open) != 0 || n != 2 || !strings.HasPrefix(book.Outbox[n-1].Alert.Text, "not seen. Open since") {
		t.Errorf("open are %+v, to be sent %+v", book.Open, book.Outbox)
	}
}
