package generator

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Credentials let one process join a run as one of its generators. They hold a private
// key: they go to the process by a private channel of its launcher, and to nobody else.
type Credentials struct {
	Run         string `json:"run"`
	Number      int    `json:"number"`
	Address     string `json:"address"` // of the leader
	Authority   []byte `json:"authority"`
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// mostCredentials bounds what a generator reads: certificates have some hundred bytes.
const mostCredentials = 64 << 10

// ParseCredentials reads what Leader.Credentials wrote.
func ParseCredentials(data []byte) (c Credentials, err error) {
	if len(data) > mostCredentials {
		return c, fmt.Errorf("credentials of %d bytes, want at most %d", len(data), mostCredentials)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("credentials of a load generator: %w", err)
	}
	if c.Address == "" || len(c.Key) == 0 {
		return c, errors.New("credentials of a load generator: want an address and a key")
	}
	return c, nil
}

// leaderName is the name in the leader's certificate; generators have their number.
const leaderName = "leader.assay"

func generatorName(number int) string { return fmt.Sprintf("generator-%d.assay", number) }

// numberOf is the number in the name of a generator's certificate.
func numberOf(cert *x509.Certificate) (int, bool) {
	if len(cert.DNSNames) != 1 {
		return 0, false
	}
	text, ok := strings.CutPrefix(cert.DNSNames[0], "generator-")
	number, err := strconv.Atoi(strings.TrimSuffix(text, ".assay"))
	return number, ok && err == nil && generatorName(number) == cert.DNSNames[0]
}

// An authority makes the certificates of one run. Its key is in memory alone and is gone
// with the run, and so is the worth of everything it signed.
type authority struct {
	key  ed25519.PrivateKey
	cert *x509.Certificate
}

func newAuthority(run string) (*authority, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate(pkix.Name{CommonName: "assay", Organization: []string{run}})
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{key, cert}, err
}

// certificate is what all of them share. The wall clocks of hosts may be far apart, and
// the keys end with the run: dates protect nothing here.
func certificate(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the source of randomness never fails
	}
	now := time.Now()
	return &x509.Certificate{SerialNumber: serial, Subject: subject, NotBefore: now.AddDate(-10, 0, 0), NotAfter: now.AddDate(10, 0, 0)}
}

// issue makes the certificate and key of one side, which serves for that side alone.
func (a *authority) issue(name string, use x509.ExtKeyUsage) (der []byte, key ed25519.PrivateKey, err error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := certificate(pkix.Name{CommonName: name, Organization: a.cert.Subject.Organization})
	template.DNSNames, template.KeyUsage, template.ExtKeyUsage = []string{name}, x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{use}
	der, err = x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	return der, key, err
}

// pool holds the authority alone: no other one vouches for anybody here.
func pool(authority *x509.Certificate) *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(authority)
	return p
}

// leading is how the leader speaks TLS.
func (a *authority) leading() (*tls.Config, error) {
	der, key, err := a.issue(leaderName, x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, fmt.Errorf("a certificate for the leader: %w", err)
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:             tls.RequireAndVerifyClientCert,
		ClientCAs:              pool(a.cert),
		SessionTicketsDisabled: true, // every connection proves itself
	}, nil
}

// credentials of generator number, who finds the leader at address.
func (a *authority) credentials(run string, number int, address string) (Credentials, error) {
	der, key, err := a.issue(generatorName(number), x509.ExtKeyUsageClientAuth)
	if err != nil {
		return Credentials{}, fmt.Errorf("a certificate for load generator %d: %w", number, err)
	}
	packed, err := x509.MarshalPKCS8PrivateKey(key)
	return Credentials{Run: run, Number: number, Address: address, Authority: a.cert.Raw, Certificate: der, Key: packed}, err
}

// joining is how a generator speaks TLS.
func (c Credentials) joining() (*tls.Config, error) {
	authority, err := x509.ParseCertificate(c.Authority)
	if err != nil {
		return nil, fmt.Errorf("credentials of a load generator: authority: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(c.Key)
	if err != nil {
		return nil, fmt.Errorf("credentials of a load generator: key: %w", err)
	}
	if _, ok := key.(crypto.Signer); !ok {
		return nil, errors.New("credentials of a load generator: the key signs nothing")
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		RootCAs:      pool(authority),
		ServerName:   leaderName,
		Certificates: []tls.Certificate{{Certificate: [][]byte{c.Certificate}, PrivateKey: key}},
	}, nil
}
