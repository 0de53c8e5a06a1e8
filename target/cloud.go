package target

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Host is where credentials are looked for.
type Host struct {
	Lookup   func(string) (string, bool) // as os.LookupEnv
	ReadFile func(string) ([]byte, error)
	Now      func() time.Time // wall clock, which signatures name
}

// Credentials prove to a target who asks. They never enter a bundle.
type Credentials struct {
	Header  http.Header // sent with every request
	Sign    Signer      // nil when the header suffices
	Secrets []string    // every confidential value, for the redactor
}

// A Cloud finds credentials as the clients of one provider do: in environment
// variables first, then in files.
type Cloud struct {
	Name string // a spec's target.auth.kind
	Find func(Host) (Credentials, error)
}

// Clouds lists every provider.
var Clouds = []Cloud{
	{"aws", awsCredentials},
	{"azure", azureCredentials},
	{"google", googleCredentials},
	{"oci", ociCredentials},
}

// FindCredentials finds what the cloud called name wants.
func FindCredentials(name string, host Host) (Credentials, error) {
	i := slices.IndexFunc(Clouds, func(c Cloud) bool { return c.Name == name })
	if i < 0 {
		return Credentials{}, fmt.Errorf("target.auth.kind %q: no such cloud", name)
	}
	return Clouds[i].Find(host)
}

// first is the value of the first variable that is set and not empty.
func (h Host) first(names ...string) string {
	for _, name := range names {
		if value, ok := h.Lookup(name); ok && value != "" {
			return value
		}
	}
	return ""
}

// path is the file that the variable names, or else the one in the user's home.
func (h Host) path(variable string, inHome ...string) string {
	if path := h.first(variable); path != "" {
		return path
	}
	return h.inHome(filepath.Join(inHome...))
}

func (h Host) inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = rest
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.first("HOME"), path)
}

func bearer(token string) Credentials {
	return Credentials{Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token}}
}

func keyHeader(name, key string) Credentials {
	return Credentials{Header: http.Header{http.CanonicalHeaderKey(name): {key}}, Secrets: []string{key}}
}

func azureCredentials(h Host) (Credentials, error) {
	if key := h.first("AZURE_OPENAI_API_KEY"); key != "" {
		return keyHeader("Api-Key", key), nil
	}
	if token := h.first("AZURE_OPENAI_AD_TOKEN"); token != "" {
		return bearer(token), nil
	}
	return Credentials{}, fmt.Errorf("no credentials for Azure: set AZURE_OPENAI_API_KEY or AZURE_OPENAI_AD_TOKEN")
}

// awsCredentials follows the order of Amazon's own clients: keys of the
// environment, then the profile in the credentials file, then the one in the
// configuration file. A key for Bedrock alone goes before them all.
func awsCredentials(h Host) (Credentials, error) {
	if token := h.first("AWS_BEARER_TOKEN_BEDROCK"); token != "" {
		return bearer(token), nil
	}
	profile := h.first("AWS_PROFILE")
	if profile == "" {
		profile = "default"
	}
	credentials := h.section(h.path("AWS_SHARED_CREDENTIALS_FILE", ".aws", "credentials"), profile)
	name := "profile " + profile
	if profile == "default" {
		name = profile
	}
	config := h.section(h.path("AWS_CONFIG_FILE", ".aws", "config"), name)
	s := sigV4{service: "bedrock", now: h.Now}
	if s.region = h.first("AWS_REGION", "AWS_DEFAULT_REGION"); s.region == "" {
		s.region = config["region"]
	}
	s.keyID, s.secret, s.token = h.first("AWS_ACCESS_KEY_ID"), h.first("AWS_SECRET_ACCESS_KEY"), h.first("AWS_SESSION_TOKEN")
	for _, from := range []map[string]string{credentials, config} {
		if s.keyID == "" || s.secret == "" {
			s.keyID, s.secret, s.token = from["aws_access_key_id"], from["aws_secret_access_key"], from["aws_session_token"]
		}
	}
	if s.keyID == "" || s.secret == "" {
		return Credentials{}, fmt.Errorf("no credentials for AWS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give profile %q keys in the shared credentials file", profile)
	}
	secrets := []string{s.secret}
	if s.token != "" {
		secrets = append(secrets, s.token)
	}
	return Credentials{Sign: s, Secrets: secrets}, nil
}

// section reads "name = value" lines of one [section] of a file. A file that is
// not there has no sections.
func (h Host) section(path, name string) map[string]string {
	values := map[string]string{}
	data, err := h.ReadFile(path)
	if err != nil {
		return values
	}
	inside := false
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			inside = strings.TrimSpace(strings.Trim(line, "[]")) == name
		case inside:
			key, value, _ := strings.Cut(line, "=")
			values[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return values
}
