package main

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/bundle"
)

// continues takes the run from the bundle of one that was interrupted. A bundle that
// a kill left open is sealed first, as assay recover does. The new bundle stands
// beside the old one unless elsewhere says that another folder was asked for.
func (j *job) continues(ctx context.Context, env Env, dir string, elsewhere bool) error {
	if err := bundleDir(dir); err != nil {
		return err
	}
	signer, err := loadSigner(j.keyFile)
	if err != nil {
		return usageError(err)
	}
	if err := sealFirst(ctx, env, dir, signer); err != nil {
		return err
	}
	var trust bundle.Trust
	if signer != nil { // whoever signs vouches for what is carried over too
		trust.Required = []bundle.PublicKey{signer.Public()}
	}
	b, err := bundle.OpenVerified(dir, trust)
	if err != nil {
		return err
	}
	if !b.Seal.Verified {
		return &bundle.SealError{Seal: *b.Seal}
	}
	if j.source, err = b.ReadSealed(bundle.SpecFile); err != nil {
		return err
	}
	j.resume = b
	if !elsewhere {
		j.out = filepath.Join(dir, "..")
	}
	return nil
}

// sealFirst seals what a killed run left, and leaves a sealed bundle alone.
func sealFirst(ctx context.Context, env Env, dir string, signer bundle.Signer) error {
	before, err := bundle.Open(dir)
	if err != nil || before.Sealed {
		return err
	}
	m, err := bundle.Recover(ctx, dir, bundle.SealOptions{Signer: signer})
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "sealed run %s as %s: it had been killed\n", m.RunID, m.Status)
	return nil
}
