package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"assay/sim"
)

// secure makes the simulator's certificate and writes it where clients find it.
// The returned function takes away a file that nobody named.
func secure(cfg *sim.Config, opts *simOptions) (remove func(), err error) {
	host, _, err := net.SplitHostPort(opts.addr)
	if err != nil {
		return nil, usageError(fmt.Errorf("--addr %s: %w", opts.addr, err))
	}
	names := []string{host}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	var authority []byte
	if cfg.TLS, authority, err = sim.SelfSigned(names...); err != nil {
		return nil, err
	}
	remove = func() {}
	if opts.caFile == "" {
		opts.caFile = filepath.Join(os.TempDir(), fmt.Sprintf("assay-sim-%d-ca.pem", os.Getpid()))
		remove = func() { _ = os.Remove(opts.caFile) } // a file in the temporary folder does no harm
	}
	if err := os.WriteFile(opts.caFile, authority, 0o644); err != nil {
		return nil, fmt.Errorf("--ca-file: %w", err)
	}
	return remove, nil
}
