package run

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"assay/record"
)

// What goes wrong with every request is told with what to do about it.
func TestFailureAdvice(t *testing.T) {
	f := func(r record.Request, want string) {
		t.Helper()
		if got := failureAdvice(r); !strings.Contains(got, want) {
			t.Errorf("%s %d: %q lacks %q", r.Result, r.Status, got, want)
		}
	}
	f(record.Request{Result: record.Connect}, "can be reached")
	f(record.Request{Result: record.HTTPError, Status: 401}, "target.auth")
	f(record.Request{Result: record.HTTPError, Status: 403}, "target.auth")
	f(record.Request{Result: record.HTTPError, Status: 404}, "target.model")
	f(record.Request{Result: record.HTTPError, Status: 422}, "target.extraBody")
	f(record.Request{Result: record.HTTPError, Status: 429}, "load.rate")
	f(record.Request{Result: record.HTTPError, Status: 500}, "server's log")
	f(record.Request{Result: record.IdleTime}, "target.idleTimeout")
	f(record.Request{Result: record.TooLarge, Status: 500}, "target.answerLimit")
	f(record.Request{Result: record.Dropped}, "load.maxInFlight")
}

// The advice goes by the cause, however deep it lies.
func TestReachAdvice(t *testing.T) {
	f := func(err error, want string) {
		t.Helper()
		if got := reachAdvice(fmt.Errorf("dial: %w", err)); !strings.Contains(got, want) {
			t.Errorf("%v: %q lacks %q", err, got, want)
		}
	}
	f(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x"}}, "name resolution")
	f(x509.UnknownAuthorityError{}, "target.tls.caFile")
	f(x509.CertificateInvalidError{Reason: x509.Expired}, "clock")
	f(x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}, "target.tls")
	f(x509.HostnameError{}, "target.tls.serverName")
	f(context.DeadlineExceeded, "firewall")
	f(errors.New("something else"), "target.url")
}
