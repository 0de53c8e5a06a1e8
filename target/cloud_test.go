package target

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/record"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// fakeHost has the variables and files that are given.
func fakeHost(env, files map[string]string) Host {
	return Host{
		Lookup: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		ReadFile: func(path string) ([]byte, error) {
			if data, ok := files[path]; ok {
				return []byte(data), nil
			}
			return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
		},
		Now: func() time.Time { return noon },
	}
}

func TestAWSCredentials(t *testing.T) {
	files := map[string]string{
		"/home/u/.aws/credentials": "# keys\n[default]\naws_access_key_id = FILEID\naws_secret_access_key=filesecret\n\n[team]\naws_access_key_id=TEAMID\naws_secret_access_key=teamsecret\naws_session_token=teamtoken\n",
		"/home/u/.aws/config":      "[default]\nregion = us-west-2\n[profile team]\nregion=eu-central-1\n[profile inline]\naws_access_key_id=INID\naws_secret_access_key=insecret\n",
		"/elsewhere":               "[default]\naws_access_key_id=ELSEID\naws_secret_access_key=elsesecret\n",
	}
	tests := []struct {
		name string
		env  map[string]string
		want sigV4
	}{
		{"the file", map[string]string{}, sigV4{keyID: "FILEID", secret: "filesecret", region: "us-west-2"}},
		{"the environment before the file", map[string]string{"AWS_ACCESS_KEY_ID": "ENVID", "AWS_SECRET_ACCESS_KEY": "envsecret", "AWS_SESSION_TOKEN": "tok", "AWS_REGION": "ap-south-1"},
			sigV4{keyID: "ENVID", secret: "envsecret", token: "tok", region: "ap-south-1"}},
		{"half an environment is none", map[string]string{"AWS_ACCESS_KEY_ID": "ENVID", "AWS_SESSION_TOKEN": "tok"}, sigV4{keyID: "FILEID", secret: "filesecret", region: "us-west-2"}},
		{"a profile", map[string]string{"AWS_PROFILE": "team"}, sigV4{keyID: "TEAMID", secret: "teamsecret", token: "teamtoken", region: "eu-central-1"}},
		{"a profile of the configuration file", map[string]string{"AWS_PROFILE": "inline", "AWS_DEFAULT_REGION": "sa-east-1"}, sigV4{keyID: "INID", secret: "insecret", region: "sa-east-1"}},
		{"another file", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": "/elsewhere"}, sigV4{keyID: "ELSEID", secret: "elsesecret", region: "us-west-2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.env["HOME"] = "/home/u"
			got, err := FindCredentials("aws", fakeHost(tt.env, files))
			if err != nil {
				t.Fatal(err)
			}
			s := got.Sign.(sigV4)
			s.now, tt.want.service = nil, "bedrock"
			if !reflect.DeepEqual(s, tt.want) || got.Secrets[0] != tt.want.secret {
				t.Errorf("got %+v with %d secrets, want %+v", s, len(got.Secrets), tt.want)
			}
		})
	}
	_, err := FindCredentials("aws", fakeHost(map[string]string{"HOME": "/home/u", "AWS_PROFILE": "none"}, files))
	if err == nil || !strings.Contains(err.Error(), `"none"`) || strings.Contains(err.Error(), "filesecret") {
		t.Errorf("error %v, want one that names the profile and no secret", err)
	}
}

func TestKeyCredentials(t *testing.T) {
	f := func(cloud, variable, header, want string) {
		t.Helper()
		got, err := FindCredentials(cloud, fakeHost(map[string]string{variable: "k1"}, nil))
		if err != nil || got.Header.Get(header) != want || got.Sign != nil || len(got.Secrets) != 1 || got.Secrets[0] != "k1" {
			t.Errorf("%s from %s: %+v, %v; want %s: %s", cloud, variable, got, err, header, want)
		}
	}
	f("aws", "AWS_BEARER_TOKEN_BEDROCK", "Authorization", "Bearer k1")
	f("azure", "AZURE_OPENAI_API_KEY", "Api-Key", "k1")
	f("azure", "AZURE_OPENAI_AD_TOKEN", "Authorization", "Bearer k1")
	f("google", "GOOGLE_API_KEY", "X-Goog-Api-Key", "k1")
	f("google", "GEMINI_API_KEY", "X-Goog-Api-Key", "k1")
	f("google", "GOOGLE_OAUTH_ACCESS_TOKEN", "Authorization", "Bearer k1")
	for _, cloud := range Clouds {
		if got, err := cloud.Find(fakeHost(map[string]string{"HOME": "/"}, nil)); err == nil {
			t.Errorf("%s found %+v in an empty host", cloud.Name, got)
		}
	}
	if _, err := FindCredentials("moon", fakeHost(nil, nil)); err == nil {
		t.Error("cloud moon was found")
	}
}

