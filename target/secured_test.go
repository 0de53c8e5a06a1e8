package target

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"sync"
	"testing"

	"assay/sim"
)

// tlsVariable makes the servers of the tests speak TLS. It is in the environment so
// that the tests of plain connections can be run over TLS as they are.
const tlsVariable = "ASSAY_TEST_TLS"

// overBoth runs a test over plain connections and over TLS.
func overBoth(t *testing.T, run func(*testing.T)) {
	t.Run("plain", run)
	t.Run("TLS", func(t *testing.T) {
		t.Setenv(tlsVariable, "1")
		run(t)
	})
}

// listen opens a listener, and returns what clients call it.
func listen(t *testing.T) (net.Listener, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	if os.Getenv(tlsVariable) == "" {
		return listener, "http://" + listener.Addr().String()
	}
	return tls.NewListener(listener, authority(t).server), "https://" + listener.Addr().String()
}

// trust is a server's certificate and a client's trust in it.
type trust struct{ server, client *tls.Config }

// authority is the one of all tests.
func authority(t testing.TB) trust {
	t.Helper()
	made, err := makeTrust()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

var makeTrust = sync.OnceValues(func() (trust, error) {
	server, pem, err := sim.SelfSigned()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return trust{server, &tls.Config{RootCAs: roots}}, err
})
