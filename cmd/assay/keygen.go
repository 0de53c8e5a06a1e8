package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/bundle"
)

// A newKeys names a pair of keys and the files that hold it.
type newKeys struct {
	KeyID   string `json:"keyID"`
	Private string `json:"private"`
	Public  string `json:"public"`
}

func keygenCommand(env Env) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "keygen",
		Short: "Make a key to sign runs with",
		Long: `Keygen makes an ed25519 key pair: the private key, readable by its owner alone,
and beside it the public key with the suffix .pub, to be given to those who
verify. It never overwrites a file.`,
		Args: exactArgs(0, "none; name the file with --out"),
		RunE: func(*cobra.Command, []string) error {
			public, err := newKeyPair(out)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, newKeys{public.ID, out, out + ".pub"})
			}
			fmt.Fprintf(env.Stdout, "key      %s\nprivate  %s (keep it secret; assay run --key %s signs)\npublic   %s.pub (give it away; assay verify --key %s.pub trusts)\n",
				public.ID, out, out, out, out)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "assay.key", "file of the private key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	return cmd
}

// newKeyPair makes a key at path and path.pub.
func newKeyPair(path string) (bundle.PublicKey, error) {
	key, err := bundle.GenerateKey()
	if err != nil {
		return bundle.PublicKey{}, err
	}
	private, err := key.PEM()
	if err != nil {
		return bundle.PublicKey{}, err
	}
	if err := writeKeyFile(path, private, 0o600); err != nil {
		return bundle.PublicKey{}, err
	}
	if err := writeKeyFile(path+".pub", key.Public().PEM(), 0o644); err != nil {
		// Half a pair is of no use to anybody.
		return bundle.PublicKey{}, errors.Join(err, os.Remove(path))
	}
	return key.Public(), nil
}

// writeKeyFile writes a file that must not exist yet.
func writeKeyFile(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: a key is never overwritten; name another file with --out", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
