package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"assay/tokens"
)

// A Route is one thing that may be asked for. The table of them is the interface: what is
// allowed, how much may be sent, and the OpenAPI description all follow from it.
type Route struct {
	Method string
	Path   string       // a pattern of net/http without the method
	Scope  tokens.Scope // empty: anybody may ask
	Most   int64        // bytes of the body; zero means that there is none
	About  string       // a sentence for people
	Query  []Param      // parameters that may be given; others are refused
	Others bool         // parameters that are not listed are passed over
	Takes  any          // a value of the type of the JSON body; nil where it is none
	Kinds  []string     // of a body that is no JSON value; empty means bytes
	Gives  any          // a value of the type of the JSON answer; nil where it is none
	Kind   Kind

	// Turn is what those who ask wait for, where too many do. Empty means that they do not.
	Turn Turn

	// Stream says that the answer goes on until somebody ends it: when the server ends, so
	// does the context of the request.
	Stream bool

	Handle func(*Call) error
}

// A Kind is what a route answers with.
type Kind string

// The kinds of answers.
const (
	JSON Kind = "application/json"
	HTML Kind = "text/html"
	Text Kind = "text/plain"
	Data Kind = "application/octet-stream"

	Events Kind = "text/event-stream"
)

// A Param is a parameter of a URL.
type Param struct {
	Name  string
	About string
	Many  bool // may be given several times
}

// A Call is one request to a route, by somebody who may make it.
type Call struct {
	W     http.ResponseWriter
	R     *http.Request
	Token tokens.Token // zero where anybody may ask
	route Route
	note  string // for the audit log: what came of it, such as the id of what was made
	place place
}

func (c *Call) context() context.Context { return c.R.Context() }

// A fault is an error with what it means to whoever asked.
type fault struct {
	status int
	err    error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func refuse(status int, format string, args ...any) error {
	return &fault{status, fmt.Errorf(format, args...)}
}

// param is a parameter of the URL.
func (c *Call) param(name string) string { return c.R.URL.Query().Get(name) }

// known refuses parameters that the route does not have, and more of one than it takes:
// a misspelt filter would silently show everything.
func (c *Call) known() error {
	for name, values := range c.R.URL.Query() {
		i := slices.IndexFunc(c.route.Query, func(p Param) bool { return p.Name == name })
		switch {
		case i < 0 && c.route.Others:
			continue
		case i < 0:
			return refuse(http.StatusBadRequest, "unknown parameter %q: want %s", name, strings.Join(names(c.route.Query), ", "))
		case len(values) > 1 && !c.route.Query[i].Many:
			return refuse(http.StatusBadRequest, "parameter %q is given %d times, want once", name, len(values))
		}
		for _, v := range values {
			if len(v) > 10_000 {
				return refuse(http.StatusBadRequest, "parameter %q is too long", name)
			}
		}
	}
	return nil
}

func names(list []Param) (all []string) {
	for _, p := range list {
		all = append(all, p.Name)
	}
	if len(all) == 0 {
		all = []string{"none"}
	}
	return all
}

// take reads the JSON body into v: one value, without fields that it does not have.
func (c *Call) take(v any) error {
	if kind, _, _ := strings.Cut(c.R.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type %q: want application/json", c.R.Header.Get("Content-Type"))
	}
	d := json.NewDecoder(c.R.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return bodyFault(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return refuse(http.StatusBadRequest, "want one JSON value and nothing behind it")
	}
	return nil
}

// bodyFault says what is wrong with a body.
func bodyFault(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return refuse(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", large.Limit)
	}
	return refuse(http.StatusBadRequest, "the body cannot be read: %w", err)
}

// give answers with JSON.
func (c *Call) give(status int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "application/json; charset=utf-8")
	c.W.WriteHeader(status)
	c.W.Write(append(data, '\n')) // whoever has left does not hear of an error either
	return nil
}
