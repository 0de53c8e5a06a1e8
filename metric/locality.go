package metric

import (
	"net/netip"
	"net/url"

	"assay/spec"
)

// Here reports whether the target runs on the host that did the measuring: only
// then are the accelerators and processors that were read beside the run its own.
// An address that is not a loopback one counts as elsewhere, for whose host it
// names is not in the records.
func Here(t *spec.Target) bool {
	if t == nil {
		return false
	}
	if t.Server != nil {
		return true
	}
	urls := t.URLs
	if len(urls) == 0 {
		urls = []string{t.URL}
	}
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return false
		}
		if u.Hostname() == "localhost" {
			continue
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err != nil || !ip.IsLoopback() {
			return false
		}
	}
	return true
}
