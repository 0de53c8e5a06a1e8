package fidelity

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
)

// Ways to reach the simulator other than plain HTTP/1.1.
const (
	OverTLS      = "tls"
	OverHTTP2    = "http2"
	OverHTTP2TLS = "http2+tls"
)

// Over names a reader that reaches the simulator in one of these ways, as Bench.Trial
// takes it.
func Over(reader, way string) string { return reader + over + way }

const over = " over "

// A way is what client and simulator must be told to meet.
type way struct {
	label  string // after the name of what stamped
	caFile string // whose certificate to trust; empty without TLS
	http2  bool
	server []string // more arguments of the simulator
	client []string // more arguments of the client
}

// wayOf is one of the ways, plain HTTP/1.1 if it is empty; dir takes the certificate.
func wayOf(name, dir string) way {
	authority := filepath.Join(dir, "ca.pem")
	secure := []string{"--tls", "--ca-file", authority}
	switch name {
	case OverTLS:
		return way{" over TLS", authority, false, secure, secure[1:]}
	case OverHTTP2:
		return way{" over HTTP/2", "", true, []string{"--http2"}, []string{"--http2"}}
	case OverHTTP2TLS:
		both := append(secure, "--http2")
		return way{" over HTTP/2 and TLS", authority, true, both, both[1:]}
	}
	return way{}
}

// trust is a configuration that trusts the certificate in file; nil for no file.
func trust(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cfg := &tls.Config{RootCAs: x509.NewCertPool()}
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return cfg, nil
}
