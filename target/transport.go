package target

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// overHTTP2 says that nothing but HTTP/2 will do: it was asked for, or the API
// is spoken over nothing else.
func (c *Client) overHTTP2() bool { return c.cfg.HTTP2 || c.shape.HTTP2 }

// OverHTTP2 reports whether a client of cfg speaks HTTP/2.
func OverHTTP2(cfg Config, dialect Dialect) bool {
	return cfg.HTTP2 || shapeOf(dialect, cfg.Ask).HTTP2
}

// newTransport is net/http's client for this target. A target that was asked for
// HTTP/2 and does not speak it fails: falling back would measure something else.
func (c *Client) newTransport() *http.Transport {
	t := &http.Transport{
		DisableCompression: true, // a compressed stream hides when each event came
		MaxIdleConns:       0,

		MaxResponseHeaderBytes: maxHeadBytes,
		MaxIdleConnsPerHost:    max(1, c.cfg.Connections),
		DialContext:            c.warm.DialContext,
		ReadBufferSize:         64 << 10,
		Protocols:              new(http.Protocols),
	}
	if c.cfg.TLS != nil {
		t.TLSClientConfig = c.cfg.TLS.Clone() // the transport adds protocol names to it
	}
	t.Protocols.SetHTTP1(!c.overHTTP2())
	t.Protocols.SetHTTP2(c.overHTTP2())
	t.Protocols.SetUnencryptedHTTP2(c.overHTTP2())
	if c.cfg.Proxy != nil {
		t.Proxy = http.ProxyURL(c.cfg.Proxy)
	} else {
		t.DialTLSContext = c.dialTLS
	}
	return t
}

// secured reports whether connections to address carry TLS from the start.
func (c *Client) secured(address string) bool {
	return c.cfg.Proxy == nil && slices.ContainsFunc(c.urls, func(u *url.URL) bool {
		return u.Scheme == "https" && hostPort(u) == address
	})
}

var errNotHTTP2 = errors.New("HTTP/2 was asked for")

// spoken refuses an answer in another protocol than the one asked for, and one
// whose status is none.
func (c *Client) spoken(resp *http.Response) error {
	if resp.StatusCode < 100 {
		return fmt.Errorf("malformed status %d", resp.StatusCode) // HTTP/2 lets any number pass
	}
	if c.overHTTP2() && resp.ProtoMajor != 2 {
		return fmt.Errorf("%w, the target answered in %s", errNotHTTP2, resp.Proto)
	}
	return nil
}

// addresses is where connections are opened to: the proxy, where there is one.
func (c *Client) addresses() []string {
	if c.cfg.Proxy != nil {
		return []string{hostPort(c.cfg.Proxy)}
	}
	var list []string
	for _, u := range c.urls {
		list = append(list, hostPort(u))
	}
	return list
}

// ParseProxy reads the address of a proxy.
func ParseProxy(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || defaultPorts[u.Scheme] == "" {
		return nil, fmt.Errorf("target.proxy %q: want http://HOST[:PORT], https://… or socks5://…", redactedURL(raw))
	}
	return u, nil
}

// defaultPorts are those that net/http uses for an address without one.
var defaultPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// lostStream reports whether err says that the server gave up a stream of HTTP/2,
// or the connection under it. net/http has no types for what went wrong, only words.
func lostStream(err error) bool { return saysAny(err, lostWords) }

// overflowed reports whether net/http gave an answer up because its head or its
// trailer is too long.
func overflowed(err error) bool { return saysAny(err, overflowWords) }

func saysAny(err error, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(words string) bool { return strings.Contains(err.Error(), words) })
}

// lostWords end a stream from the other side. A stream that net/http itself has
// ended, because the server broke the rules, is not among them.
var lostWords = []string{"received from peer", "GOAWAY", "http2: client connection lost"}

var overflowWords = []string{
	"server response headers exceeded",                  // HTTP/1.1, interim answers counted
	"response header list larger than advertised limit", // HTTP/2
	"header list too large",                             // the same, of interim answers
	"suspiciously long trailer after chunked body",
}

// failedHandshake reports whether TLS could not be agreed on: no connection came
// about.
func failedHandshake(err error) bool {
	var untrusted *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var alert tls.AlertError
	if errors.As(err, &alert) {
		return slices.Contains(handshakeAlerts, alert)
	}
	return errors.As(err, &untrusted) || errors.As(err, &notTLS)
}

// handshakeAlerts are the alerts of RFC 8446, section 6.2, that refuse a
// connection: handshake failure, those about certificates, versions and names,
// and the lack of a common protocol. Others end one that was there.
var handshakeAlerts = []tls.AlertError{40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 70, 71, 112, 116, 120}
