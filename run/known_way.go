package run

import (
	"slices"
	"strings"

	"assay/target"
	"assay/target/fidelity"
)

// way is how the simulator is to be reached so that its stream is read as the
// target's is: over TLS where any of the URLs asks for it, over HTTP/2 where the
// target does.
func (c connection) way() string {
	secure := slices.ContainsFunc(c.client.URLs, func(url string) bool { return strings.HasPrefix(url, "https://") })
	switch http2 := target.OverHTTP2(c.client, c.dialect); {
	case secure && http2:
		return fidelity.OverHTTP2TLS
	case http2:
		return fidelity.OverHTTP2
	case secure:
		return fidelity.OverTLS
	}
	return ""
}

// readerFor is how the run reads its target: through a proxy by Go's own client.
func readerFor(cfg target.Config) string {
	if cfg.Proxy != nil {
		return target.ReadNetHTTP
	}
	return cfg.Reader
}
