package alert

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/spec"
)

// A Route sends alerts one way.
type Route struct {
	Name string
	on   []string // kinds; empty means all
	send func(ctx context.Context, d Delivery) error
}

func (r Route) takes(k Kind) bool {
	return k == Trial || len(r.on) == 0 && k != Inconclusive || slices.Contains(r.on, string(k))
}

// Routes makes the routes of a document. Secrets are looked up now, so that one that is
// missing is found when the runner starts and not on the night that something fails.
func Routes(list []spec.AlertRoute, lookup func(string) (string, bool), readFile func(string) ([]byte, error)) (routes []Route, err error) {
	reveal := func(name string, s spec.Secret) string {
		value, e := s.Reveal(lookup, readFile)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("alert route %s: %w", name, e))
		}
		return value
	}
	client := &http.Client{
		// An alert is posted to the address that was named, and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, r := range list {
		route := Route{Name: r.Name, on: r.On}
		switch {
		case r.Webhook != nil:
			route.send = webhook(client, reveal(r.Name, r.Webhook.URL), reveal(r.Name, r.Webhook.Secret))
		case r.Slack != nil:
			route.send = slack(client, reveal(r.Name, r.Slack.URL))
		case r.Email != nil:
			route.send = email(*r.Email)
		}
		routes = append(routes, route)
	}
	return routes, err
}

// post sends JSON. Its errors do not hold the address, which may be a secret.
func post(ctx context.Context, client *http.Client, address string, body []byte, header http.Header) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return refusal{errors.New("the address of the route is none: want one such as https://example.com/alerts")}
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "assay")
	response, err := client.Do(request)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		return err
	}
	response.Body.Close() // its words may repeat what was sent
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		return busyError{fmt.Errorf("the receiver answered %s", response.Status), retryAfter(response.Header)}
	default:
		return refusal{fmt.Errorf("the receiver refused it: %s", response.Status)}
	}
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(cmp.Or(h.Get("Retry-After"), "0"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}
