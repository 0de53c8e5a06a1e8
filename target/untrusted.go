package target

import (
	"crypto/tls"
	"errors"
)

// untrusted reports whether the TLS handshake failed: no request was made.
func untrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &certificate) || errors.As(err, &header) || errors.As(err, &alert)
}
