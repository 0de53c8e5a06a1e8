package launch

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"time"

	"assay/door"
)

// What goes between leader and followers decides what runs on their hosts, so it goes
// through TLS in which each side has a key that follows from the job's secret, and
// takes no other key from the other side. Nobody can be in between, nothing of the
// secret is said, and what was heard once opens nothing later.

// A side of the channel. It is part of the key, so that nobody who has talked to the
// one can pass for the other.
type side string

const (
	leading   side = "leader"
	following side = "follower"
)

// channelVersion is part of every key: sides that would not understand each other do
// not meet.
const channelVersion = "assay-launch/2"

// key is that of one side of a job.
func (s side) key(secret, job string) (ed25519.PrivateKey, error) {
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, channelVersion+"\n"+string(s)+"\n"+job, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// channel is how one side of a job speaks TLS.
func (s side) channel(secret, job string) (*tls.Config, error) {
	if err := door.CheckSecret(secret); err != nil {
		return nil, err
	}
	other := leading
	if s == leading {
		other = following
	}
	own, err := s.key(secret, job)
	if err != nil {
		return nil, err
	}
	theirs, err := other.key(secret, job)
	if err != nil {
		return nil, err
	}
	certificate, err := selfSigned(own)
	if err != nil {
		return nil, fmt.Errorf("a certificate for the %s: %w", s, err)
	}
	want := theirs.Public().(ed25519.PublicKey)
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAnyClientCert,
		// No authority vouches for either side: the one key that is right is known.
		InsecureSkipVerify:     true,
		VerifyConnection:       func(state tls.ConnectionState) error { return pinned(state, want) },
		SessionTicketsDisabled: true, // every connection proves itself
	}, nil
}

// pinned holds the other side's key against the one that it must have. That it has
// the private half, the handshake shows.
func pinned(state tls.ConnectionState, want ed25519.PublicKey) error {
	if len(state.PeerCertificates) == 0 {
		return door.ErrStranger
	}
	got, ok := state.PeerCertificates[0].PublicKey.(ed25519.PublicKey)
	if !ok || !bytes.Equal(got, want) {
		return door.ErrStranger
	}
	return nil
}

// selfSigned wraps a key, as TLS wants it. Nobody reads anything else of it.
func selfSigned(key ed25519.PrivateKey) (tls.Certificate, error) {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
