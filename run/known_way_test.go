package run

import (
	"net/url"
	"testing"

	"assay/target"
	"assay/target/fidelity"
)

// The calibration goes the way that the run goes.
func TestKnownWay(t *testing.T) {
	f := func(api string, http2 bool, want string, urls ...string) {
		t.Helper()
		dialect, err := target.Find(api)
		if err != nil {
			t.Fatal(err)
		}
		if got := (connection{client: target.Config{URLs: urls, HTTP2: http2}, dialect: dialect}).way(); got != want {
			t.Errorf("%s, HTTP/2 %v, %v: way %q, want %q", api, http2, urls, got, want)
		}
	}
	f("openai-chat", false, "", "http://a")
	f("openai-chat", false, fidelity.OverTLS, "https://a")
	f("openai-chat", false, fidelity.OverTLS, "http://a", "https://b")
	f("openai-chat", true, fidelity.OverHTTP2, "http://a")
	f("openai-chat", true, fidelity.OverHTTP2TLS, "https://a")
	f("kserve-grpc", false, fidelity.OverHTTP2TLS, "https://a")
	if got := readerFor(target.Config{Proxy: &url.URL{Host: "p"}}); got != target.ReadNetHTTP {
		t.Errorf("through a proxy the calibration is read by %q, the run by %q", got, target.ReadNetHTTP)
	}
}
