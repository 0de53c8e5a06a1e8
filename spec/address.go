package spec

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Address is where a target answers, in one spelling of many.
func (t *Target) Address() string {
	list := []string{plainAddress(t.URL)}
	for _, u := range t.URLs {
		list = append(list, plainAddress(u))
	}
	slices.Sort(list[1:])
	return strings.Join(list, " ")
}

// plainAddress writes this machine as 127.0.0.1, leaves out what HTTP takes for granted, and
// keeps what it cannot read.
func plainAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[scheme] {
		host = net.JoinHostPort(host, port)
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}
