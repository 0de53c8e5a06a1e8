package spec

import "slices"

// proxySchemes are the proxies that can be spoken to.
var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// connectionAgrees wants the ways to connect to go together.
func connectionAgrees(c *checker) {
	t := c.run.Spec.Target
	if t == nil {
		return
	}
	if t.Proxy != "" {
		if u, err := parseURL(t.Proxy); err != nil || u.Host == "" || !slices.Contains(proxySchemes, u.Scheme) {
			c.fail("spec.target.proxy", "must be an address such as http://proxy.example:3128, with http, https or socks5")
		}
	}
	if t.Proxy != "" && t.Reader != "" && t.Reader != ReaderNetHTTP {
		c.fail("spec.target.reader", "reads the target's own connections only; a proxy needs net/http")
	}
}

// commandComplete wants a command to have a program and nothing else to talk to.
func commandComplete(c *checker) {
	t := c.run.Spec.Target
	if t == nil || t.API != APICommand || c.anyUnread("spec.target.server") {
		return
	}
	if t.Server == nil {
		c.fail("spec.target.server", "api command needs the program to start as server.command")
	} else if t.Server.Restart == RestartRun {
		c.fail("spec.target.server.restart", "must be launch: a command belongs to its launch")
	}
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"url", t.URL != ""}, {"urls", len(t.URLs) > 0}, {"headers", len(t.Headers) > 0}, {"query", len(t.Query) > 0},
		{"auth", t.Auth.Kind != "" && t.Auth.Kind != AuthNone}, {"tls", t.TLS != TLS{}}, {"http2", t.HTTP2},
		{"proxy", t.Proxy != ""}, {"reader", t.Reader != ""},
	} {
		if f.given {
			c.fail("spec.target."+f.name, "belongs to a target with an address; api command has none")
		}
	}
}
