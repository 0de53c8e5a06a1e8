package bench

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/secret"
	"assay/spec"
	"assay/target"
)

// knockAgain is the time between two attempts to reach a server that refuses.
const knockAgain = 50 * time.Millisecond

// model takes the only model of the server where none was named. Which of several
// is measured is the caller's to say.
func (m *maker) model(ctx context.Context) {
	w := &m.run.Spec.Workload
	if w.Model != "" {
		return
	}
	if m.cloud() {
		m.fail("--model: missing: backend %s has no list to choose from", m.backend.Name)
		return
	}
	url := m.run.Spec.Target.URL
	served, err := target.Models(ctx, m.asker(ctx), url, http.Header{})
	var names []string
	finder := secret.NewFinder(secret.Parts(m.key)) // a server may hand the key back
	for _, one := range served {
		names = append(names, finder.Hide(one.ID))
	}
	slices.Sort(names)
	switch {
	case err != nil:
		m.fail("--model: missing, and %s does not list its models (%w): pass --model NAME, or check that the server is up", url, err)
	case len(names) == 0:
		m.fail("--model: missing, and %s lists no model: pass --model NAME", url)
	case len(names) > 1:
		m.fail("--model: %s serves %d models, choose one: %s", url, len(names), strings.Join(names, ", "))
	case names[0] != served[0].ID:
		m.fail("--model: missing, and the only model of %s has the key in its name (%s): pass --model NAME", url, names[0])
	default:
		w.Model = names[0]
		m.chose("model %s, the only one at %s", names[0], url)
	}
}

// asker is a client for the questions before a run. It keeps no connection and
// uses no proxy, as runs do. A server that refuses connections may have been started
// a moment ago, in the line above: it is given time to come up.
func (m *maker) asker(ctx context.Context) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	return &http.Client{CheckRedirect: secret.SameHost, Timeout: askTimeout, Transport: tripper(func(r *http.Request) (*http.Response, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r = r.Clone(r.Context())
		if auth := m.run.Spec.Target.Auth; m.key != "" && auth.Kind == spec.AuthHeader {
			r.Header.Set(auth.Header, m.key)
		} else if m.key != "" {
			r.Header.Set("Authorization", "Bearer "+m.key)
		}
		resp, err := transport.RoundTrip(r)
		for ; errors.Is(err, syscall.ECONNREFUSED) && m.v.Patience > 0 && ctx.Err() == nil; m.v.Patience -= knockAgain {
			time.Sleep(knockAgain)
			if r.GetBody != nil {
				if r.Body, err = r.GetBody(); err != nil {
					return nil, err
				}
			}
			resp, err = transport.RoundTrip(r)
		}
		return resp, err
	})}
}
