package fidelity

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"

	"assay/target"
)

// Ways to reach the simulator other than plain HTTP/1.1, named beside the
// readers. Go's own client reads them all.
const (
	OverTLS      = "tls"
	OverHTTP2    = "http2"
	OverHTTP2TLS = "http2+tls"
)

// Ways lists them.
var Ways = []string{OverTLS, OverHTTP2, OverHTTP2TLS}

// A way is what client and simulator must be told to meet.
type way struct {
	reader string
	label  string   // after the name of what stamped
	server []string // more arguments of the simulator
	client []string // more arguments of the client
}

// wayOf is the way of a reader or of one of Ways; dir takes the certificate.
func wayOf(name, dir string) way {
	authority := filepath.Join(dir, "ca.pem")
	switch name {
	case OverTLS:
		return way{target.ReadNetHTTP, " over TLS", []string{"--tls", "--ca-file", authority}, []string{"--ca-file", authority}}
	case OverHTTP2:
		return way{target.ReadNetHTTP, " over HTTP/2", []string{"--http2"}, []string{"--http2"}}
	case OverHTTP2TLS:
		return way{target.ReadNetHTTP, " over HTTP/2 and TLS",
			[]string{"--tls", "--ca-file", authority, "--http2"}, []string{"--ca-file", authority, "--http2"}}
	}
	return way{reader: name}
}

// tls is how the client trusts the simulator; nil where there is no TLS.
func (l Load) tls() (*tls.Config, error) {
	if l.CAFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(l.CAFile)
	if err != nil {
		return nil, err
	}
	cfg := &tls.Config{RootCAs: x509.NewCertPool()}
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", l.CAFile)
	}
	return cfg, nil
}
