package bundle

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
)

// A Signer signs for one key. KeySigner signs with a key from a file; keyless
// signing, where a certificate authority vouches for a short-lived key, would be
// one more file with one more Signer.
type Signer interface {
	Sign(ctx context.Context, data []byte) ([]byte, error)
	Public() PublicKey
}

var _ Signer = KeySigner{}

// A PublicKey is an ed25519 key that can check signatures.
type PublicKey struct {
	// ID is the hex SHA-256 of the key's DER form, as
	// "openssl pkey -pubin -in FILE -outform der | sha256sum" prints it.
	ID  string
	Key ed25519.PublicKey
	der []byte
}

const (
	publicBlock  = "PUBLIC KEY"
	privateBlock = "PRIVATE KEY"
)

func newPublicKey(key ed25519.PublicKey) (PublicKey, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return PublicKey{}, err
	}
	return PublicKey{ID: hexSHA256(der), Key: key, der: der}, nil
}

// ParsePublicKey reads the PEM text of a public key, as assay keygen writes it.
func ParsePublicKey(text []byte) (PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != publicBlock {
		return PublicKey{}, errors.New("not a public key: want a PEM block PUBLIC KEY, as assay keygen writes to its .pub file")
	}
	return parsePublicDER(block.Bytes)
}

func parsePublicDER(der []byte) (PublicKey, error) {
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return PublicKey{}, fmt.Errorf("not a public key: %w", err)
	}
	ed, ok := key.(ed25519.PublicKey)
	if !ok {
		return PublicKey{}, fmt.Errorf("got a key of type %T, want ed25519: make one with assay keygen", key)
	}
	return newPublicKey(ed)
}

// PEM is the text of a .pub file.
func (k PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: k.der})
}

func (k PublicKey) base64() string { return base64.StdEncoding.EncodeToString(k.der) }

// A KeySigner signs with an ed25519 key.
type KeySigner struct {
	key    ed25519.PrivateKey
	public PublicKey
}

// GenerateKey makes a new key.
func GenerateKey() (KeySigner, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return KeySigner{}, err
	}
	return newKeySigner(key)
}

func newKeySigner(key ed25519.PrivateKey) (KeySigner, error) {
	public, err := newPublicKey(key.Public().(ed25519.PublicKey))
	return KeySigner{key, public}, err
}

// ParseKey reads the PEM text of a private key, as assay keygen writes it.
func ParseKey(text []byte) (KeySigner, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != privateBlock {
		return KeySigner{}, errors.New("not a private key: want a PEM block PRIVATE KEY (PKCS #8), as assay keygen writes")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return KeySigner{}, fmt.Errorf("not a private key: %w", err)
	}
	ed, ok := key.(ed25519.PrivateKey)
	if !ok {
		return KeySigner{}, fmt.Errorf("got a key of type %T, want ed25519: make one with assay keygen", key)
	}
	return newKeySigner(ed)
}

// PEM is the text of the private key's file.
func (s KeySigner) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der}), nil
}

// Sign implements Signer.
func (s KeySigner) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(s.key, data), nil
}

// Public implements Signer.
func (s KeySigner) Public() PublicKey { return s.public }

// ParsePublicKeys reads the PEM texts of public keys that stand one after the other.
func ParsePublicKeys(text []byte) (keys []PublicKey, err error) {
	for len(bytes.TrimSpace(text)) > 0 {
		key, err := ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", len(keys)+1, err)
		}
		keys = append(keys, key)
		_, text = pem.Decode(text)
	}
	return keys, nil
}
