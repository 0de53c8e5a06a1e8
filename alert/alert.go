// Package alert tells people what went wrong, once, and again when it is over. A Book
// remembers which alerts are open and what is still to be sent; a Route sends.
//
// It does not decide what is wrong: package timetable does. To add a way to people, write
// one file with a function that makes a Route's send, and list it in Routes.
package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"assay/visible"
)

// A Kind is what an alert is about.
type Kind string

// The kinds; spec's alertKinds are the ones that a route may choose from.
const (
	Failed    Kind = "failed"    // a run did not complete
	Void      Kind = "void"      // a finding voids a run
	Missed    Kind = "missed"    // a due time has no run
	Regressed Kind = "regressed" // a gate found something worse, or could not judge

	// Inconclusive is a gate that did not pass though nothing is known to be worse. Nobody is
	// woken for it: only a route that names it takes it.
	Inconclusive Kind = "inconclusive"

	Changed Kind = "changed" // a series changed for the worse
	Trial   Kind = "trial"   // somebody tries the routes; every route takes it
)

// The states of an alert.
const (
	Open     = "open"
	Resolved = "resolved"
)

// An Alert is one thing that is wrong, or that is not any more.
type Alert struct {
	ID       string    `json:"id"` // the same while it is open, and when it is resolved
	Kind     Kind      `json:"kind"`
	State    string    `json:"state"`
	Schedule string    `json:"schedule"`
	Title    string    `json:"title"` // one line
	Text     string    `json:"text"`
	RunID    string    `json:"runID,omitempty"`
	Digest   string    `json:"digest,omitempty"`
	Opened   time.Time `json:"opened"`
	At       time.Time `json:"at"`
}

// A Problem is what is wrong with a schedule at a moment.
type Problem struct {
	Kind  Kind
	Of    string // tells problems of one kind apart; empty where there can be only one
	Title string
	Text  string
}

// mostText bounds what is sent: an alert is no report.
const mostText = 4000

// ID is that of the alert of a problem of a schedule.
func (p Problem) ID(schedule string) string {
	id := schedule + "/" + string(p.Kind)
	if p.Of != "" {
		id += "/" + p.Of
	}
	return id
}

// open makes the alert of a problem. What others have named, runs among it, cannot break a
// line or steer a terminal.
func (p Problem) open(schedule, runID, digest string, now time.Time) Alert {
	return Alert{
		ID: p.ID(schedule), Kind: p.Kind, State: Open, Schedule: schedule, Title: visible.Line(cut(p.Title, 200)), Text: visible.Text(cut(p.Text, mostText)),
		RunID: runID, Digest: digest, Opened: now.UTC(), At: now.UTC(),
	}
}

// cut bounds a text without breaking a letter.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := most
	for at > 0 && text[at]&0xC0 == 0x80 {
		at--
	}
	return text[:at] + " …"
}

// A Delivery is an alert that is on its way to a route.
type Delivery struct {
	ID    string    `json:"id"` // the same in every try, so that who gets it twice can tell
	Route string    `json:"route"`
	Alert Alert     `json:"alert"`
	Tries int       `json:"tries,omitempty"`
	Since time.Time `json:"since"`
	Next  time.Time `json:"next"`
	Error string    `json:"error,omitempty"` // of the last try
}

// A Book is the open alerts of a schedule and what is still to be sent. It is part of the
// schedule's state on disk. The zero value is an empty one.
type Book struct {
	Open   []Alert    `json:"open"`
	Outbox []Delivery `json:"outbox"`
	Lost   []Delivery `json:"lost"` // nobody took them; the newest mostLost
	Number int64      `json:"number"`
}

// mostLost bounds what is remembered of deliveries that were given up.
const mostLost = 20

// Note takes in what was found when the kinds of looked were looked for. A problem that is
// open already is not sent again; an open alert of these kinds that is no problem any more
// is resolved.
func (b *Book) Note(a Notice, routes []Route) {
	var still []string
	for _, p := range a.Undecided {
		still = append(still, p.ID(a.Schedule))
	}
	for _, p := range a.Problems {
		alert := p.open(a.Schedule, a.RunID, a.Digest, a.Now)
		still = append(still, alert.ID)
		if !slices.ContainsFunc(b.Open, func(o Alert) bool { return o.ID == alert.ID }) {
			b.Open = append(b.Open, alert)
			b.send(alert, routes)
		}
	}
	b.Open = slices.DeleteFunc(b.Open, func(o Alert) bool {
		if slices.Contains(still, o.ID) || !slices.Contains(a.Looked, o.Kind) {
			return false
		}
		o.RunID, o.Digest = a.RunID, a.Digest
		b.end(o, "", a.Now, routes)
		return true
	})
}

// Close ends an open alert for a reason, and tells those who were told of it.
func (b *Book) Close(id, why string, now time.Time, routes []Route) {
	b.Open = slices.DeleteFunc(b.Open, func(o Alert) bool {
		if o.ID == id {
			b.end(o, why+". ", now, routes)
		}
		return o.ID == id
	})
}

// Explain gives an open alert the text of a problem that says more about it.
func (b *Book) Explain(id, text string) {
	for i := range b.Open {
		if b.Open[i].ID == id {
			b.Open[i].Text = visible.Text(cut(text, mostText))
		}
	}
}

func (b *Book) end(o Alert, why string, now time.Time, routes []Route) {
	o.State, o.At = Resolved, now.UTC()
	o.Text = visible.Text(cut(fmt.Sprintf("%sOpen since %s. It was: %s", why, o.Opened.Format(time.RFC3339), o.Text), mostText))
	b.send(o, routes)
}

// A Notice is what was found at a moment.
type Notice struct {
	Schedule      string
	RunID, Digest string
	Problems      []Problem
	Undecided     []Problem // neither seen nor excluded: an open alert of one stays as it is
	Looked        []Kind    // an open alert of these kinds that is not among Problems is over
	Now           time.Time
}

func (b *Book) send(a Alert, routes []Route) {
	for _, r := range routes {
		if r.takes(a.Kind) {
			b.Number++
			b.Outbox = append(b.Outbox, Delivery{ID: deliveryID(a, b.Number), Route: r.Name, Alert: a, Since: a.At, Next: a.At})
		}
	}
}

// deliveryID is one that fits into a header, whatever a schedule is called.
func deliveryID(a Alert, number int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", a.ID, number, a.At.UnixNano()))
	return hex.EncodeToString(sum[:16])
}

// Next is when a delivery should be tried; zero where there is none.
func (b *Book) Next() (at time.Time) {
	for _, d := range b.Outbox {
		if at.IsZero() || d.Next.Before(at) {
			at = d.Next
		}
	}
	return at
}
