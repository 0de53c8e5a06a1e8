package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"assay/record"
	"assay/secret"
	"assay/target"
)

// identify asks the target what it is. Servers of this field tell their engine
// as the owner of a model and their version on a page of its own; one that does
// not is recorded as unavailable, with its answer.
func (e *execution) identify(ctx context.Context, env record.Environment) {
	if models, err := e.listed(ctx); err != nil {
		env.Miss("server.engine", err.Error())
		env.Miss("server.models", err.Error())
	} else {
		owners, names := []string{}, []string{}
		for _, m := range models {
			names = append(names, m.ID)
			if m.OwnedBy != "" && !slices.Contains(owners, m.OwnedBy) {
				owners = append(owners, m.OwnedBy)
			}
		}
		env.Set("server.models", names)
		if len(owners) == 1 {
			env.Set("server.engine", owners[0])
		} else {
			env.Miss("server.engine", fmt.Sprintf("the models name %d owners, want one", len(owners)))
		}
	}
	if env["server.engine"].Value == nil {
		e.greeted(ctx, env)
	}
	var version struct {
		Version string `json:"version"`
	}
	answeredBy, err := e.ask(ctx, "/version", &version)
	if err != nil || version.Version == "" {
		env.Miss("server.version", fmt.Sprintf("GET /version gave none (%v)", err))
	} else {
		env.Set("server.version", version.Version)
	}
	e.unmask(ctx, answeredBy, env)
}

// greeted takes the engine from the page that a server without a list of models
// greets with, as AIPerf's mock server has one.
func (e *execution) greeted(ctx context.Context, env record.Environment) {
	var greeting struct {
		Message string `json:"message"`
	}
	if _, err := e.ask(ctx, "/", &greeting); err == nil && greeting.Message != "" && len(greeting.Message) <= longestGreeting {
		env.Set("server.engine", greeting.Message)
	}
}

// longestGreeting bounds what can be a name.
const longestGreeting = 80

// listed are the models of the first target.
func (e *execution) listed(ctx context.Context) ([]target.Served, error) {
	if len(e.conn.client.URLs) == 0 {
		return nil, errors.New("a command has no address to ask")
	}
	return e.conn.models(ctx)
}

// ask reads one JSON answer of the first target, and says which HTTP server it calls
// itself, also where there is no answer to read.
func (e *execution) ask(ctx context.Context, path string, into any) (answeredBy string, err error) {
	if len(e.conn.client.URLs) == 0 {
		return "", errors.New("a command has no address to ask")
	}
	u, err := target.Below(e.conn.client.URLs[0], path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header = e.conn.client.Header.Clone()
	client := &http.Client{CheckRedirect: secret.SameHost, Transport: &http.Transport{TLSClientConfig: e.conn.client.TLS, DisableKeepAlives: true, Proxy: e.conn.proxy()}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answeredBy = resp.Header.Get("Server")
	if resp.StatusCode != http.StatusOK {
		return answeredBy, fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(into); err != nil {
		return answeredBy, fmt.Errorf("GET %s: %w", path, err)
	}
	return answeredBy, nil
}