// newKey makes a key in both PEM forms that clouds hand out.
func newKey(t *testing.T) (key *rsa.PrivateKey, pkcs1, pkcs8 string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs1 = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	pkcs8 = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: wrapped}))
	return key, pkcs1, pkcs8
}

func verify(t *testing.T, key *rsa.PrivateKey, text, signature string, encoding *base64.Encoding) {
	t.Helper()
	data, err := encoding.DecodeString(signature)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], data); err != nil {
		t.Errorf("signature of %q: %v", text, err)
	}
}

// Oracle's signature is checked against the text its documentation prescribes,
// on a request as it arrives at a server.
func TestOCISignature(t *testing.T) {
	key, pkcs1, _ := newKey(t)
	files := map[string]string{
		"/home/u/.oci/config":  "[DEFAULT]\ntenancy=ocid1.tenancy.oc1..t\nuser=ocid1.user.oc1..u\nfingerprint=aa:bb\nkey_file=~/.oci/key.pem\n[TEAM]\nuser=ocid1.user.oc1..team\n[SESSION]\nsecurity_token_file=/token\n",
		"/home/u/.oci/key.pem": pkcs1,
		"/token":               "session-token\n",
	}
	tests := []struct{ profile, id string }{
		{"", "ocid1.tenancy.oc1..t/ocid1.user.oc1..u/aa:bb"},
		{"TEAM", "ocid1.tenancy.oc1..t/ocid1.user.oc1..team/aa:bb"},
		{"SESSION", "ST$session-token"},
	}
	for _, tt := range tests {
		t.Run("profile "+tt.profile, func(t *testing.T) {
			credentials, err := FindCredentials("oci", fakeHost(map[string]string{"HOME": "/home/u", "OCI_CLI_PROFILE": tt.profile}, files))
			if err != nil {
				t.Fatal(err)
			}
			r := arrive(t, "oci-genai", credentials)
			want := `Signature version="1",keyId="` + tt.id + `",algorithm="rsa-sha256",headers="date (request-target) host content-length content-type x-content-sha256",signature="`
			rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), want)
			if !ok {
				t.Fatalf("Authorization %q, want it to begin with %q", r.Header.Get("Authorization"), want)
			}
			text := fmt.Sprintf("date: Fri, 02 Jan 2026 12:00:00 GMT\n(request-target): post /20231130/actions/chat\nhost: %s\ncontent-length: %d\ncontent-type: application/json\nx-content-sha256: %s",
				r.Host, r.ContentLength, r.Header.Get("X-Content-Sha256"))
			verify(t, key, text, strings.TrimSuffix(rest, `"`), base64.StdEncoding)
		})
	}
	if _, err := FindCredentials("oci", fakeHost(map[string]string{"HOME": "/home/u", "OCI_CLI_PROFILE": "NONE"}, files)); err == nil {
		t.Error("profile NONE was found")
	}
	files["/home/u/.oci/key.pem"] = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
	if _, err := FindCredentials("oci", fakeHost(map[string]string{"HOME": "/home/u"}, files)); err == nil || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("error %v for an encrypted key", err)
	}
}

// arrive sends one call with credentials and returns the request as a server
// read it.
func arrive(t *testing.T, api string, credentials Credentials) *http.Request {
	t.Helper()
	asked := make(chan *http.Request, 1)
	url := serve(t, func(conn net.Conn, r *http.Request) {
		asked <- r
		atOnce(conn, "HTTP/1.1 200 OK\r\n", []byte("{}"))
	})
	dialect, err := Find(api)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{URLs: []string{url}, Header: credentials.Header, Sign: credentials.Sign, Ask: Ask{Model: "v1:0"}, Timeout: 10 * time.Second}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	p, err := c.Prepare(record.Call{ID: 1, Prompt: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	c.Do(t.Context(), p, 0)
	return <-asked
}

// What a server receives from a Bedrock run is what was signed: the signature is
// made again from the request as it arrived.
func TestSignatureSurvivesTheWire(t *testing.T) {
	s := sigV4{keyID: "ID", secret: "s", region: "us-east-1", service: "bedrock", now: func() time.Time { return noon }}
	r := arrive(t, "aws-bedrock", Credentials{Sign: s})
	sent := r.Header.Get("Authorization")
	again := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, Header: http.Header{"Content-Type": r.Header["Content-Type"]}}
	body := `{"inferenceConfig":{},"messages":[{"content":[{"text":"hello"}],"role":"user"}]}`
	if err := s.Sign(again, []byte(body)); err != nil {
		t.Fatal(err)
	}
	if got := again.Header.Get("Authorization"); got != sent || r.URL.EscapedPath() != "/model/v1%3A0/converse" {
		t.Errorf("signed as %s for %s, arrived as %s", got, r.URL.EscapedPath(), sent)
	}
}
