package target

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ociCredentials reads the profile of Oracle's configuration file. A profile
// inherits what DEFAULT says.
func ociCredentials(h Host) (Credentials, error) {
	path := h.path("OCI_CLI_CONFIG_FILE", ".oci", "config")
	if other := h.first("OCI_CONFIG_FILE"); other != "" {
		path = other
	}
	profile := h.first("OCI_CLI_PROFILE", "OCI_CONFIG_PROFILE")
	values := h.section(path, "DEFAULT")
	if profile != "" && profile != "DEFAULT" {
		own := h.section(path, profile)
		if len(own) == 0 {
			return Credentials{}, fmt.Errorf("no profile %q for OCI in %s", profile, path)
		}
		maps.Copy(values, own)
	}
	if values["key_file"] == "" {
		return Credentials{}, fmt.Errorf("no credentials for OCI: want tenancy, user, fingerprint and key_file in %s", path)
	}
	file := h.inHome(values["key_file"])
	data, err := h.ReadFile(file)
	if err != nil {
		return Credentials{}, fmt.Errorf("key_file of %s: %w", path, err)
	}
	key, err := rsaKey(data)
	if err != nil {
		return Credentials{}, fmt.Errorf("key_file %s of OCI: %w", file, err)
	}
	id := values["tenancy"] + "/" + values["user"] + "/" + values["fingerprint"]
	secrets := []string{string(data)}
	if session := values["security_token_file"]; session != "" {
		token, err := h.ReadFile(h.inHome(session))
		if err != nil {
			return Credentials{}, fmt.Errorf("security_token_file of %s: %w", path, err)
		}
		id = "ST$" + strings.TrimSpace(string(token))
		secrets = append(secrets, strings.TrimSpace(string(token)))
	}
	return Credentials{Sign: ociSigner{id: id, key: key, now: h.Now}, Secrets: secrets}, nil
}

// rsaKey reads a private key in PEM form.
func rsaKey(data []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("holds no key in PEM form")
	}
	if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
		return nil, errors.New("the key is encrypted; want one without a pass phrase")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	if key, ok := key.(*rsa.PrivateKey); ok {
		return key, nil
	}
	return nil, fmt.Errorf("the key is a %T, want RSA", key)
}

// ociSigner signs requests as Oracle's services want it: HTTP signatures with
// RSA, the body by its digest.
type ociSigner struct {
	id  string
	key *rsa.PrivateKey
	now func() time.Time
}

var _ Signer = ociSigner{}

const ociSigned = "date (request-target) host content-length content-type x-content-sha256"

// Sign implements Signer.
func (s ociSigner) Sign(r *http.Request, body []byte) error {
	sum := sha256.Sum256(body)
	r.Header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	r.Header.Set("X-Content-Sha256", base64.StdEncoding.EncodeToString(sum[:]))
	digest := sha256.Sum256([]byte(ociText(r, len(body))))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return fmt.Errorf("sign for OCI: %w", err)
	}
	r.Header.Set("Authorization", fmt.Sprintf(`Signature version="1",keyId="%s",algorithm="rsa-sha256",headers="%s",signature="%s"`,
		s.id, ociSigned, base64.StdEncoding.EncodeToString(signature)))
	return nil
}

// ociText is what is signed: a line for each of ociSigned, in its order.
func ociText(r *http.Request, length int) string {
	return strings.Join([]string{
		"date: " + r.Header.Get("Date"),
		"(request-target): " + strings.ToLower(r.Method) + " " + r.URL.RequestURI(),
		"host: " + r.Host,
		"content-length: " + strconv.Itoa(length),
		"content-type: " + r.Header.Get("Content-Type"),
		"x-content-sha256: " + r.Header.Get("X-Content-Sha256"),
	}, "\n")
}
