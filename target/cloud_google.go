package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"assay/secret"
)

const (
	googleScope = "https://www.googleapis.com/auth/cloud-platform"

	// tokenSpare is how long a token is still good when the next one is fetched:
	// calls are prepared before they are due.
	tokenSpare = 5 * time.Minute

	// tokenPatience bounds the question for a token.
	tokenPatience = 30 * time.Second
)

// googleCredentials takes an API key, a token, the file of a service account or of
// a user, or what the metadata server of a Google machine gives, in this order.
func googleCredentials(h Host) (Credentials, error) {
	if key := h.first("GOOGLE_API_KEY", "GEMINI_API_KEY"); key != "" {
		return keyHeader("X-Goog-Api-Key", key), nil
	}
	if token := h.first("GOOGLE_OAUTH_ACCESS_TOKEN"); token != "" {
		return bearer(token), nil
	}
	path := h.path("GOOGLE_APPLICATION_CREDENTIALS", ".config", "gcloud", "application_default_credentials.json")
	data, err := h.ReadFile(path)
	switch {
	case err == nil:
		return googleFile(h, path, data)
	case errors.Is(err, fs.ErrNotExist) && h.first("GOOGLE_APPLICATION_CREDENTIALS") == "" && h.onGoogle():
		return signedBy(google.ComputeTokenSource("", googleScope))
	}
	return Credentials{}, fmt.Errorf("no credentials for Google: set GOOGLE_API_KEY, GOOGLE_OAUTH_ACCESS_TOKEN or GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login: %w", err)
}

// onGoogle reports whether a metadata server is there to be asked. The library would
// find out by asking the network, which on any other machine is a surprise.
func (h Host) onGoogle() bool {
	product, _ := h.ReadFile("/sys/class/dmi/id/product_name")
	return h.first("GCE_METADATA_HOST") != "" || strings.HasPrefix(string(product), "Google")
}

// A googleAccount is what a file of credentials holds for us; the library reads it
// again for itself.
type googleAccount struct {
	Type         string `json:"type"`
	Key          string `json:"private_key"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	QuotaProject string `json:"quota_project_id"`
}

func googleFile(h Host, path string, data []byte) (Credentials, error) {
	var account googleAccount
	if err := json.Unmarshal(data, &account); err != nil {
		return Credentials{}, fmt.Errorf("%s: %w", path, err)
	}
	var fresh tokenFunc
	switch account.Type {
	case "service_account":
		fresh = func() (*oauth2.Token, error) { return signedToken(data) }
	case "authorized_user":
		fresh = func() (*oauth2.Token, error) { return userToken(data) }
	default:
		return Credentials{}, fmt.Errorf("%s holds credentials of type %q, want service_account or authorized_user; or set GOOGLE_OAUTH_ACCESS_TOKEN to what gcloud auth print-access-token prints", path, account.Type)
	}
	found, err := signedBy(oauth2.ReuseTokenSourceWithExpiry(nil, fresh, tokenSpare))
	if err != nil {
		return Credentials{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, value := range []string{account.Key, account.ClientSecret, account.RefreshToken} {
		if value != "" {
			found.Secrets = append(found.Secrets, value)
		}
	}
	// What a user asks for is charged to a project that has to be named.
	if project := h.first("GOOGLE_CLOUD_QUOTA_PROJECT"); project != "" {
		account.QuotaProject = project
	}
	if account.QuotaProject != "" {
		found.Header = http.Header{"X-Goog-User-Project": {account.QuotaProject}}
	}
	return found, nil
}

// signedToken is a token that a service account signs on its own, which Google
// accepts in place of one from its token service.
func signedToken(account []byte) (*oauth2.Token, error) {
	source, err := google.JWTAccessTokenSourceWithScope(account, googleScope)
	if err != nil {
		return nil, err
	}
	return source.Token()
}

// userToken asks Google's token service, or the one that the file names. The
// library takes its client from a context.
func userToken(user []byte) (*oauth2.Token, error) {
	transport := &http.Transport{DisableKeepAlives: true} // and no proxy of the environment, as everywhere
	client := &http.Client{CheckRedirect: secret.SameHost, Timeout: tokenPatience, Transport: transport}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	found, err := google.CredentialsFromJSONWithType(ctx, user, google.AuthorizedUser, googleScope)
	if err != nil {
		return nil, err
	}
	token, err := found.TokenSource.Token()
	if err != nil {
		return nil, fmt.Errorf("no token; gcloud auth application-default login signs you in again: %w", err)
	}
	return token, nil
}

// A tokenFunc is a source of fresh tokens. The library's own sources keep a token
// until its last seconds, so a new one is made each time.
type tokenFunc func() (*oauth2.Token, error)

// Token implements oauth2.TokenSource.
func (f tokenFunc) Token() (*oauth2.Token, error) { return f() }

// signedBy takes the first token at once, so that credentials that do not work are
// noticed before anything is measured.
func signedBy(source oauth2.TokenSource) (Credentials, error) {
	first, err := source.Token()
	if err != nil {
		return Credentials{}, err
	}
	return Credentials{Sign: tokenSigner{source}, Secrets: []string{first.AccessToken}}, nil
}

// A tokenSigner puts a token that is still good into every request.
type tokenSigner struct{ source oauth2.TokenSource }

var _ Signer = tokenSigner{}

// Sign implements Signer.
func (s tokenSigner) Sign(r *http.Request, _ []byte) error {
	token, err := s.source.Token()
	if err != nil {
		return fmt.Errorf("token of Google: %w", err)
	}
	token.SetAuthHeader(r)
	return nil
}
