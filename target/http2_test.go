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

// A target with TLS is read by net/http, with HTTP/2 when asked, and says so.
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
	for _, tt := range []struct {
		http2 bool
		want  string
	}{{false, "HTTP/1.1"}, {true, "HTTP/2.0"}} {
		c := newClient(t, server.URL, func(cfg *Config) {
			cfg.TLS, cfg.HTTP2 = &tls.Config{RootCAs: roots}, tt.http2
		})
		r, _ := ask1(t, t.Context(), c)
		if got := <-protocol; got != tt.want || r.Result != record.OK || r.Stamps != ReadNetHTTP || r.TLS == nil {
			t.Errorf("HTTP/2 %v: spoke %s, outcome %q (%s), stamped by %q; want %s, ok, net/http", tt.http2, got, r.Result, r.Error, r.Stamps, tt.want)
		}
	}
}
