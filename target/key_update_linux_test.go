package target

import (
	"bufio"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// OpenSSL changes its keys in the middle of an answer and asks for ours: crypto/tls
// answers from the reading thread, and the stream goes on.
func TestKeyUpdate(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed: apt-get install openssl")
	}
	certificate, key := writeCertificate(t)
	server := exec.CommandContext(t.Context(), openssl, "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-tls1_3", "-msg")
	commands, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	lines := bufio.NewScanner(said)
	await := func(parts ...string) string {
		for lines.Scan() {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(lines.Text(), part) }) {
				return lines.Text()
			}
		}
		t.Errorf("openssl never said %q", parts)
		return ""
	}
	_, address, _ := strings.Cut(await("ACCEPT"), " ")
	c := newClient(t, "https://"+address, func(cfg *Config) { cfg.TLS = authority(t).client })
	answer := make(chan record.Request, 1)
	go func() { // ends with the answer
		r, _ := ask1(t, t.Context(), c)
		answer <- r
	}()
	await("Content-Length:") // the request is there
	body := helloEvent + worldEvent + finishEvent
	fmt.Fprintf(commands, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), helloEvent)
	time.Sleep(200 * time.Millisecond) // a command is what begins a read
	fmt.Fprint(commands, "K\n")
	await(">>>", "KeyUpdate")
	await("<<<", "KeyUpdate") // the client's own
	fmt.Fprint(commands, worldEvent+finishEvent)
	if r := <-answer; r.Result != record.OK || r.Text != "hé world" || r.Stamps != ReadKernel {
		t.Errorf("outcome %q (%s), text %q, stamped by %s", r.Result, r.Error, r.Text, r.Stamps)
	}
}

// writeCertificate puts the certificate of the tests into files.
func writeCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pair := authority(t).server.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		key:         {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}
