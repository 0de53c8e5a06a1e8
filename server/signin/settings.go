package signin

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"assay/intake"
)

// Settings are what a file says about who may sign in.
type Settings struct {
	// URL is the address of this server in browsers, to which issuers send people back. It
	// may be empty where no issuer has a client.
	URL     string   `yaml:"url"`
	Issuers []Issuer `yaml:"issuers"`
}

// An Issuer is one whose word counts.
type Issuer struct {
	Name    string `yaml:"name"`   // as people and logs read it, and in addresses of this server
	Address string `yaml:"issuer"` // to the letter

	// Client is the id that the issuer knows this server by; people sign in where there is
	// one. Its secret is in a file or in a variable; a public client has none.
	Client     string `yaml:"client"`
	SecretFile string `yaml:"secretFile"`
	SecretEnv  string `yaml:"secretEnv"`

	// Scopes are asked for besides openid, profile and email, such as groups.
	Scopes []string `yaml:"scopes"`

	// Audience is whom tokens of programs must be for. Empty means the client.
	Audience string `yaml:"audience"`

	Allow []Rule `yaml:"allow"`

	secret string
}

// mostSettings is the largest file that is read.
const mostSettings = 1 << 20

// Read reads a file of settings and the secrets that it names. Files are looked for beside
// it, variables with lookup. It reports every fault at once.
func Read(path string, lookup func(string) (string, bool)) (Settings, error) {
	data, err := intake.ReadFile(path, mostSettings)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return Settings{}, fmt.Errorf("%s: %w", path, err)
	}
	var faults []error
	for i := range s.Issuers {
		one := &s.Issuers[i]
		if one.Audience == "" {
			one.Audience = one.Client
		}
		if err := one.readSecret(filepath.Dir(path), lookup); err != nil {
			faults = append(faults, fmt.Errorf("%s: issuers[%d].%w", path, i, err))
		}
	}
	for _, err := range s.faults() {
		faults = append(faults, fmt.Errorf("%s: %w", path, err))
	}
	return s, errors.Join(faults...)
}

func (i *Issuer) readSecret(dir string, lookup func(string) (string, bool)) error {
	switch {
	case i.SecretFile != "" && i.SecretEnv != "":
		return errors.New("secretFile and secretEnv: want one of them")
	case i.SecretFile != "":
		path := i.SecretFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		data, err := intake.ReadFile(path, 64<<10)
		if err != nil {
			return fmt.Errorf("secretFile: %w", err)
		}
		i.secret = strings.TrimSpace(string(data))
	case i.SecretEnv != "":
		text, _ := lookup(i.SecretEnv)
		i.secret = strings.TrimSpace(text)
	default:
		return nil
	}
	if i.secret == "" {
		return fmt.Errorf("secretFile or secretEnv: %s%s holds nothing", i.SecretFile, i.SecretEnv)
	}
	return nil
}

// issuerName is what a name may be: it stands in addresses, logs and on a button.
var issuerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,39}$`)

// faults lists what is wrong with the settings.
func (s Settings) faults() (faults []error) {
	bad := func(path, format string, args ...any) {
		faults = append(faults, fmt.Errorf(path+": "+format, args...))
	}
	if len(s.Issuers) == 0 {
		bad("issuers", "got none, want one or more")
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err != nil || safe(u) != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			bad("url", "got %q, want the address of this server as browsers know it, such as https://bench.example.com; http is for loopback alone", s.URL)
		}
	}
	names, addresses := map[string]bool{}, map[string]bool{}
	for i, one := range s.Issuers {
		at := fmt.Sprintf("issuers[%d].", i)
		u, err := url.Parse(one.Address)
		switch {
		case err != nil || safe(u) != nil || u.RawQuery != "" || u.Fragment != "":
			bad(at+"issuer", "got %q, want its address with https and to the letter, such as https://sso.example.com/realms/lab; http is for loopback alone", one.Address)
		case addresses[one.Address]:
			bad(at+"issuer", "%s is there twice", one.Address)
		}
		if !issuerName.MatchString(one.Name) || names[strings.ToLower(one.Name)] {
			bad(at+"name", "got %q, want letters, digits and dashes, 40 at most, that no other issuer has", one.Name)
		}
		names[strings.ToLower(one.Name)], addresses[one.Address] = true, true
		switch {
		case one.Client != "" && s.URL == "":
			bad("url", "people sign in with %s, which must know where to send them back: want the address of this server", one.Name)
		case one.Client == "" && one.Audience == "":
			bad(at+"audience", "want whom tokens are for, such as the address of this server, or a client with which people sign in")
		case one.Client == "" && one.secret != "":
			bad(at+"client", "there is a secret and no client")
		}
		for j, rule := range one.Allow {
			for _, err := range rule.faults() {
				faults = append(faults, fmt.Errorf("%sallow[%d].%w", at, j, err))
			}
		}
		if len(one.Allow) == 0 {
			bad(at+"allow", "got no rule, so nobody may do anything")
		}
	}
	return faults
}
