// Package simtest serves simulators to the tests of other packages.
package simtest

import (
	"errors"
	"net"
	"net/http"
	"testing"

	"assay/sim"
)

// Serve runs a simulator on loopback until the test ends and returns its URL.
func Serve(t testing.TB, cfg sim.Config) string {
	t.Helper()
	server, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Close
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}
