package target

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"assay/record"
)

// A target with TLS is read over HTTP/2 when asked, by whom the record says.
func TestTLS(t *testing.T) {
	protocol := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol <- r.Proto
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, whole)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, w := range ways {
		if !w.tls {
			continue
		}
		c := newClient(t, server.URL, func(cfg *Config) {
			cfg.TLS, cfg.HTTP2, cfg.Reader = &tls.Config{RootCAs: roots}, w.http2, w.reader
		})
		r, _ := ask1(t, t.Context(), c)
		if got := <-protocol; got != w.want || r.Result != record.OK || r.Stamps != w.stamps() || r.TLS == nil {
			t.Errorf("%s: spoke %s, outcome %q (%s), stamped by %q; want %s, ok, %s", w.name, got, r.Result, r.Error, r.Stamps, w.want, w.stamps())
		}
	}
}
