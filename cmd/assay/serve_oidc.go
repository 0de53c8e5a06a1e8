package main

import (
	"fmt"
	"log/slog"
	"net/url"

	"assay/server/signin"
)

// issuers are those that the file of --oidc names; nil without one. The server goes by the
// name to which they send people back.
func (s *serveCall) issuers(env Env, log *slog.Logger) (*signin.Issuers, error) {
	if s.oidc == "" {
		return nil, nil
	}
	settings, err := signin.Read(s.oidc, lookupIn(env))
	if err != nil {
		return nil, usageError(fmt.Errorf("--oidc: %w", err))
	}
	if at, err := url.Parse(settings.URL); err == nil && at.Host != "" {
		s.hosts = append(s.hosts, at.Hostname())
	}
	return signin.New(settings, signin.Options{Log: log}), nil
}
