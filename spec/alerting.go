package spec

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"assay/secret"
)

// A ScheduledGate holds every run of a schedule against an accepted one.
type ScheduledGate struct {
	// The file of the GatePolicy, from the folder of this document.
	Policy string `json:"policy" required:"true" example:"gate/policy.yaml"`

	// The run to compare with, by its id or digest in the warehouse. By default the last
	// run of this schedule that was accepted (assay mark RUN --as accepted).
	Baseline string `json:"baseline,omitzero" example:"20261117_020000__run__nightly-chat"`

	// Measure the last good system and the new one again, in blocks, before anybody is told
	// of what got worse. What is not seen there is closed and not sent, and what stays open
	// there waits. Where the good system cannot be started any more, it is sent and says so.
	Confirm bool `json:"confirm,omitzero"`
}

// An AlertRoute is a way to people: one of webhook, slack and email.
type AlertRoute struct {
	// What the route is called in the log.
	Name string `json:"name" required:"true" pattern:"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" form:"small letters, digits and hyphens"`

	// What is sent on it. By default everything but inconclusive gates: runs that failed, are
	// void or were missed, what a gate found worse, and series that changed for the worse.
	On []string `json:"on,omitzero" enum:"alertKinds" example:"[failed, missed]"`

	// An address that takes JSON, signed.
	Webhook *AlertWebhook `json:"webhook,omitzero"`

	// An incoming webhook of Slack, or of a chat that takes the same.
	Slack *AlertSlack `json:"slack,omitzero"`

	// E-mail, by a program such as sendmail.
	Email *AlertEmail `json:"email,omitzero"`
}

// An AlertWebhook takes alerts as JSON.
type AlertWebhook struct {
	// Where they are posted to: https, or http on this machine.
	URL Secret `json:"url" required:"true"`

	// The key of the HMAC-SHA256 in the header Assay-Signature, as {env: NAME} or {file:
	// PATH}. Without it alerts are not signed.
	Secret Secret `json:"secret,omitzero"`
}

// An AlertSlack is an incoming webhook of a chat.
type AlertSlack struct {
	// Its address, which is a secret: {env: NAME} or {file: PATH}.
	URL Secret `json:"url" required:"true"`
}

// An AlertEmail is a message that a program sends.
type AlertEmail struct {
	// Whom it is from.
	From string `json:"from" required:"true" example:"assay@example.com"`

	// Whom it goes to.
	To []string `json:"to" required:"true" items:"1" example:"[perf@example.com]"`

	// The program that reads the message, with its arguments. No shell is asked.
	Command []string `json:"command,omitzero" default:"[sendmail, -t, -i]" items:"1"`
}

// ways is how many ways a route has.
func (r AlertRoute) ways() (n int) {
	for _, there := range []bool{r.Webhook != nil, r.Slack != nil, r.Email != nil} {
		if there {
			n++
		}
	}
	return n
}

func alertRoutes(c *checker) {
	for i, r := range c.schedule.Spec.Alerts {
		path := itemPath("spec.alerts", i)
		if slices.ContainsFunc(c.schedule.Spec.Alerts[:i], func(other AlertRoute) bool { return other.Name == r.Name }) {
			c.fail(path+".name", "is the name of a route above: want another")
		}
		if r.ways() != 1 && !c.anyUnread(path+".webhook", path+".slack", path+".email") {
			c.fail(path, "is a way to people: want one of webhook, slack and email")
		}
		if w := r.Webhook; w != nil {
			alertSecret(c, path+".webhook.secret", w.Secret)
			alertAddress(c, path+".webhook.url", w.URL)
		}
		if s := r.Slack; s != nil {
			alertSecret(c, path+".slack.url", s.URL)
		}
		if m := r.Email; m != nil {
			mailAddress(c, path+".email.from", m.From)
			for k, to := range m.To {
				mailAddress(c, itemPath(path+".email.to", k), to)
			}
		}
	}
}

// alertSecret refuses a secret that is written out. What it is, is not shown.
func alertSecret(c *checker, path string, s Secret) {
	if s.literal != "" {
		c.failGot(path, "a secret that is written out", "want {env: NAME} or {file: PATH}")
	}
}

func alertAddress(c *checker, path string, s Secret) {
	if s.literal == "" {
		return // what it names is known when it is sent
	}
	u, err := url.Parse(s.literal)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.failGot(path, "another text", "want an address such as https://example.com/alerts")
	case u.User != nil || u.RawQuery != "":
		c.failGot(path, "an address with a user or a query", "may hold a secret: want {env: NAME} or {file: PATH}")
	case u.Scheme == "http" && !secret.Loopback(u.Hostname()):
		c.failGot(path, "http to another machine", "is read by everybody on the way: want https")
	}
}

func mailAddress(c *checker, path, text string) {
	a, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsAny(text, "\r\n") || a.Address == "" {
		c.fail(path, "is no address: want one such as perf@example.com")
	}
}
