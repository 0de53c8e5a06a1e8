package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/tests/whole"
)

// An authority signs certificates and has its own in a file.
type authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return authority{file, cert, key}
}

// secure serves completions with a certificate for name that ends when it ends.
func (a authority) secure(t *testing.T, name string, ends time.Time) (url string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{name},
		NotBefore: ends.Add(-2 * time.Hour), NotAfter: ends, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refusals are what is tested
	server.StartTLS()
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

// A target that cannot be reached is told before anything is measured, with what
// to do about it; one that is trusted is measured.
func TestUnreachable(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	later := time.Now().Add(time.Hour)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tests := []struct {
		name, target string
		words        []string // none means that the run is made
	}{
		{"trusted", fmt.Sprintf("{url: %q, tls: {caFile: %q}}", ours.secure(t, "localhost", later), ours.file), nil},
		{"other name expected", fmt.Sprintf("{url: %q, tls: {caFile: %q, serverName: model.example}}", ours.secure(t, "model.example", later), ours.file), nil},
		{"unknown authority", fmt.Sprintf("{url: %q, tls: {caFile: %q}}", theirs.secure(t, "localhost", later), ours.file),
			[]string{"unknown authority", "set target.tls.caFile"}},
		{"expired", fmt.Sprintf("{url: %q, tls: {caFile: %q}}", ours.secure(t, "localhost", time.Now().Add(-time.Minute)), ours.file),
			[]string{"expired", "renew the server's certificate, or set this machine's clock right"}},
		{"name mismatch", fmt.Sprintf("{url: %q, tls: {caFile: %q}}", ours.secure(t, "model.example", later), ours.file),
			[]string{"model.example, not localhost", "set target.tls.serverName"}},
		{"no TLS there", fmt.Sprintf("{url: %q}", strings.Replace(plain.URL, "http:", "https:", 1)),
			[]string{"the server does not speak TLS: use http://"}},
		{"no such name", `{url: "http://no-such-host.invalid:8000"}`, []string{"no-such-host.invalid", "correct the host in target.url"}},
		{"nobody listens", fmt.Sprintf("{url: %q}", "http://"+freeAddress(t)), []string{"connection refused", "start the server"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "run.yaml")
			text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: reach},
spec: {workload: {model: m}, target: %s, load: {concurrency: [1], requests: 5, warmup: {}}}}`, tt.target)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, stderr, code := call(t, "run", file, "--out", filepath.Join(dir, "runs"))
			if want := map[bool]int{true: exitOK, false: exitFailed}[tt.words == nil]; code != want {
				t.Errorf("exit %d, want %d\n%s", code, want, stderr)
			}
			for _, word := range tt.words {
				if !strings.Contains(stderr, word) {
					t.Errorf("the story lacks %q:\n%s", word, stderr)
				}
			}
			if made, _ := filepath.Glob(filepath.Join(dir, "runs", "*")); (len(made) == 1) != (tt.words == nil) {
				t.Errorf("bundles %v", made)
			}
		})
	}
}
