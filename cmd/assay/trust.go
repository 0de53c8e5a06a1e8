package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/intake"
	"assay/judge"
	"assay/judge/pair"
)

// trustFlags are how the reader of a bundle says whom it trusts.
type trustFlags struct {
	keys []string // files of public keys, one of which must have signed
	ids  []string // the same, as key ids
}

func (t *trustFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&t.keys, "key", nil, "public key that must have signed (repeatable); see assay keygen")
}

// show opens a bundle to show it, also one that does not verify: what is made of it
// then says so before anything else.
func (t trustFlags) show(env Env, dir string) (*judge.Judgement, error) {
	return t.open(env, dir, judge.Options{Unverified: true})
}

// decide opens a bundle to conclude something from it. One that does not verify is
// refused, and figures that no trusted key signed are derived again.
func (t trustFlags) decide(env Env, dir string) (*judge.Judgement, error) {
	return t.open(env, dir, judge.Options{Derive: true})
}

// newReader opens the bundles of one call that concludes something from several.
func newReader(env Env, trust trustFlags) pair.Reader {
	return pair.NewReader(func(dir string) (*judge.Judgement, error) { return trust.decide(env, dir) })
}

func (t trustFlags) open(env Env, dir string, o judge.Options) (*judge.Judgement, error) {
	if err := bundleDir(dir); err != nil {
		return nil, err
	}
	var err error
	if o.Trust, err = t.trust(env); err != nil {
		return nil, err
	}
	o.Version = version()
	return judge.Open(dir, o)
}

// trust gathers the keys that the flags demand and those that the reader's own trust
// file names.
func (t trustFlags) trust(env Env) (bundle.Trust, error) {
	required, err := loadPublicKeys(t.keys)
	if err != nil {
		return bundle.Trust{}, usageError(err)
	}
	for _, id := range t.ids {
		required = append(required, bundle.PublicKey{ID: id})
	}
	known, err := trustedKeys(env)
	return bundle.Trust{Required: required, Known: known}, err
}

// trustFileVariable names another trust file than the one in the user's
// configuration.
const trustFileVariable = "ASSAY_TRUSTED_KEYS"

// trustedKeys reads the reader's trust file: public keys, one PEM block after the
// other. No file means that nobody is trusted yet.
func trustedKeys(env Env) ([]bundle.PublicKey, error) {
	path, named := trustFile(env)
	if path == "" {
		return nil, nil
	}
	text, err := intake.ReadFile(path, mostList)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, usageError(fmt.Errorf("trust file: %w", err))
	}
	keys, err := bundle.ParsePublicKeys(text)
	if err != nil {
		return nil, usageError(fmt.Errorf("trust file %s: %w", path, err))
	}
	return keys, nil
}

// trustFile is where the reader keeps the keys that it trusts, and whether the
// environment names the place itself.
func trustFile(env Env) (path string, named bool) {
	lookup := lookupIn(env)
	if path, ok := lookup(trustFileVariable); ok && path != "" {
		return path, true
	}
	config, _ := lookup("XDG_CONFIG_HOME")
	if home, _ := lookup("HOME"); config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config == "" {
		return "", false
	}
	return filepath.Join(config, "assay", "trusted_keys.pem"), false
}
