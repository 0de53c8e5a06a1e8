package secret

import "net/http"

// mostRedirects is how many a question follows, as net/http itself does.
const mostRedirects = 10

// SameHost is the CheckRedirect of every client that may carry a key: a redirect
// within the scheme and host that were given is followed (engines send /metrics to
// /metrics/), and any other is the answer itself. net/http takes only Authorization
// and cookies off a request for another host, not the headers that hold keys here.
func SameHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || len(via) >= mostRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}
